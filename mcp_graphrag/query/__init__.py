"""A read-only subset of openCypher, compiled to one SELECT of DuckDB."""
