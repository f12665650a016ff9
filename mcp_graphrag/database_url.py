"""The URL of a PostgreSQL database in place of the path of a file."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import platformdirs

SCHEMES = ("postgresql://", "postgres://")


def shown_url(url: str) -> str:
    """A URL without user, password and options."""
    parts = urlsplit(url)
    host = parts.hostname or dict(parse_qsl(parts.query)).get("host", "localhost")
    port = f":{parts.port}" if parts.port else ""
    return f"postgresql://{host}{port}/{parts.path.lstrip('/')}"


def path_for(url: str) -> Path:
    """The path by which what belongs to a database is found among this user's files; there is no file."""
    name = re.sub(r"[^\w.-]+", "-", shown_url(url).partition("://")[2]).strip("-")
    return platformdirs.user_data_path("mcp-graphrag") / "postgresql" / name
