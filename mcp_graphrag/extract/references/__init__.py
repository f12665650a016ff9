"""What the text of a document refers to: its own sections, and other documents by link or by name."""
