"""Errors and what fixed them."""
