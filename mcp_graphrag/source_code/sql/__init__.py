"""SQL: the text of a file or string to statements, and what each defines and uses. No names are resolved."""

from mcp_graphrag.source_code.sql.read_sql import (
    SqlFile,
    SqlName,
    SqlStatement,
    forget_sql,
    parse_sql,
    read_sql,
    sql_definitions,
)

SQL = "text/x-sql"  # the media type of files of SQL

__all__ = ["SQL", "SqlFile", "SqlName", "SqlStatement", "forget_sql", "parse_sql", "read_sql", "sql_definitions"]
