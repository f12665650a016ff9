"""What takes back, supposes or reports what a sentence says."""
