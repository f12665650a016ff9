"""The libraries of the extra `docs`, which may not be installed."""

import importlib
from typing import Any

from mcp_graphrag.errors import Unreadable

INSTALL = "pip install 'mcp-graphrag[docs]'"


def needed(module: str, kind: str) -> Any:
    """A library of the extra. Raises Unreadable with what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        reason = f"{kind} files need the extra docs: {INSTALL}"
        raise Unreadable(f"{reason}.", "Then ingest it again.", reason) from error
