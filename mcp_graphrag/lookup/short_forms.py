"""Names and citations as short as they can still be looked up: `ask.gather_context`, `search/ask.py:85-99`."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.document_paths import FILE, shown_path
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import CITATION
from mcp_graphrag.store.rows.document_rows import file_uri_bounds, find_documents, text_of_document, titles_once
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels

CODE_TYPES = frozenset({"Module", "Class", "Function", "Method", "Variable"})
NamedType: TypeAlias = tuple[str, str]  # an entity's name and type
MAX_URI = 40  # characters of the uri of a text that is shown in place of its title


@dataclass(frozen=True)
class Place:
    """Where a cited span is: the short name of its document, and its first and last line, from 1; 0 for all of it."""

    document: str
    first: int
    last: int

    def __str__(self) -> str:
        return self.at(self.first, self.last) if self.first else self.document

    def at(self, first: int, last: int = 0) -> str:
        """A line or a range of lines of the document."""
        return f"{self.document}:{first}" if last <= first else f"{self.document}:{first}-{last}"


def short_names(snapshot: Snapshot, named: Collection[NamedType]) -> dict[NamedType, str]:
    """The names of entities, given with their types: of code the shortest end that no other has, of homonyms typed."""
    norms = {each: normal_form(_last(*each)) for each in named}
    found = snapshot.entities_named(sorted(set(norms.values())), in_documents=True)
    labels = entity_labels(snapshot.tx, {one for same in found.values() for one, _ in same})
    return {
        each: _shortest(*each, [(labels[one], alias) for one, alias in found.get(norm, ()) if one in labels])
        for each, norm in norms.items()
    }


def _last(name: str, type_: str) -> str:
    return name.rpartition(".")[2] if type_ in CODE_TYPES else name


def _shortest(name: str, type_: str, called: Sequence[tuple[EntityLabel, bool]]) -> str:
    """The shortest form of a name, given what is called by its last part, with whether only as an alias."""
    if type_ not in CODE_TYPES or "." not in name:
        is_homonym = len({each.type for each, alias in called if not alias} | {type_}) > 1
        return f"{name} ({type_})" if is_homonym and type_ else name
    others = [each.name for each, _ in called if each.name != name]
    folder, _, inside = name.rpartition("/")  # "github.com/shop" is no end of a name
    if folder and (type_ == "Module" or "." not in inside):
        return name
    parts = inside.split(".")
    endings = (".".join(parts[-length:]) for length in range(1, len(parts) + bool(folder)))
    unique = (end for end in endings if not any(re.search(rf"(?:\A|[./]){re.escape(end)}\Z", each) for each in others))
    return next(unique, name)


def places(snapshot: Snapshot, citations: Iterable[str]) -> dict[str, Place]:
    """Where cited spans, or by their uri whole documents, in force are. Files are named below the snapshot's folders.

    Others are below the folder that all stored files are in; texts have their uri or, where that is long, their title.
    """
    spans = {each: CITATION.fullmatch(each) for each in citations}
    uris = {each: found["uri"] if found else each for each, found in spans.items()}
    documents = find_documents(snapshot.tx, sorted(set(uris.values())))
    long = [each.title for uri, each in documents.items() if not uri.startswith(FILE) and len(uri) > MAX_URI]
    titles = titles_once(snapshot.tx, long) if long else frozenset[str]()
    is_outside = any(not _is_below(uri, snapshot.roots) for uri in documents if uri.startswith(FILE))
    common = _common_folder(*file_uri_bounds(snapshot.tx)) if is_outside else ""
    texts: dict[int, str] = {}
    placed: dict[str, Place] = {}
    for citation, found in spans.items():
        if (document := documents.get(uris[citation])) is None:
            continue
        folders = snapshot.roots if _is_below(document.uri, snapshot.roots) else [common]
        path = shown_path(document.uri, folders)
        name = path if path.isprintable() else document.uri  # of a file with a line break in its name
        name = " ".join(document.title.split()) if document.title in titles else name
        if found is None:
            placed[citation] = Place(name, 0, 0)
            continue
        if document.id not in texts:
            texts[document.id] = text_of_document(snapshot.tx, document.id)
        text, start, end = texts[document.id], int(found["start"]), int(found["end"])
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        first = text.count("\n", 0, start) + 1
        placed[citation] = Place(name, first, first + text.count("\n", start, end))
    return placed


def _is_below(uri: str, folders: Iterable[str]) -> bool:
    return any(uri.startswith(f"{each}/") for each in folders)


def _common_folder(first: str, last: str) -> str:
    """The folder that all of sorted uris are in, given the first and the last of them."""
    length = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: first.rfind("/", 0, length)]
