"""A graph read from the JSON lines of an export: what is stored already is found again, the rest is added."""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcp_graphrag.edit.index_text import chunk_terms
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.ontology.edit_ontologies import add_ontology
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.resolve.reconcile_names import reconcile
from mcp_graphrag.settings import ONTOLOGIES
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Writer
from mcp_graphrag.store.changes.removal import entities_of_document
from mcp_graphrag.store.rows.document_rows import chunks_by_id, retire_document
from mcp_graphrag.store.rows.export_rows import Names
from mcp_graphrag.store.rows.import_rows import imported_chunks, ontologies_of_lines, placed_lines, read_lines
from mcp_graphrag.store.rows.posting_rows import add_postings
from mcp_graphrag.transfer.export_graph import HEADER

BATCH = 2_000  # chunks indexed at once
ADDED = ("documents", "chunks", "entities", "triples", "evidence")


@dataclass(frozen=True)
class ImportedLines:
    """How much was new, and how many lines there were of each kind; `left_out` counts by reason what was not taken."""

    documents: int
    chunks: int
    entities: int
    triples: int
    evidence: int
    lines: Mapping[str, int]
    left_out: Mapping[str, int]


def is_export(path: Path) -> bool:
    """Whether a file begins as the JSON lines of an export do, zipped or not."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            return file.read(len(HEADER)) == HEADER.encode()
    except OSError:
        return False


def import_lines(write: Write, path: Path, *, names: Names = (), since: int | None = None) -> ImportedLines:
    """Add what the lines have, all or nothing. A stored entity keeps its description; it gains names and triples.

    A document of the same uri and another text replaces the stored one, unless its file is older or that was stored
    after the change `since`. `names` are as of `read_lines`. Raises BadInput for a file that is no export.
    """
    tx, touched, refused = write.tx, set[int](), 0

    def retire(documents: list[int]) -> None:
        for document_id in documents:
            touched.update(entities_of_document(tx, document_id))
            retire_document(tx, document_id)

    with read_lines(tx, path, names) as kinds:
        if "graph" not in kinds:
            raise BadInput(f"{path} is no export of a graph.", "Name a file that `mcp-graphrag export` wrote.")
        for name, body in ontologies_of_lines(tx):
            try:
                _ = add_ontology(tx, write.ontologies, name, json.loads(body), extend=name in ONTOLOGIES)
            except BadInput:
                refused += 1
        with placed_lines(tx, normal_form, retire, since) as found:
            reconcile(tx, touched)
            _index(tx)
    reconcile_conflicts(tx, write.ontology)
    left_out = {reason: count for reason, count in found.items() if count and reason not in ADDED}
    left_out |= {"ontologies that do not fit": refused} if refused else {}
    return ImportedLines(**{name: found[name] for name in ADDED}, lines=kinds, left_out=left_out)


def _index(tx: Writer) -> None:
    """Make the new chunks searchable by their words."""
    ids = imported_chunks(tx)
    for at in range(0, len(ids), BATCH):
        chunks = chunks_by_id(tx, ids[at : at + BATCH])
        each = [chunks[chunk_id] for chunk_id in ids[at : at + BATCH].tolist()]
        terms = [chunk_terms(one.document.title, one, one.document.language) for one in each]
        add_postings(tx, np.asarray(ids[at : at + BATCH]), terms)
