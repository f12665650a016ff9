"""The texts that citations refer to."""

from collections.abc import Iterable

from mcp_graphrag.model import Triple
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import resolve_citation


def evidence_texts(tx: Reader, triples: Iterable[Triple]) -> dict[str, str]:
    """The text of each citation in the evidence of the triples."""
    citations = dict.fromkeys(piece.citation for triple in triples for piece in triple.evidence if piece.citation)
    return {citation: resolve_citation(tx, citation).text for citation in citations}
