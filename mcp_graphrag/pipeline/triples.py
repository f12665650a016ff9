"""Triples that a caller asserts: checked whole, then stored with the caller as their provenance."""

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

import numpy as np

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, Ids, Origin, StoredChunk
from mcp_graphrag.pipeline.conflicts import NOTHING, end_replaced, record_new
from mcp_graphrag.pipeline.embed import embed_entities
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.pipeline.undisturbed import undisturbed
from mcp_graphrag.pipeline.vocabulary import Said, as_stored, check_ends, check_words, spelled
from mcp_graphrag.resolve.entities import Group, Named, resolve_names
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import canonical_predicate, canonical_type
from mcp_graphrag.store import Reader
from mcp_graphrag.store.citation import FORM, Cited, find_cited
from mcp_graphrag.store.conflicts import NO_CONTRADICTIONS, Contradictions
from mcp_graphrag.store.documents import find_document, to_json
from mcp_graphrag.store.triples import TripleRows, add_predicates, add_triples

Given = TypeVar("Given", bound=Hashable)
Clean = TypeVar("Clean", bound=Hashable)

CALLER = "agent"
LONGEST_NAME = 500
LONGEST_PREDICATE = 100
LONGEST_QUOTE = 10_000
LONGEST_SOURCE = 2_500
LONGEST_METADATA = 20_000
# Control characters, lone surrogates, and marks that turn the direction of writing.
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
DATE = re.compile(r"(\d{4})(?:-(\d{2}))?")


@dataclass(frozen=True)
class Asserted:
    """What became of asserted triples: one id and one flag per triple offered, in order.

    `conflicts` are those that they were found to be in, `superseded` counts the triples that they have ended.
    """

    triple_ids: Sequence[int]
    is_new: Sequence[bool]
    entities_added: int
    conflicts: Contradictions = NO_CONTRADICTIONS
    superseded: int = 0

    @property
    def added(self) -> int:
        """How many different triples are new."""
        return len({each for each, new in zip(self.triple_ids, self.is_new, strict=True) if new})


def assert_triples(
    pipeline: Pipeline,
    candidates: Sequence[Candidate],
    origin: Origin,
    *,
    extractor: str = CALLER,
    supersede: bool = False,
) -> Asserted:
    """Store the triples in one transaction, all or none; what they contradict is recorded and stays in force.

    With `supersede`, a triple in force with the same subject, a functional predicate and another object ends where the
    new one begins, or now.

    A `source` that names a stored document, by uri or citation, links the triple to the chunk that holds its quote.
    Raises BadInput for a triple that cannot be stored, naming it by its number from 1; then nothing is stored.
    """
    with undisturbed():
        return _assert(pipeline, candidates, origin, extractor, supersede=supersede)


def _assert(
    pipeline: Pipeline, candidates: Sequence[Candidate], origin: Origin, extractor: str, *, supersede: bool
) -> Asserted:
    given = _checked(candidates)
    with pipeline.writing(origin) as tx:
        places = _places(tx, candidates)
        ontology = pipeline.ontology(tx)
        checked = _in_words(given, ontology, strict=pipeline.settings.strict)
        resolved = resolve_names(tx, [Group(checked.names)], extractor)
        ids = np.array([resolved.ids[0][named] for named in checked.names], dtype=np.int64)
        if pipeline.settings.strict:
            check_ends(tx, checked.said(ids), ontology)
        predicates = add_predicates(tx, checked.predicates)
        predicate_ids = np.array([predicates[name] for name in checked.predicates], dtype=np.int64)
        rows = TripleRows(
            ids[checked.subjects],
            predicate_ids[checked.relations],
            ids[checked.objects],
            [each.confidence for each in candidates],
            [each.quote.strip() or None if each.quote else None for each in candidates],
            [place and place.chunk.id for place in places],
            [place and place.start for place in places],
            [place and place.end for place in places],
            [each.surface or checked.surfaces[each.predicate] for each in candidates],
            [each.source for each in candidates],
            [each.valid_from for each in candidates],
            [each.valid_to for each in candidates],
            [to_json(each.metadata) if each.metadata else None for each in candidates],
            *_names_said(checked, resolved.renamed[0]),
        )
        rows, renewed = end_replaced(tx, ontology, rows) if supersede else (rows, NOTHING)
        placed = add_triples(tx, rows, extractor)
        found = record_new(tx, ontology, rows, placed, renewed)
        embed_entities(tx, pipeline.embedder, resolved.fresh)
    return Asserted(placed.triple_ids.tolist(), placed.is_new.tolist(), len(resolved.fresh), found, len(renewed[0]))


def _in_words(checked: "Checked", ontology: Ontology, *, strict: bool) -> "Checked":
    """The triples in the words of the ontology. Raises BadInput for words outside it where it is strict."""
    raws = {canonical_predicate(given): given for given in checked.surfaces}
    said = as_stored(checked.said(), raws, ontology, strict=strict)
    if strict:
        check_words(said, checked.names, ontology)
    stored = dict(zip(checked.predicates, said.predicates, strict=True))
    return Checked(
        spelled(checked.names, ontology),
        said.predicates,
        said.subjects,
        said.relations,
        said.objects,
        {given: given if given != stored[canonical_predicate(given)] else None for given in checked.surfaces},
    )


def _names_said(checked: "Checked", renamed: frozenset[Named]) -> tuple[list[str | None], list[str | None]]:
    """Of each triple the subject and the object as said, where that is an alias."""
    if not renamed:
        return [], []
    said = [named[0] if named in renamed else None for named in checked.names]
    return [said[at] for at in checked.subjects.tolist()], [said[at] for at in checked.objects.tolist()]


@dataclass(frozen=True)
class Checked:
    """Asserted triples with clean names, types and predicates, each different one once.

    `subjects` and `objects` are positions in `names`, `relations` in `predicates`, one a triple. `surfaces` has for
    each predicate as it was given what it was, where that is not the clean one.
    """

    names: Sequence[Named]
    predicates: Sequence[str]
    subjects: Ids
    relations: Ids
    objects: Ids
    surfaces: Mapping[str, str | None]

    def said(self, ids: Ids | None = None) -> Said:
        """The triples alone, by positions or by the ids of what stands there."""
        subjects, objects = (self.subjects, self.objects) if ids is None else (ids[self.subjects], ids[self.objects])
        return Said(self.predicates, subjects, self.relations, objects)


def _checked(candidates: Sequence[Candidate]) -> Checked:
    # Names repeat a lot, so each is looked at once; the first triple that has it is named in its error.
    names = _Distinct[Named, Named]()
    predicates = _Distinct[str, str]()
    subjects: list[int] = []
    relations: list[int] = []
    objects: list[int] = []
    known_names, known_predicates = names.known.get, predicates.known.get
    for number, each in enumerate(candidates, start=1):
        given = (each.subject, each.subject_type)
        position = known_names(given)
        subjects.append(names.add(given, _named(given, "subject", number)) if position is None else position)
        given = (each.object, each.object_type)
        position = known_names(given)
        objects.append(names.add(given, _named(given, "object", number)) if position is None else position)
        position = known_predicates(each.predicate)
        if position is None:
            position = predicates.add(each.predicate, _predicate(each.predicate, number))
        relations.append(position)
        if each.confidence != 1.0 or each.valid_to or each.quote or each.source or each.metadata:
            _check_rest(each, number)
    return Checked(
        names.distinct,
        predicates.distinct,
        np.array(subjects, dtype=np.int64),
        np.array(relations, dtype=np.int64),
        np.array(objects, dtype=np.int64),
        {given: given if given != predicates.distinct[at] else None for given, at in predicates.known.items()},
    )


class _Distinct(Generic[Given, Clean]):
    """Things as given, and the different clean ones that they come to: `known` has each one's position there."""

    def __init__(self) -> None:
        self.known: dict[Given, int] = {}
        self.distinct: list[Clean] = []
        self._positions: dict[Clean, int] = {}

    def add(self, given: Given, clean: Clean) -> int:
        """The position of a clean one, which is new or came from something else before."""
        position = self._positions.setdefault(clean, len(self.distinct))
        if position == len(self.distinct):
            self.distinct.append(clean)
        self.known[given] = position
        return position


def _named(given: Named, what: str, number: int) -> Named:
    return _clean(given[0], what, number, LONGEST_NAME), _type(given[1], number)


def _predicate(predicate: str, number: int) -> str:
    found = canonical_predicate(_clean(predicate, "predicate", number, LONGEST_PREDICATE))
    if not found:
        raise BadInput(
            f"The predicate of triple {number} has no letter or digit.", "Name a relation, as in depends_on."
        )
    return found


def _check_rest(triple: Candidate, number: int) -> None:
    if not math.isfinite(triple.confidence) or not 0 <= triple.confidence <= 1:
        raise BadInput(f"The confidence of triple {number} is {triple.confidence}.", "It is a number from 0 to 1.")
    if triple.valid_from and triple.valid_to and triple.valid_from >= triple.valid_to:
        span = f"valid_from ({triple.valid_from:%Y-%m-%d}) is not before valid_to ({triple.valid_to:%Y-%m-%d})"
        raise BadInput(
            f"In triple {number} {span}.", "Swap them; valid_to is the first moment at which it no longer holds."
        )
    if triple.source and (len(triple.source) > LONGEST_SOURCE or CONTROL.search(triple.source)):
        raise BadInput(
            f"The source of triple {number} is longer than {LONGEST_SOURCE} or has control characters.",
            "Give a citation, a uri or a name.",
        )
    if triple.metadata and len(to_json(triple.metadata)) > LONGEST_METADATA:
        raise BadInput(
            f"The metadata of triple {number} has more than {LONGEST_METADATA} characters.",
            "Ingest long texts as documents and cite them.",
        )
    if triple.quote and len(triple.quote) > LONGEST_QUOTE:
        raise BadInput(
            f"The quote of triple {number} has {len(triple.quote)} characters.", f"Quote at most {LONGEST_QUOTE}."
        )


def parse_time(text: str, what: str) -> datetime:
    """A moment as naive UTC from ISO 8601: 2024, 2024-05, 2024-05-17, 2024-05-17T10:00:00+02:00.

    Raises BadInput naming `what`.
    """
    short = DATE.fullmatch(text.strip())
    try:
        if short:
            return datetime(int(short[1]), int(short[2] or 1), 1)  # noqa: DTZ001
        found = datetime.fromisoformat(text.strip())
        offset = found.utcoffset()
        return (found - offset if offset else found).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{what} is '{text[:40]}', which is no date.", "Write it as 2024-05-17 or 2024-05-17T10:00."
        ) from error


def _clean(name: str, what: str, number: int, longest: int) -> str:
    if CONTROL.search(name):
        raise BadInput(
            f"The {what} of triple {number} has control characters.", "Remove them; a name is one line of text."
        )
    cleaned = " ".join(name.split())
    if not cleaned:
        raise BadInput(
            f"The {what} of triple {number} is empty.", "A triple needs a subject, a predicate and an object."
        )
    if len(cleaned) > longest:
        raise BadInput(
            f"The {what} of triple {number} has {len(cleaned)} characters; the most is {longest}.",
            "Give it a short name and put the rest into quote or metadata.",
        )
    return cleaned


def _type(type_: str | None, number: int) -> str | None:
    return canonical_type(_clean(type_, "type", number, LONGEST_PREDICATE)) if type_ and type_.strip() else None


@dataclass(frozen=True)
class Place:
    """Where a triple is said: the chunk, and the span of the quote in the document's text."""

    chunk: StoredChunk
    start: int
    end: int


def _places(tx: Reader, triples: Sequence[Candidate]) -> list[Place | None]:
    sources = {each.source for each in triples if each.source}
    # Each document is read once, however many triples it has.
    cited = {source: find_cited(tx, source) for source in sources if _is_document(tx, source)}
    return [
        _place(cited[triple.source], triple, number) if triple.source in cited else None
        for number, triple in enumerate(triples, start=1)
    ]


def _is_document(tx: Reader, source: str) -> bool:
    form = FORM.fullmatch(source.strip())
    return find_document(tx, form["uri"] if form else source.strip()) is not None


def _place(cited: Cited, triple: Candidate, number: int) -> Place | None:
    if not triple.quote:
        # A whole document says too little of where, unless it is one chunk.
        whole = (cited.start, cited.end) == (0, cited.document.length) and len(cited.chunks) > 1
        return None if whole or not cited.chunks else Place(cited.chunks[0], cited.start, cited.end)
    at = cited.text.find(triple.quote.strip())
    if at < 0:
        raise BadInput(
            f"The quote of triple {number} is not in {(triple.source or '')[:200]}.",
            "Copy it from the text as get_source gives it, or leave quote out.",
        )
    start = cited.start + at
    chunk = next(each for each in cited.chunks if each.start <= start < each.end)
    return Place(chunk, start, start + len(triple.quote.strip()))
