"""Exports of other graph memories."""
