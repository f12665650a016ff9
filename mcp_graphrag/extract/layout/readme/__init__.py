"""What a README says of the package that it describes."""
