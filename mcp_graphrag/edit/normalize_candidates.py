"""Triples as they are stored: in the vocabulary of the ontologies in force, between names, with quotes of their chunk.

What names nothing is refused, and a date behind a participle is the event's date.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.lexicon import irregular_pasts, load_lexicon
from mcp_graphrag.errors import BadInput
from mcp_graphrag.extract import Extractor
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.model import PHRASE, Candidate, CandidateValue, Chunk, Extraction
from mcp_graphrag.ontology.map_predicates import (
    Mapped,
    asserted_of,
    canonical_predicate,
    canonical_type,
    map_predicate,
    misfit,
    signatures,
)
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import OF_DOCUMENT
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import entity_labels, type_key

# Of these, nothing is a value: a function returns none.
_OF_VALUES = frozenset({"returns", "raises", "yields", "default", "default_value", "value", "accepts", "equals"})
_AUXILIARY = re.compile(r"(?:(?:is|was|were|been|has|had|first|originally)_)+")


def refusal(name: str, what: str) -> str:
    """Why a placeholder is refused, and what to do."""
    return f"'{name.strip()}' names nothing; leave the {what} out, or name what is meant."


def placeholders_of(candidates: Sequence[Candidate]) -> dict[int, str]:
    """Why triples are refused that have a placeholder as an end, by their position."""
    names = {name for given in candidates for name in (given.subject, given.object)}  # which repeat a lot
    placeholders = set(filter(is_placeholder, names))
    if not placeholders:
        return {}
    return {
        position: refusal(given.subject if given.subject in placeholders else given.object, "triple")
        for position, given in enumerate(candidates)
        if not placeholders.isdisjoint((given.subject, given.object))
        and canonical_predicate(given.predicate) not in _OF_VALUES
    }


def with_event_date(given: Candidate) -> Candidate:
    """The triple; with a date behind a bare participle the predicate is that of the event's date.

    `Shop created 2019` is `Shop created_on 2019`: nothing was created by 2019.
    """
    words = _bare_participle(given.predicate)
    if not words or whole_date(given.object) is None:
        return given
    known = load_lexicon()
    name = f"{words}_on"
    # "built on" is what something rests on, and no date.
    return replace(given, predicate=f"{words}_in" if name in known.predicates - known.events else name)


def with_event_dates(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The triples; see `with_event_date`."""
    bare = set(filter(_bare_participle, {given.predicate for given in candidates}))
    return (
        [with_event_date(given) if given.predicate in bare else given for given in candidates] if bare else candidates
    )


@lru_cache(maxsize=4096)
def _bare_participle(predicate: str) -> str:
    """The participle that a predicate is but for auxiliaries, "" if it is another word."""
    words = _AUXILIARY.sub("", canonical_predicate(predicate))
    is_participle = words in irregular_pasts() or (words.endswith("ed") and len(words) > 4)
    return words if is_participle and "_" not in words else ""


def check_vocabulary(triples: Sequence[tuple[Named, str, Named]], ontology: Ontology) -> None:
    """Raise BadInput for the first triple whose predicate, or a type that it gives, is outside the ontology."""
    for number, (_, given, _) in enumerate(triples, start=1):
        predicate = asserted_of(given) or given
        if predicate not in ontology.predicates:
            meant = map_predicate(predicate, ontology).predicate
            meaning = [name for name in (meant, *load_lexicon().broader.get(meant, ())) if name in ontology.predicates]
            near = meaning or _similar(canonical_predicate(predicate), ontology.predicates)
            raise BadInput(
                f"The predicate {predicate} of triple {number} is not in the ontologies in force.", _hint(near)
            )
    for number, (subject, _, object_) in enumerate(triples, start=1):
        check_types((subject, object_), ontology, f" in triple {number}")


def check_types(names: Iterable[Named], ontology: Ontology, where: str = "") -> None:
    """Raise BadInput for the first name whose type is outside the ontology."""
    for name, type_ in names:
        if type_ and type_key(type_) not in ontology.types:
            near = [ontology.spelling(key) for key in _similar(type_key(type_), ontology.types)]
            raise BadInput(f"The type {type_} of {name}{where} is not in the ontologies in force.", _hint(near))


def check_domain_and_range(
    tx: Reader, ends: Sequence[tuple[int, int]], predicates: Sequence[str], ontology: Ontology
) -> None:
    """Raise BadInput for the first triple whose entities, given by id, violate domain and range of its predicate."""
    labels = entity_labels(tx, {entity_id for both in ends for entity_id in both})
    for number, ((subject_id, object_id), predicate) in enumerate(zip(ends, predicates, strict=True), start=1):
        heads = labels[subject_id], labels[object_id]
        if misfit(ontology, heads[0].type, predicate, heads[1].type):
            given = " to ".join(f"{head.type or 'an unknown type'} ({head.name})" for head in heads)
            raise BadInput(
                f"Triple {number} violates domain and range: {predicate} goes {signatures(ontology, predicate)},"
                f" not from {given}.",
                "Correct the types or the predicate, or swap subject and object.",
            )


def _similar(name: str, known: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(name, known, n=3, cutoff=0.4)


def _hint(near: Sequence[str]) -> str:
    nearest = f"Nearest: {', '.join(near)}. " if near else ""
    return f"{nearest}Add it to an ontology, or turn strict off."


def drop_misquoted(
    extractions: Sequence[Extraction], chunks: Sequence[Chunk], extractor: Extractor
) -> list[Extraction]:
    """The extractions without triples, aliases and values that are not in the chunk; the triples are counted.

    Only the extractor `document` may give triples without a quote: those from the metadata of the document.
    """
    checked: list[Extraction] = []
    for extraction, chunk in zip(extractions, chunks, strict=True):
        wrong = [not _is_quoted(triple, chunk, optional=extractor.name == OF_DOCUMENT) for triple in extraction.triples]
        aliases = [alias for alias in extraction.aliases if chunk.text[alias.start : alias.end] == alias.quote]
        values = tuple(value for value in extraction.values if chunk.text[value.start : value.end] == value.value)
        same = len(aliases) == len(extraction.aliases) and len(values) == len(extraction.values)
        reasons = ["quote not in the chunk" if is_wrong else "" for is_wrong in wrong]
        checked.append(_without(extraction if same else replace(extraction, aliases=aliases, values=values), reasons))
    return checked


def _is_quoted(triple: Candidate, chunk: Chunk, *, optional: bool) -> bool:
    if triple.quote is None:
        return optional and triple.start is None
    if triple.start is None or triple.end is None:
        return triple.quote in chunk.context + chunk.text
    return chunk.text[triple.start : triple.end] == triple.quote


def normalize_predicates(extraction: Extraction, ontology: Ontology, *, strict: bool) -> Extraction:
    """The extraction with the ontology's predicates and types; with `strict` without violations, counted by reason."""
    mentions = [
        mention if mention.type == (type_ := _type(mention.type, ontology)) else replace(mention, type=type_)
        for mention in extraction.mentions
    ]
    triples = [_normalized(triple, ontology, strict=strict) for triple in extraction.triples]
    aliases = [replace(alias, type=_type(alias.type, ontology)) for alias in extraction.aliases]
    values = tuple(_normalized_value(value, ontology) for value in extraction.values)
    normalized = replace(extraction, mentions=mentions, triples=triples, aliases=aliases, values=values)
    if not strict:
        return normalized
    return _without(
        replace(normalized, values=tuple(value for value in values if value.predicate in ontology.predicates)),
        [misfit(ontology, one.subject_type or "", one.predicate, one.object_type or "") for one in triples],
    )


def drop_violations(
    tx: Reader, extractions: Sequence[Extraction], ids: Mapping[Named, int], ontology: Ontology
) -> list[Extraction]:
    """The extractions without triples that violate the types of the stored entities, which are counted by reason."""
    types = {entity_id: head.type for entity_id, head in entity_labels(tx, set(ids.values())).items()}
    found: list[Extraction] = []
    for extraction in extractions:
        reasons = [
            misfit(
                ontology,
                types[ids[triple.subject, triple.subject_type]],
                triple.predicate,
                types[ids[triple.object, triple.object_type]],
            )
            for triple in extraction.triples
        ]
        found.append(_without(extraction, reasons))
    return found


def _without(extraction: Extraction, reasons: Sequence[str]) -> Extraction:
    """The extraction without the triples for which there is a reason, counted by these."""
    if not any(reasons):
        return extraction
    dropped = Counter(extraction.dropped)
    dropped.update(reason for reason in reasons if reason)
    kept = [triple for triple, reason in zip(extraction.triples, reasons, strict=True) if not reason]
    return replace(extraction, triples=kept, dropped=dropped)


def _normalized(triple: Candidate, ontology: Ontology, *, strict: bool) -> Candidate:
    # Of a phrase the predicate stays as the text has it: what another one means may hold of names only.
    is_phrase = triple.object_type == PHRASE
    mapped = Mapped(triple.predicate) if is_phrase else map_predicate(triple.predicate, ontology, strict=strict)
    types = [_type(type_, ontology) for type_ in (triple.subject_type, triple.object_type)]
    if mapped == Mapped(triple.predicate) and types == [triple.subject_type, triple.object_type]:
        return triple
    ends = [(triple.subject, types[0]), (triple.object, types[1])]
    (subject, subject_type), (object_, object_type) = reversed(ends) if mapped.swap else ends
    return replace(
        triple,
        subject=subject,
        predicate=mapped.predicate,
        object=object_,
        subject_type=subject_type,
        object_type=object_type,
        surface=triple.surface or (triple.predicate if triple.predicate != mapped.predicate else None),
    )


def _normalized_value(value: CandidateValue, ontology: Ontology) -> CandidateValue:
    """The value with its heading as predicate: what the ontology maps it to may hold of names only."""
    predicate, type_ = canonical_predicate(value.predicate), _type(value.subject_type, ontology)
    if (predicate, type_) == (value.predicate, value.subject_type):
        return value
    return replace(value, predicate=predicate, subject_type=type_, surface=value.surface or value.predicate)


def _type(type_: str | None, ontology: Ontology) -> str | None:
    return canonical_type(type_, ontology) if type_ else None
