"""The documents of a fictional dairy, written for this package, and what an agent read in them, for the demo."""

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any


def copy_corpus(folder: Path) -> None:
    """Write the documents into a folder."""
    for each in (resources.files("mcp_graphrag.demo") / "corpus").iterdir():
        (folder / each.name).write_bytes(each.read_bytes())


def recorded_reading() -> list[dict[str, Any]]:
    """The triples that an agent read in the documents, each with its document and the words that state it.

    They were read once, by a model that had seen neither the rules of the extractors nor the questions of the demo.
    """
    text = (resources.files("mcp_graphrag.demo") / "reading.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def findings_in(uri: str, chunk: Mapping[str, Any], reading: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What was read in a chunk as `get_chunks_to_extract` gives it, in the form that `store_extraction` takes.

    `uri` is that of its document.
    """
    document = uri.rpartition("/")[2]
    found = [each for each in reading if each["document"] == document and each["quote"] in chunk["text"]]
    types = {each[end]: each.get(f"{end}_type", "") for each in found for end in ("subject", "object")}
    told = ("subject", "predicate", "object", "quote", "confidence", "negated", "valid_from", "valid_to")
    return {
        "citation": chunk["chunk"],
        "entities": [{"name": name, "type": type_} for name, type_ in types.items()],
        "triples": [{key: each[key] for key in told if key in each} for each in found],
    }
