"""The paths of documents, relative to the folders that their files are below, and which documents a path names."""

import re
from collections.abc import Sequence
from dataclasses import replace
from posixpath import commonpath
from urllib.parse import unquote

import numpy as np

from mcp_graphrag.ingest import path_spec
from mcp_graphrag.model import GIT_HISTORY, Ids, StoredDocument
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.source_code import is_test_file
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.document_rows import Tests, recent_documents
from mcp_graphrag.store.rows.triple_rows import evidence_within

FILE = "file://"
_SHORT_FOR_TESTS = re.compile(r"((?:[^/]+/)*?t/)")  # the folder, as Perl and projects like it call it
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
    """The active documents by path. Where no folder is above a file, paths begin at the one that such files share.

    A document has its uri as path where another one has its path.
    """

    def __init__(self, tx: Reader, roots: Sequence[str]) -> None:
        documents = recent_documents(tx, limit=2**62)[::-1]
        files = [each.uri.removeprefix(FILE) for each in documents if each.uri.startswith(FILE)]
        outside = [path for path in files if not any(path.startswith(f"{root[len(FILE) :]}/") for root in roots)]
        common = commonpath([path.rpartition("/")[0] or "/" for path in outside]) if outside else ""
        self._roots = (*roots, FILE + common) if common.strip("/") else roots
        self.by_path: dict[str, StoredDocument] = {}
        for each in documents:
            path = shown_path(each.uri, self._roots)
            self.by_path[each.uri if path in self.by_path else path] = each
        self.histories = {
            each.source: each for each in documents if each.media_type == GIT_HISTORY
        }  # by that of a file
        of_tests = (each[1] for path in self.by_path if is_test_file(path) and (each := _SHORT_FOR_TESTS.match(path)))
        self._tests = tuple(dict.fromkeys(of_tests))  # folders "t" that have files of tests
        self._paths = {each.uri: path for path, each in self.by_path.items()}

    def path(self, uri: str) -> str:
        """The path of a document, retired ones included."""
        return self._paths.get(uri) or shown_path(uri, self._roots)

    def at(self, path: str) -> list[StoredDocument]:
        """The document with a path, else those whose path ends with it."""
        path = self._relative(path)
        found = self.by_path.get(path)
        return [found] if found else [each for own, each in self.by_path.items() if own.endswith(f"/{path}")]

    def below(self, folder: str) -> list[str]:
        """The paths of the documents below a folder, sorted; of all below "."."""
        folder = self._relative(folder).rstrip("/")
        if folder in {"", "."}:
            return sorted(self.by_path)
        found = [path for path in self.by_path if path.startswith(f"{folder}/")]
        return sorted(found or (path for path in self.by_path if f"/{folder}/" in f"/{path}"))

    def within(self, patterns: Sequence[str], tests: Tests | None) -> Ids:
        """The documents like any of the patterns, ascending, with or without those of tests by their path.

        Patterns are as in .gitignore: "src", "src/**", "*.md". Raises BadInput for what is none.
        """
        spec = path_spec([_SLASHES.sub("/", self._relative(each)) for each in patterns], "path") if patterns else None
        kept = [
            each.id
            for path, each in self.by_path.items()
            if (spec is None or spec.match_file(_SLASHES.sub("/", path.lstrip("/"))))
            and (tests is None or (is_test_file(path) or path.startswith(self._tests)) == (tests == "only"))
        ]
        return np.array(sorted(kept), dtype=np.int64)

    def _relative(self, path: str) -> str:
        """A path as documents have it: with "/" between its parts, and relative if it is below one of the folders."""
        path = (path if "://" in path else path.replace("\\", "/")).strip().removeprefix("./")
        below = (shown_path(root, ()) + "/" for root in self._roots)
        return path.removeprefix(max((each for each in below if path.startswith(each)), key=len, default=""))


class _Kept(dict[tuple[str, ...], DocumentPaths]):
    """The paths of one generation, by the folders that they are relative to."""


def document_paths(snapshot: Snapshot) -> DocumentPaths:
    """The paths of the documents of a snapshot."""
    kept, roots = snapshot.indexes.of_generation(snapshot.tx, _Kept), tuple(snapshot.roots)
    if roots not in kept:
        kept[roots] = DocumentPaths(snapshot.tx, roots)
    return kept[roots]


def documents_within(snapshot: Snapshot, patterns: Sequence[str], tests: Tests | None) -> Ids | None:
    """As `DocumentPaths.within`, None for all."""
    return document_paths(snapshot).within(patterns, tests) if patterns or tests else None


def triples_within(snapshot: Snapshot, patterns: Sequence[str], tests: Tests | None) -> Snapshot:
    """The snapshot in which only triples with evidence in such documents count."""
    ids = documents_within(snapshot, patterns, tests)
    return snapshot if ids is None else replace(snapshot, within=evidence_within(snapshot.tx, ids))
