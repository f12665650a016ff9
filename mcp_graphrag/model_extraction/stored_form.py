"""Extractions as JSON, in which results of a model are kept so that they are not paid for twice."""

import json
from dataclasses import asdict

from mcp_graphrag.model import Candidate, Extraction, Mention

FIELDS = (
    "subject", "predicate", "object", "subject_type", "object_type", "confidence", "surface", "quote", "start", "end",
)  # fmt: skip


def extraction_as_json(extraction: Extraction) -> str:
    """The extraction as JSON."""
    found = {
        "mentions": [asdict(mention) for mention in extraction.mentions],
        "triples": [{name: getattr(triple, name) for name in FIELDS} for triple in extraction.triples],
        "dropped": dict(extraction.dropped),
        "descriptions": dict(extraction.descriptions),
    }
    return json.dumps(found, ensure_ascii=False)


def extraction_of_json(text: str) -> Extraction:
    """The extraction that was written as JSON."""
    found = json.loads(text)
    return Extraction(
        [Mention(**mention) for mention in found["mentions"]],
        [Candidate(**triple) for triple in found["triples"]],
        found["dropped"],
        descriptions=found["descriptions"],
    )
