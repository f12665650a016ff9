"""Source code: blocks by definition, and the files that nobody wrote by hand."""
