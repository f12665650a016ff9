"""The paths of documents, relative to the folders that their files are below, and which documents a path names."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from posixpath import commonpath
from urllib.parse import unquote

import numpy as np

from mcp_graphrag.ingest import path_spec
from mcp_graphrag.model import Ids
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import is_test_file
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.document_rows import DocumentName, Tests, document_names
from mcp_graphrag.store.rows.triple_rows import evidence_within

FILE = "file://"
_DRIVE = re.compile(r"/[A-Za-z]:/")
_SLASHES = re.compile("/{2,}")  # of "https://", which a pattern cannot name


def shown_path(uri: str, roots: Sequence[str]) -> str:
    """The path of a document's file below the innermost of the folders, given as uris; else its path, or its uri."""
    if not uri.startswith(FILE):
        return uri
    root = max((each for each in roots if uri.startswith(f"{each}/")), key=len, default="")
    path = unquote(uri[len(root) + 1 :] if root else uri.removeprefix(FILE))
    return path[1:] if _DRIVE.match(path) else path


class DocumentPaths:
    """The active documents with their paths. Where no folder is above a file, the one that all files share is."""

    def __init__(self, tx: Reader, roots: Sequence[str]) -> None:
        self.names = document_names(tx)
        files = [each.uri for each in self.names if each.uri.startswith(FILE)]
        outside = [uri for uri in files if not any(uri.startswith(f"{root}/") for root in roots)]
        common = commonpath([uri.removeprefix(FILE).rpartition("/")[0] or "/" for uri in outside]) if outside else ""
        self._roots = (*roots, FILE + common) if common.strip("/") else roots

    @cached_property
    def by_path(self) -> dict[str, DocumentName]:
        """The documents by path, the oldest first; one whose path another one has by its uri."""
        found: dict[str, DocumentName] = {}
        for each in self.names:
            path = shown_path(each.uri, self._roots)
            found[each.uri if path in found else path] = each
        return found

    @cached_property
    def _by_uri(self) -> dict[str, str]:
        return {each.uri: path for path, each in self.by_path.items()}

    def path(self, uri: str) -> str:
        """The path of a document, retired ones included."""
        return self._by_uri.get(uri) or shown_path(uri, self._roots)

    def at(self, path: str) -> dict[str, DocumentName]:
        """The document with a path, else those whose path ends with it, by path."""
        path = _written(path)
        if path in self.by_path:
            return {path: self.by_path[path]}
        absolute = path.lstrip("/")
        ending = f"/{path}"
        return {
            own: each
            for own, each in self.by_path.items()
            if own.endswith(ending) or (each.uri.startswith(FILE) and shown_path(each.uri, ()).lstrip("/") == absolute)
        }

    def below(self, folder: str) -> dict[str, DocumentName]:
        """The documents below a folder, by path; of all below "."."""
        folder = _written(folder)
        if folder in {"", "."}:
            return self.by_path
        start, inside = f"{folder}/", f"/{folder}/"
        found = {path: each for path, each in self.by_path.items() if path.startswith(start)}
        return found or {path: each for path, each in self.by_path.items() if inside in f"/{path}"}

    def within(self, paths: Sequence[str], tests: Tests | None) -> Ids:
        """The documents like any of the patterns, ascending, with or without those of tests by their path.

        Patterns are as in .gitignore: "src", "src/**", "*.md". Raises BadInput for what is none.
        """
        spec = path_spec([_SLASHES.sub("/", _written(each)) for each in paths], "path") if paths else None
        kept = [
            each.id
            for path, each in self.by_path.items()
            if (spec is None or spec.match_file(_SLASHES.sub("/", path.lstrip("/"))))
            and (tests is None or is_test_file(path) == (tests == "only"))
        ]
        return np.array(sorted(kept), dtype=np.int64)


class _Kept:
    """The paths of one generation, by the folders that they are relative to."""

    def __init__(self) -> None:
        self.by_roots: dict[tuple[str, ...], DocumentPaths] = {}


def document_paths(snapshot: Snapshot) -> DocumentPaths:
    """The paths of the documents of a snapshot."""
    kept, roots = snapshot.indexes.of_generation(snapshot.tx, _Kept).by_roots, tuple(snapshot.roots)
    if roots not in kept:
        kept[roots] = DocumentPaths(snapshot.tx, roots)
    return kept[roots]


def triples_within(snapshot: Snapshot, paths: Sequence[str], tests: Tests | None) -> Snapshot:
    """The snapshot in which only triples with evidence in such documents count."""
    if not paths and tests is None:
        return snapshot
    return replace(snapshot, within=evidence_within(snapshot.tx, document_paths(snapshot).within(paths, tests)))


def _written(path: str) -> str:
    """A path as documents have it: with "/" between its parts."""
    path = path.strip().replace("\\", "/") if "://" not in path else path.strip()
    return path.removeprefix("./")
