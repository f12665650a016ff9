"""Triples that a caller adds: all checked first, then stored with the caller as their source."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from mcp_graphrag.clean_input import MAX_NAME, MAX_PREDICATE, check_line, clean_line
from mcp_graphrag.edit.embed_names import embed_entities
from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.edit.normalize_candidates import (
    TripleArrays,
    check_domain_and_range,
    check_vocabulary,
    normalize_triples,
    normalize_types,
)
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, Ids, StoredChunk
from mcp_graphrag.ontology.map_predicates import canonical_predicate, canonical_type
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.detect_conflicts import NOTHING, end_superseded, record_contradictions
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import AGENT, Group, resolve_names
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import CITATION, CitedText, resolve_citation
from mcp_graphrag.store.rows.conflict_rows import NO_CONTRADICTIONS, Contradictions
from mcp_graphrag.store.rows.document_rows import find_document, to_json
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates
from mcp_graphrag.store.rows.triple_rows import add_triples as add_triple_rows

Given = TypeVar("Given", bound=Hashable)
Clean = TypeVar("Clean", bound=Hashable)

MAX_QUOTE = 10_000
MAX_SOURCE = 2_500
MAX_METADATA = 20_000


@dataclass(frozen=True)
class AddedTriples:
    """The ids of triples that were added, in order, and whether each is new.

    `conflicts` are those that they cause, `superseded` counts the stored triples that they have ended.
    """

    triple_ids: Sequence[int]
    is_new: Sequence[bool]
    entities_added: int
    conflicts: Contradictions = NO_CONTRADICTIONS
    superseded: int = 0

    @property
    def added(self) -> int:
        """How many different triples are new."""
        return len({triple_id for triple_id, new in zip(self.triple_ids, self.is_new, strict=True) if new})


def add_triples(
    write: Write,
    candidates: Sequence[Candidate],
    *,
    supersede: bool = False,
    strict: bool = False,
) -> AddedTriples:
    """Store the triples, all or none; what they contradict is recorded and stays in force.

    With `supersede`, a triple in force with the same subject, a functional predicate and another object ends where the
    new one begins, or now. With `strict`, triples outside the ontologies in force are refused.

    A `source` that names a stored document, by uri or citation, links the triple to the chunk that contains its quote.
    Raises BadInput for a triple that cannot be stored, naming it by its number from 1.
    """
    with gc_paused():
        return _add(write, candidates, supersede=supersede, strict=strict)


def _add(write: Write, candidates: Sequence[Candidate], *, supersede: bool, strict: bool) -> AddedTriples:
    tx, ontology = write.tx, write.ontology
    clean = _clean(candidates)
    places = _places(tx, candidates)
    checked = _normalized(clean, ontology, strict=strict)
    resolved = resolve_names(tx, [Group(checked.names)], AGENT)
    ids = np.array([resolved.ids[0][named] for named in checked.names], dtype=np.int64)
    if strict:
        check_domain_and_range(tx, checked.arrays(ids), ontology)
    predicates = add_predicates(tx, checked.predicates)
    predicate_ids = np.array([predicates[name] for name in checked.predicates], dtype=np.int64)
    rows = TripleRows(
        ids[checked.subjects],
        predicate_ids[checked.relations],
        ids[checked.objects],
        [triple.confidence for triple in candidates],
        [triple.quote.strip() or None if triple.quote else None for triple in candidates],
        [place and place.chunk.id for place in places],
        [place and place.start for place in places],
        [place and place.end for place in places],
        [triple.surface or checked.surfaces[triple.predicate] for triple in candidates],
        [triple.source for triple in candidates],
        [triple.valid_from for triple in candidates],
        [triple.valid_to for triple in candidates],
        [to_json(triple.metadata) if triple.metadata else None for triple in candidates],
        *_aliases_used(checked, resolved.renamed[0]),
    )
    rows, renewed = end_superseded(tx, ontology, rows) if supersede else (rows, NOTHING)
    placed = add_triple_rows(tx, rows, AGENT)
    conflicts = record_contradictions(tx, ontology, rows, placed, renewed)
    embed_entities(tx, write.embedder, resolved.fresh)
    ids = placed.triple_ids.tolist()
    return AddedTriples(ids, placed.is_new.tolist(), len(resolved.fresh), conflicts, len(renewed[0]))


def _normalized(checked: "Checked", ontology: Ontology, *, strict: bool) -> "Checked":
    """The triples with the predicates and types of the ontology. With `strict`, raises BadInput for others."""
    raws = {canonical_predicate(given): given for given in checked.surfaces}
    arrays = normalize_triples(checked.arrays(), raws, ontology, strict=strict)
    if strict:
        check_vocabulary(arrays, checked.names, ontology)
    stored = dict(zip(checked.predicates, arrays.predicates, strict=True))
    return Checked(
        normalize_types(checked.names, ontology),
        arrays.predicates,
        arrays.subjects,
        arrays.relations,
        arrays.objects,
        {given: given if given != stored[canonical_predicate(given)] else None for given in checked.surfaces},
    )


def _aliases_used(checked: "Checked", renamed: frozenset[Named]) -> tuple[list[str | None], list[str | None]]:
    """The aliases that triples use for their subjects and objects, None for an entity's own name."""
    if not renamed:
        return [], []
    aliases = [named[0] if named in renamed else None for named in checked.names]
    return [aliases[at] for at in checked.subjects.tolist()], [aliases[at] for at in checked.objects.tolist()]


@dataclass(frozen=True)
class Checked:
    """Triples with clean names, types and predicates, without duplicates of these.

    `subjects` and `objects` are positions in `names`, `relations` in `predicates`, one per triple. `surfaces` maps a
    predicate as given to itself, or to None if it is the clean one.
    """

    names: Sequence[Named]
    predicates: Sequence[str]
    subjects: Ids
    relations: Ids
    objects: Ids
    surfaces: Mapping[str, str | None]

    def arrays(self, ids: Ids | None = None) -> TripleArrays:
        """The triples with subjects and objects as positions in `names` or, given the ids of these, as entity ids."""
        subjects, objects = (self.subjects, self.objects) if ids is None else (ids[self.subjects], ids[self.objects])
        return TripleArrays(self.predicates, subjects, self.relations, objects)


def _clean(candidates: Sequence[Candidate]) -> Checked:
    # Names repeat a lot, so a name is checked once; an error names the first triple that has it.
    names = _Distinct[Named, Named]()
    predicates = _Distinct[str, str]()
    subjects: list[int] = []
    relations: list[int] = []
    objects: list[int] = []
    known_names, known_predicates = names.known.get, predicates.known.get
    for number, triple in enumerate(candidates, start=1):
        given = (triple.subject, triple.subject_type)
        position = known_names(given)
        subjects.append(names.add(given, _named(given, "subject", number)) if position is None else position)
        given = (triple.object, triple.object_type)
        position = known_names(given)
        objects.append(names.add(given, _named(given, "object", number)) if position is None else position)
        position = known_predicates(triple.predicate)
        if position is None:
            position = predicates.add(triple.predicate, _predicate(triple.predicate, number))
        relations.append(position)
        if triple.confidence != 1.0 or triple.valid_to or triple.quote or triple.source or triple.metadata:
            _check_rest(triple, number)
    return Checked(
        names.distinct,
        predicates.distinct,
        np.array(subjects, dtype=np.int64),
        np.array(relations, dtype=np.int64),
        np.array(objects, dtype=np.int64),
        {given: given if given != predicates.distinct[at] else None for given, at in predicates.known.items()},
    )


class _Distinct(Generic[Given, Clean]):
    """Values as given, and their clean forms without duplicates; `known` maps the former to positions of the latter."""

    def __init__(self) -> None:
        self.known: dict[Given, int] = {}
        self.distinct: list[Clean] = []
        self._positions: dict[Clean, int] = {}

    def add(self, given: Given, clean: Clean) -> int:
        """The position of a clean form; several values may have the same."""
        position = self._positions.setdefault(clean, len(self.distinct))
        if position == len(self.distinct):
            self.distinct.append(clean)
        self.known[given] = position
        return position


def _named(given: Named, what: str, number: int) -> Named:
    return _line(given[0], what, number, MAX_NAME), _type(given[1], number)


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


def _type(type_: str | None, number: int) -> str | None:
    return canonical_type(_line(type_, "type", number, MAX_PREDICATE)) if type_ and type_.strip() else None


@dataclass(frozen=True)
class CitedSpan:
    """The evidence of a triple: the chunk, and the span of the quote in the document."""

    chunk: StoredChunk
    start: int
    end: int


def _places(tx: Reader, triples: Sequence[Candidate]) -> list[CitedSpan | None]:
    sources = {triple.source for triple in triples if triple.source}
    # A document is read once, however many triples cite it.
    cited = {source: resolve_citation(tx, source) for source in sources if _is_document(tx, source)}
    return [
        _place(cited[triple.source], triple, number) if triple.source in cited else None
        for number, triple in enumerate(triples, start=1)
    ]


def _is_document(tx: Reader, source: str) -> bool:
    form = CITATION.fullmatch(source.strip())
    return find_document(tx, form["uri"] if form else source.strip()) is not None


def _place(cited: CitedText, triple: Candidate, number: int) -> CitedSpan | None:
    if not triple.quote:
        # The uri of a document names no chunk, unless there is only one.
        whole = (cited.start, cited.end) == (0, cited.document.length) and len(cited.chunks) > 1
        return None if whole or not cited.chunks else CitedSpan(cited.chunks[0], cited.start, cited.end)
    quote = triple.quote.strip()
    at = cited.text.find(quote)
    if at < 0:
        raise BadInput(
            f"The quote of triple {number} is not in {(triple.source or '')[:200]}.",
            "Copy it from the text that `get_source` returns, or leave quote out.",
        )
    start = cited.start + at
    chunk = next(chunk for chunk in cited.chunks if chunk.start <= start < chunk.end)
    return CitedSpan(chunk, start, start + len(quote))
