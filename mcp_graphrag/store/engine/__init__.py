"""The DuckDB file itself: opening, migrations, transactions, statements."""
