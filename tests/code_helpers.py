"""Source files of a repository, and what is found in them."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from textwrap import dedent

from mcp_graphrag.extract import CodeExtractor
from mcp_graphrag.ingest import chunk_document, read_bytes
from mcp_graphrag.model import Extraction


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts below a folder, by their path in it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def read(files: dict[str, str]) -> list[Extraction]:
    """What is found in the files of a repository; all quotes are checked."""
    documents = [
        read_bytes(dedent(text).encode(), uri=f"file:///repo/{name}", name=PurePosixPath(name).name)
        for name, text in files.items()
    ]
    given = [(document, chunk_document(document)) for document in documents]
    found = CodeExtractor().extract_all(given)
    for (_, chunks), extractions in zip(given, found, strict=True):
        for chunk, extraction in zip(chunks, extractions, strict=True):
            for triple in extraction.triples:
                assert chunk.text[triple.start : triple.end] == triple.quote
    return [extraction for extractions in found for extraction in extractions]


def triples(files: dict[str, str], *predicates: str) -> set[str]:
    """The triples of some predicates as text."""
    return {
        f"{triple.subject} {triple.predicate} {triple.object}"
        for extraction in read(files)
        for triple in extraction.triples
        if triple.predicate in predicates
    }
