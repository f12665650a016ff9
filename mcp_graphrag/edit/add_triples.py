"""Triples that a caller adds: all checked first, then stored with the caller as their source."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.clean_input import MAX_NAME, MAX_PREDICATE, check_line, clean_line
from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.edit.index_text import embed_entities
from mcp_graphrag.edit.normalize_candidates import (
    check_domain_and_range,
    check_vocabulary,
    placeholders_of,
    with_event_dates,
)
from mcp_graphrag.errors import BadInput
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.model import Candidate, Ids, Triple
from mcp_graphrag.ontology.map_predicates import Mapped, canonical_predicate, canonical_type, map_predicate, meaning_of
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.past_tense import Statement, is_over
from mcp_graphrag.resolve.callers_names import settle_homonyms
from mcp_graphrag.resolve.detect_conflicts import NOTHING, end_superseded, record_contradictions
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import AGENT, Group, resolve_names
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.engine.columns import optional_id_column, text_column
from mcp_graphrag.store.rows.citations import CITATION, CitedText, resolve_citation
from mcp_graphrag.store.rows.conflict_rows import Contradictions
from mcp_graphrag.store.rows.document_rows import find_document, to_json
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, added_triple, predicates
from mcp_graphrag.store.rows.triple_rows import add_triples as add_triple_rows

Place: TypeAlias = tuple[int, int, int] | tuple[None, None, None]  # chunk id, start and end in the document
NO_PLACE: Place = (None, None, None)
MAX_QUOTE = 10_000
MAX_SOURCE = 2_500
MAX_METADATA = 20_000


@dataclass(frozen=True)
class Understood:
    """A predicate that is stored under another name or turned, with what one of its triples means."""

    given: str
    stored: str
    swapped: bool
    meaning: str


@dataclass(frozen=True)
class AddedTriples:
    """The ids of triples that were added, in order, and whether each is new.

    `conflicts` are those that they cause, `ended` are the stored triples that they have ended. `understood` are
    the predicates that were changed, each once. `refused` says why triples with a placeholder as an end were left out.
    `only` is the triple as it is stored, where there is one, which is new and cites no chunk.
    """

    triple_ids: Sequence[int]
    is_new: Sequence[bool]
    entities_added: int
    conflicts: Contradictions
    ended: Sequence[int]
    understood: Sequence[Understood]
    refused: Sequence[str]
    only: Triple | None

    @property
    def added(self) -> int:
        """How many different triples are new."""
        return len({triple_id for triple_id, new in zip(self.triple_ids, self.is_new, strict=True) if new})


@dataclass(frozen=True)
class _Given:
    """Names as they are stored, each once, and the places among them of the two of each triple: shape (triples, 2).

    To look up the names themselves again and again would take most of the time of a large load.
    """

    names: Sequence[Named]
    ends: Ids


@dataclass(frozen=True)
class _Ends:
    """The ids of the subject and the object of each triple, and the names given to them where these are not their own.

    Both arrays have shape (triples, 2). `fresh` and `labels` are as of `ResolvedNames`.
    """

    ids: Ids
    names: NDArray[np.object_]
    fresh: Sequence[tuple[int, str]]
    labels: Mapping[int, EntityLabel]


@gc_paused()
def add_triples(write: Write, candidates: Sequence[Candidate], *, replaces: bool, strict: bool) -> AddedTriples:
    """Store the triples, all or none but those that name nothing; what they contradict is recorded and stays in force.

    With `replaces`, a triple in force with the same subject and predicate, or what is its inverse, and another object
    ends where the new one begins, or now. With `strict`, triples outside the ontologies in force are refused.

    A `source` that names a stored document, by uri or citation, links the triple to the chunk that contains its quote.
    Raises BadInput for a triple that cannot be stored, naming it by its number from 1.
    """
    tx, ontology = write.tx, write.ontology
    told, candidates = candidates, with_event_dates(candidates)
    given, mapped = _clean(candidates, ontology, predicates(tx), strict=strict)
    refused = placeholders_of(candidates) if any(is_placeholder(name) for name, _ in given.names) else {}
    if refused and len(refused) == len(candidates):
        fact, _, hint = refused[0].partition("; ")
        raise BadInput(f"{fact}.", hint.capitalize())
    if refused:
        kept = [position for position in range(len(candidates)) if position not in refused]
        told, candidates = [told[position] for position in kept], [candidates[position] for position in kept]
        given = replace(given, ends=given.ends[kept])
    cited = _cited(tx, candidates)
    places: Sequence[Place] = [NO_PLACE] * len(candidates)
    if cited:
        places = [_place(cited, triple, number) for number, triple in enumerate(candidates, start=1)]
    meant = [mapped[triple.predicate] for triple in candidates]
    stored = [predicate for predicate, _ in meant]
    if strict:
        ends = zip(*([given.names[int(at)] for at in column] for column in given.ends.T), strict=True)
        check_vocabulary(
            [(one, predicate, other) for (one, other), predicate in zip(ends, stored, strict=True)], ontology
        )
    swapped = np.array([swap for _, swap in meant], dtype=np.bool_)
    given.ends[swapped] = given.ends[swapped, ::-1]
    tx.expected = ["triple_id", "evidence_id"] if len(candidates) == 1 else ()
    ends = _ends(tx, given, [chunk_id for chunk_id, _, _ in places])
    if strict:
        check_domain_and_range(tx, ends.ids.tolist(), stored, ontology)
    rows = _rows(tx, candidates, stored, places, ends)
    rows, renewed = end_superseded(tx, ontology, rows) if replaces else (rows, NOTHING)
    placed = add_triple_rows(tx, rows, AGENT, new_entities={entity_id for entity_id, _ in ends.fresh})
    conflicts = record_contradictions(tx, ontology, rows, placed, renewed)
    embed_entities(tx, write.embedders.static, ends.fresh)
    return AddedTriples(
        *(placed.triple_ids.tolist(), placed.is_new.tolist(), len(ends.fresh), conflicts, renewed[0].tolist()),
        list(_understood(told, candidates, mapped)),
        list(dict.fromkeys(refused.values())),
        _only(tx, placed.only, ends.labels, stored[0]) if placed.only else None,
    )


def _ends(tx: Writer, given: _Given, chunk_ids: Sequence[int | None]) -> _Ends:
    """The entities of triples that cite these chunks; missing ones are added."""
    uses = given.ends + (1 + optional_id_column(chunk_ids)[:, None]) * len(given.names)  # of a name beside a chunk
    _, firsts, group = np.unique(uses, return_index=True, return_inverse=True)
    places: list[int] = given.ends.ravel()[firsts].tolist()
    rows: list[int] = (firsts // 2).tolist()
    cited = [(given.names[at], chunk_ids[row]) for at, row in zip(places, rows, strict=True)]
    order: list[int] = np.argsort(firsts).tolist()
    settled = settle_homonyms(tx, [cited[at] for at in order])
    wanted = sorted({at for at, one in zip(places, cited, strict=True) if one not in settled})
    resolved = resolve_names(tx, [Group([given.names[at] for at in wanted])], AGENT)
    ids = [settled.get(one) or resolved.ids[0][one[0]] for one in cited]
    renamed = resolved.renamed[0]
    others = [named[0] if named in renamed and (named, chunk) not in settled else None for named, chunk in cited]
    group = group.reshape(uses.shape)
    return _Ends(np.array(ids, dtype=np.int64)[group], text_column(others)[group], resolved.fresh, resolved.labels)


def _rows(
    tx: Writer, candidates: Sequence[Candidate], stored: Sequence[str], places: Sequence[Place], ends: _Ends
) -> TripleRows:
    """The triples, given with their predicates as they are stored, as rows; their predicates are added."""
    predicate_ids = add_predicates(tx, stored)
    surfaces = [
        given.surface or (given.predicate if given.predicate != predicate else None)
        for given, predicate in zip(candidates, stored, strict=True)
    ]
    return TripleRows(
        ends.ids[:, 0],
        [predicate_ids[predicate] for predicate in stored],
        ends.ids[:, 1],
        [given.confidence for given in candidates],
        [given.quote.strip() or None if given.quote else None for given in candidates],
        [chunk_id for chunk_id, _, _ in places],
        [start for _, start, _ in places],
        [end for _, _, end in places],
        surfaces,
        [given.source for given in candidates],
        [given.valid_from for given in candidates],
        [given.valid_to for given in candidates],
        [to_json(given.metadata) if given.metadata else None for given in candidates],
        ends.names[:, 0].tolist(),
        ends.names[:, 1].tolist(),
        [
            bool(surface or given.quote) and is_over(Statement.of(given, predicate, surface))
            for given, predicate, surface in zip(candidates, stored, surfaces, strict=True)
        ],
    )


def _only(tx: Writer, values: Mapping[str, Any], labels: Mapping[int, EntityLabel], predicate: str) -> Triple | None:
    """The triple that was just added, None if it has a chunk. `labels` are those of some entities."""
    others = {values["subject_id"], values["object_id"]}.difference(labels)
    return added_triple(tx, values, {**labels, **entity_labels(tx, others)}, predicate)


def _understood(
    told: Sequence[Candidate], candidates: Sequence[Candidate], mapped: Mapping[str, Mapped]
) -> Iterator[Understood]:
    """The predicates that another spelling does not account for, each with its first triple as example."""
    firsts: dict[tuple[str, str], Candidate] = {}
    for first, given in zip(told, candidates, strict=True):
        if (first.predicate, given.predicate) not in firsts:
            firsts[first.predicate, given.predicate] = given
    seen: set[tuple[str, str]] = set()
    for (was, changed), given in firsts.items():
        predicate, swap = mapped[changed]
        name = canonical_predicate(was)
        if (name, predicate) not in seen and (swap or predicate != name):
            seen.add((name, predicate))
            subject, object_ = (given.object, given.subject) if swap else (given.subject, given.object)
            meaning = meaning_of(subject, predicate, object_)
            yield Understood(was.strip(), predicate, swap, meaning)


def _clean(
    candidates: Sequence[Candidate], ontology: Ontology, stored: Collection[str], *, strict: bool
) -> tuple[_Given, dict[str, Mapped]]:
    """Names, and predicates by those given, as they are stored. Raises BadInput for the first invalid triple."""
    # Names repeat a lot, so a name is checked once; an error names the first triple that has it.
    numbers: dict[Named, int] = {}
    names: dict[Named, int] = {}
    predicates: dict[str, str] = {}
    ends: list[int] = []
    for number, triple in enumerate(candidates, start=1):
        subject, object_ = (triple.subject, triple.subject_type), (triple.object, triple.object_type)
        if subject not in numbers:
            named = _named(subject, "subject", number, ontology)
            numbers[subject] = names.setdefault(named, len(names))
        if object_ not in numbers:
            named = _named(object_, "object", number, ontology)
            numbers[object_] = names.setdefault(named, len(names))
        ends += numbers[subject], numbers[object_]
        if triple.predicate not in predicates:
            predicates[triple.predicate] = _predicate(triple.predicate, number)
        _check_rest(triple, number)
    raws = {clean: given for given, clean in predicates.items()}
    mapped = {clean: map_predicate(raw, ontology, strict=strict, stored=stored) for clean, raw in raws.items()}
    given = _Given(list(names), np.array(ends, dtype=np.int64).reshape(-1, 2))
    return given, {raw: mapped[clean] for raw, clean in predicates.items()}


def _predicate(predicate: str, number: int) -> str:
    found = canonical_predicate(_line(predicate, "predicate", number, MAX_PREDICATE))
    if not found:
        raise BadInput(
            f"The predicate of triple {number} has no letter or digit.", "Name a relation, as in depends_on."
        )
    return found


def _check_rest(triple: Candidate, number: int) -> None:
    if not 0 <= triple.confidence <= 1:
        raise BadInput(f"The confidence of triple {number} is {triple.confidence}.", "It is a number from 0 to 1.")
    if triple.valid_from and triple.valid_to and triple.valid_from >= triple.valid_to:
        span = f"valid_from ({triple.valid_from:%Y-%m-%d}) is not before valid_to ({triple.valid_to:%Y-%m-%d})"
        raise BadInput(
            f"In triple {number} {span}.", "Swap them; valid_to is the first moment at which it no longer holds."
        )
    if triple.source:
        check_line(triple.source, f"source of triple {number}", limit=MAX_SOURCE)
    if triple.metadata and len(to_json(triple.metadata)) > MAX_METADATA:
        raise BadInput(
            f"The metadata of triple {number} has more than {MAX_METADATA} characters.",
            "Ingest long texts as documents and cite them.",
        )
    if triple.quote and len(triple.quote) > MAX_QUOTE:
        raise BadInput(
            f"The quote of triple {number} has {len(triple.quote)} characters.", f"Quote at most {MAX_QUOTE}."
        )


def _line(name: str, what: str, number: int, limit: int) -> str:
    return clean_line(
        name,
        f"{what} of triple {number}",
        limit=limit,
        if_empty="A triple needs a subject, a predicate and an object.",
        if_long="Give it a short name and put the rest into quote or metadata.",
    )


def _named(given: Named, what: str, number: int, ontology: Ontology) -> Named:
    name, type_ = _line(given[0], what, number, MAX_NAME), given[1]
    if not type_ or not type_.strip():
        return name, None
    return name, canonical_type(_line(type_, "type", number, MAX_PREDICATE), ontology)


def _cited(tx: Reader, triples: Sequence[Candidate]) -> dict[str, CitedText]:
    """The stored documents among the sources of triples; each is read once, however many triples cite it."""
    cited: dict[str, CitedText] = {}
    for source in {triple.source for triple in triples if triple.source}:
        form = CITATION.fullmatch(source.strip())
        if find_document(tx, form["uri"] if form else source.strip()) is not None:
            cited[source] = resolve_citation(tx, source)
    return cited


def _place(sources: Mapping[str, CitedText], triple: Candidate, number: int) -> Place:
    """The chunk and the span of a triple's quote, where its source is a stored document."""
    cited = sources.get(triple.source or "")
    if cited is None:
        return NO_PLACE
    replaced = cited.document.retired_at is not None
    if not triple.quote:
        # The uri of a document names no chunk, unless there is only one.
        whole = (cited.start, cited.end) == (0, cited.document.length) and len(cited.chunks) != 1
        return NO_PLACE if whole or replaced else (cited.chunks[0].id, cited.start, cited.end)
    quote = triple.quote.strip()
    at = cited.text.find(quote)
    if at < 0:
        raise BadInput(
            f"The quote of triple {number} is not in {triple.source:.200}.",
            "Copy it from the text that `get_source` returns, or leave quote out.",
        )
    if replaced:
        return NO_PLACE  # its source names the version of the document that has the quote
    start = cited.start + at
    chunk = next(chunk for chunk in cited.chunks if chunk.start <= start < chunk.end)
    return chunk.id, start, start + len(quote)
