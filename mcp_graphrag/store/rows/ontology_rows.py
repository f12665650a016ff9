"""The ontologies that users added to a file, by name."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_graphrag.store.engine.transaction import Reader, Writer

ONTOLOGIES = "ontologies"  # they are remembered under this key


def stored_ontologies(tx: Reader) -> tuple[tuple[str, str], ...]:
    """(name, JSON text) of each ontology of the file, by name."""
    # Sorting this in SQL takes as long as reading it.
    return tx.once(ONTOLOGIES, lambda: tuple(sorted(tx.rows("ontologies"))), lasting=True)


def store_ontology(tx: Writer, name: str, body: Mapping[str, Any]) -> bool:
    """Add an ontology, or replace the one with that name; answers whether that changed anything."""
    known = dict(stored_ontologies(tx)).get(name)
    if known is not None and json.loads(known) == body:
        return False
    if known is not None:
        retire_ontology(tx, name)
    tx.execute("add_ontology", {"name": name, "body": json.dumps(body, ensure_ascii=False)})
    tx.forget(ONTOLOGIES)
    return True


def retire_ontology(tx: Writer, name: str) -> None:
    """Retire an ontology."""
    tx.execute("retire_ontology", {"name": name})
    tx.forget(ONTOLOGIES)
