"""The ontologies that users added to a file, by name."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_graphrag.store.transaction import Reader, Writer


def stored_ontologies(tx: Reader) -> tuple[tuple[str, str], ...]:
    """(name, JSON text) of each ontology of the file, by name."""
    return tuple(tx.rows("ontologies"))


def store_ontology(tx: Writer, name: str, body: Mapping[str, Any]) -> bool:
    """Put an ontology in place of the one of that name, if any; answers whether that changed anything."""
    text = json.dumps(body, ensure_ascii=False)
    known = dict(stored_ontologies(tx)).get(name)
    if known is not None and json.loads(known) == body:
        return False
    if known is not None:
        retire_ontology(tx, name)
    tx.rows("add_ontology", {"name": name, "body": text, **tx.stamp()})
    return True


def retire_ontology(tx: Writer, name: str) -> None:
    """Take an ontology out of force."""
    tx.rows("retire_ontology", {"name": name, **tx.stamp()})
