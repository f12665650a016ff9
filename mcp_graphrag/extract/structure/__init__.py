"""Triples from the layout of a document: tables, labelled lines, headings and metadata."""
