"""Triples of source code dated by git: each holds since the date of the commit that brought the first of its lines.

What stands in lines that are older than the commits that are read, or in none, has no date.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from mcp_graphrag.errors import GraphragError, PartMissing
from mcp_graphrag.extract import CodeExtractor, Extractor
from mcp_graphrag.git_history.checkout import find_checkout
from mcp_graphrag.git_history.line_dates import NOT_COMMITTED, LineDates, line_dates
from mcp_graphrag.jobs.store_extractions import Extracted
from mcp_graphrag.jobs.watch_folders import path_of
from mcp_graphrag.model import GIT_HISTORY, Candidate, Document
from mcp_graphrag.settings import Settings
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import language_of
from mcp_graphrag.source_code.sql import SQL
from mcp_graphrag.store.rows.document_rows import files_by_type


def with_dates(
    graph: GraphFile, extractor: Extractor, extracted: Sequence[Extracted], warnings: list[str]
) -> Sequence[Extracted]:
    """What the extractor of code found, dated in repositories whose history is stored or to be stored.

    What keeps git from telling dates is a warning, given once.
    """
    if not isinstance(extractor, CodeExtractor):
        return extracted
    files = {uri: each for each in extracted if (uri := each.text.document.uri).startswith("file:")}
    with graph.reading() as snapshot:
        histories = files_by_type(snapshot.tx, [GIT_HISTORY], "")
    tops = tuple({uri.partition("?")[0].removeprefix("git+") + "/" for uri, *_ in histories})
    documents = {
        path_of(uri): each.text.document
        for uri, each in files.items()
        if each.text.document.history_roots != () or uri.startswith(tops)
    }
    dates = dict(_dates(documents, graph.settings, warnings))
    dated = {uri: _dated(each, dates[path]) for uri, each in files.items() if (path := path_of(uri)) in dates}
    return [dated.get(each.text.document.uri, each) for each in extracted]


def _dates(
    documents: Mapping[Path, Document], settings: Settings, warnings: list[str]
) -> Iterator[tuple[Path, LineDates]]:
    """The dates of the lines of files, in whichever repositories they are."""
    stored_roots = [Path(root).expanduser() for root in settings.roots] or None
    below = defaultdict[Path, list[Path]](list)
    for path in documents:
        if top := next((folder for folder in path.parents if (folder / ".git").exists()), None):
            below[top].append(path)
    for top, paths in below.items():
        try:
            roots = documents[paths[0]].history_roots
            checkout = find_checkout(top, stored_roots if roots == () else roots)
            own = {
                path.relative_to(checkout.folder).as_posix(): documents[path].text
                for path in paths
                if path.is_relative_to(checkout.folder)
            }
            for path, dates in line_dates(checkout, settings.git_commits, settings.git_days, own):
                yield checkout.folder / path, dates
        except PartMissing as error:
            if (warning := f"Some triples of source code have no date. {error}") not in warnings:
                warnings.append(warning)
        except GraphragError:
            pass  # the receipt says why no history is read


def _dated(extracted: Extracted, dates: LineDates) -> Extracted:
    """What was found in a file of which the lines have these dates."""
    text = extracted.text
    begins = [0, *(at + 1 for at, character in enumerate(text.document.text) if character == "\n")]
    first: dict[tuple[str, str, str], datetime | None] = {}
    for chunk, extraction in zip(text.chunks, extracted.extractions, strict=True):
        for triple in extraction.triples:
            date = dates[bisect_right(begins, chunk.start + (triple.start or 0)) - 1]
            said = triple.subject, triple.predicate, triple.object
            known = first.get(said, NOT_COMMITTED)
            first[said] = min(known, date) if known and date else None

    def since(triple: Candidate) -> Candidate:
        date = first[triple.subject, triple.predicate, triple.object]
        is_known = date not in {None, NOT_COMMITTED} and _is_own(triple, text.document.media_type)
        return replace(triple, valid_from=date) if is_known else triple

    return extracted._replace(
        extractions=[
            replace(each, triples=[since(triple) for triple in each.triples]) for each in extracted.extractions
        ]
    )


def _is_own(triple: Candidate, media_type: str) -> bool:
    """Whether no other file says the same of the same thing, with another date: names of SQL are those of all files."""
    types = triple.subject_type, triple.object_type
    language = language_of(media_type)
    if language is None:
        return media_type != SQL or "Module" in types
    return not (triple.predicate == "contains" and language.plain) and (language.family, types[0]) != ("go", "Module")
