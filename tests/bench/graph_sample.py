"""What a graph of one kind of documents holds, as rows to judge: each triple and entity with the text it comes from."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgements import Item

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import PHRASE, StoredChunk, Triple
from mcp_graphrag.ontology.past_tense import PAST_TENSE
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.document_rows import chunk_ids_of_document, chunks_by_id, recent_documents
from mcp_graphrag.store.rows.entity_rows import entity_labels
from mcp_graphrag.store.rows.mention_rows import mention_spans

EVERY = 1_000_000  # more than any of these graphs has
MOST_EXTRA = 6  # words by which a name may differ from the wording of a fact
AROUND = 110  # characters of text shown on each side of a mention
_ARTICLE = re.compile(r"^(the|a|an) ")


@dataclass(frozen=True)
class Held:
    """An item that a graph holds, with what a reader needs in order to judge it."""

    item: Item
    quote: str
    subject_type: str = ""
    object_type: str = ""
    confidence: float = 0.0
    extractor: str = ""
    rule: str = ""
    past: str = ""  # why the product does not take it for what holds today

    @property
    def row(self) -> dict[str, Any]:
        """The row of a sample, to be filled in with verdict and reason."""
        return {**vars(self.item), **{name: value for name, value in vars(self).items() if name != "item"}}


def held_triples(graph: Graph, folder: Path) -> list[Held]:
    """Every stored triple, with the document and quote of its most confident evidence."""
    page = graph.query_triples(TripleQuery(limit=EVERY, infer=False))
    return [_held(triple, folder) for triple in page.triples]


def _held(triple: Triple, folder: Path) -> Held:
    first = triple.evidence[0] if triple.evidence else None
    item = Item(
        "triple",
        folder.name,
        _name(first.source, folder) if first else "",
        triple.subject,
        triple.predicate,
        triple.object,
        _when(triple),
    )
    extractor = first.extractor if first else ""
    return Held(
        item,
        first.quote if first else "",
        triple.subject_type,
        triple.object_type,
        triple.confidence,
        extractor,
        str(triple.metadata.get("rule", triple.predicate)),
        PAST_TENSE if triple.is_over else "",
    )


def _when(triple: Triple) -> str:
    """The time in force of a triple, and the time that its metadata states."""
    days = [moment.date().isoformat() if moment else "" for moment in (triple.valid_from, triple.valid_to)]
    said = triple.metadata.get("when") or ""
    return " ".join(part for part in ("..".join(days) if any(days) else "", str(said)) if part)


def _name(source: str, folder: Path) -> str:
    path = Path(source.removeprefix("file://"))
    return path.relative_to(folder.resolve()).as_posix() if path.is_relative_to(folder.resolve()) else path.name


def held_entities(graph: Graph, folder: Path, triples: Iterable[Held]) -> list[Held]:
    """Every entity that a chunk mentions or a triple names, each with the text around its first mention."""
    with graph.reading() as snapshot:
        found = _mentioned(snapshot, folder)
    names = {(one.item.subject, one.item.object) for one in found}
    for held in triples:
        for name, type_ in ((held.item.subject, held.subject_type), (held.item.object, held.object_type)):
            if (name, type_) not in names and type_ != PHRASE:
                names.add((name, type_))
                found.append(Held(Item("entity", folder.name, held.item.document, name, "is a", type_), held.quote))
    return found


def _mentioned(snapshot: Snapshot, folder: Path) -> list[Held]:
    documents = recent_documents(snapshot.tx, limit=EVERY)
    ids = [chunk for document in documents for chunk in chunk_ids_of_document(snapshot.tx, document.id)]
    chunks = chunks_by_id(snapshot.tx, ids)
    first: dict[int, tuple[StoredChunk, int, int]] = {}
    for chunk_id, entity_id, start, end in sorted(mention_spans(snapshot.tx, ids)):
        first.setdefault(entity_id, (chunks[chunk_id], start, end))
    labels = entity_labels(snapshot.tx, first)
    return [
        Held(
            Item("entity", folder.name, _name(chunk.document.source, folder), label.name, "is a", label.type),
            _around(chunk, start, end),
        )
        for label, (chunk, start, end) in ((labels[entity_id], place) for entity_id, place in first.items())
    ]


def _around(chunk: StoredChunk, start: int, end: int) -> str:
    """The text around a span of the document, the span in double brackets."""
    start, end = start - chunk.start, end - chunk.start
    before, after = chunk.text[max(start - AROUND, 0) : start], chunk.text[end : end + AROUND]
    return f"{before}[[{chunk.text[start:end]}]]{after}"


def sample(held: Iterable[Held], *, size: int, seed: int) -> list[Held]:
    """At most `size` of them at random; the same ones again as long as they are held, whatever else is."""

    def rank(one: Held) -> str:
        item = one.item
        said = f"{seed}|{item.document}|{item.subject}|{item.predicate}|{item.object}"
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()

    return sorted(held, key=rank)[:size]


@dataclass(frozen=True)
class Fact:
    """A fact that a reader listed before any extraction; subject and object in each wording of the document.

    `form` says what kind of sentence states it.
    """

    kind: str
    document: str
    subject: Sequence[str]
    predicate: str
    object: Sequence[str]
    form: str
    quote: str


def fact_of(row: dict[str, Any], kind: str) -> Fact:
    """A fact from a row of a list; the time, where given, is one more wording of the object."""
    objects = [*row["object"], *([row["when"]] if row.get("when") else [])]
    return Fact(kind, row["document"], row["subject"], row["predicate"], objects, row["form"], row["quote"])


def stating(fact: Fact, triples: Iterable[Held], *, most: int) -> list[Held]:
    """The triples of the fact's document that link its subject and its object, either way round, to be judged.

    The first are those whose names come closest to the fact's.
    """
    found: list[tuple[int, Held]] = []
    for held in triples:
        first, second = held.item.subject, held.item.object
        most = EVERY if held.object_type == PHRASE else MOST_EXTRA
        linked = _linked(fact, first, second, most) or _linked(fact, second, first, most)
        if held.item.document != fact.document or not linked:
            continue
        said = " | ".join((held.item.subject, held.item.predicate, held.item.object, held.item.when)).removesuffix(
            " | "
        )
        item = Item("fact", fact.kind, fact.document, fact.subject[0], fact.predicate, fact.object[0], said)
        found.append((linked, Held(item, held.quote, held.subject_type, held.object_type)))
    found.sort(key=lambda pair: pair[0])
    return [held for _, held in found[:most]]


def _linked(fact: Fact, subject: str, object: str, most_extra: int) -> int:
    """1 where both names are those of the fact, more for each word that one has too many, 0 where one is another."""
    extra = (_extra(fact.subject, subject, most_extra), _extra(fact.object, object, most_extra))
    return 0 if None in extra else 1 + sum(one or 0 for one in extra)


def _extra(wordings: Iterable[str], name: str, most: int) -> int | None:
    """How many words a wording and the name differ by where one contains the other; None where none does.

    A name of more than `most` words more than the wording, as the path of a heading, is not one for it.
    """
    mine = _normal(name)
    differ = [
        abs(len(mine.split()) - len(said.split()))
        for said in map(_normal, wordings)
        if said and mine and (f" {said} " in f" {mine} " or f" {mine} " in f" {said} ")
    ]
    return min((words for words in differ if words <= most), default=None)


def _normal(name: str) -> str:
    return _ARTICLE.sub("", re.sub(r"[\W_]+", " ", name.lower()).strip())
