"""Words with capitals that are no names."""
