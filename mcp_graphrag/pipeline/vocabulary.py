"""Triples in the words of the ontologies in force: raw verbs mapped, and in strict mode nothing else let in."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, Extraction, Ids
from mcp_graphrag.resolve.entities import Named
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import (
    Mapped,
    canonical_predicate,
    canonical_type,
    map_predicate,
    misfit,
    signatures,
)
from mcp_graphrag.store import Reader
from mcp_graphrag.store.entities import entity_heads, type_key


@dataclass(frozen=True)
class Said:
    """Triples by position: `subjects` and `objects` in names or entity ids, `relations` in `predicates`."""

    predicates: Sequence[str]
    subjects: Ids
    relations: Ids
    objects: Ids


def as_stored(said: Said, raws: Mapping[str, str], ontology: Ontology, *, strict: bool) -> Said:
    """The triples with the predicates that they are stored under, turned round where a raw verb says it so.

    `raws` has a predicate as it was given for each in lower snake case.
    """
    mapped = [map_predicate(raws.get(name, name), ontology, strict=strict) for name in said.predicates]
    swaps: NDArray[np.bool_] = np.array([each.swap for each in mapped], dtype=np.bool_)[said.relations]
    predicates = [each.predicate for each in mapped]
    if not swaps.any():
        return replace(said, predicates=predicates)
    subjects = np.where(swaps, said.objects, said.subjects)
    return Said(predicates, subjects, said.relations, np.where(swaps, said.subjects, said.objects))


def spelled(names: Sequence[Named], ontology: Ontology) -> list[Named]:
    """The names with their types as the ontology spells them."""
    spellings = {type_: canonical_type(type_, ontology) for type_ in {each[1] for each in names} if type_}
    if all(type_ == spelling for type_, spelling in spellings.items()):
        return list(names)
    return [(name, spellings[type_] if type_ else type_) for name, type_ in names]


def check_words(said: Said, names: Sequence[Named], ontology: Ontology) -> None:
    """Raise BadInput for the first triple whose predicate, or a type that it gives, is outside the ontology."""
    for position, name in enumerate(said.predicates):
        if name not in ontology.predicates:
            number = int(np.argmax(said.relations == position)) + 1
            raise BadInput(
                f"The predicate {name} of triple {number} is not in the ontologies in force.", _nearest(name, ontology)
            )
    outside = {at for at, (_, type_) in enumerate(names) if type_ and type_key(type_) not in ontology.types}
    for number, ends in enumerate(zip(said.subjects.tolist(), said.objects.tolist(), strict=True), start=1):
        for at in outside.intersection(ends):
            raise _outside(names[at], f" in triple {number}", ontology)


def check_types(names: Sequence[Named], ontology: Ontology) -> None:
    """Raise BadInput for the first name whose type is outside the ontology."""
    for named in names:
        if named[1] and type_key(named[1]) not in ontology.types:
            raise _outside(named, "", ontology)


def _outside(named: Named, where: str, ontology: Ontology) -> BadInput:
    name, type_ = named
    near = difflib.get_close_matches(type_key(type_ or ""), ontology.types, n=3, cutoff=0.4)
    hint = f"Nearest: {', '.join(ontology.spelling(each) for each in near)}." if near else ""
    return BadInput(
        f"The type {type_} of {name}{where} is not in the ontologies in force.",
        f"{hint} Add it to an ontology, or turn strict off.".strip(),
    )


def check_ends(tx: Reader, said: Said, ontology: Ontology) -> None:
    """Raise BadInput for the first triple whose entities, by id, are against domain and range of its predicate."""
    heads = entity_heads(tx, np.unique(np.concatenate([said.subjects, said.objects])).tolist())
    seen: set[tuple[str, str, str]] = set()
    relations: list[int] = said.relations.tolist()
    predicates = [said.predicates[at] for at in relations]
    triples = zip(said.subjects.tolist(), predicates, said.objects.tolist(), strict=True)
    for number, (subject, predicate, object_) in enumerate(triples, start=1):
        ends = heads[subject], heads[object_]
        key = (ends[0].type, predicate, ends[1].type)
        if key in seen:
            continue
        seen.add(key)
        if misfit(ontology, *key):
            given = " to ".join(f"{each.type or 'an unknown type'} ({each.name})" for each in ends)
            raise BadInput(
                f"Triple {number} is against domain and range: {predicate} goes {signatures(ontology, predicate)},"
                f" not from {given}.",
                "Correct the types or the predicate, or swap subject and object.",
            )


def worded(extraction: Extraction, ontology: Ontology, *, strict: bool) -> Extraction:
    """The extraction in the words of the ontology; in strict mode without what does not belong, counted by reason."""
    kept: list[Candidate] = []
    dropped = Counter(extraction.dropped)
    mentions = [
        each if each.type == (type_ := _spelled(each.type, ontology)) else replace(each, type=type_)
        for each in extraction.mentions
    ]
    for triple in extraction.triples:
        said = _worded(triple, ontology, strict=strict)
        reason = misfit(ontology, said.subject_type or "", said.predicate, said.object_type or "") if strict else ""
        if reason:
            dropped[reason] += 1
        else:
            kept.append(said)
    aliases = [replace(each, type=_spelled(each.type, ontology)) for each in extraction.aliases]
    return replace(extraction, mentions=mentions, triples=kept, dropped=dropped, aliases=aliases)


def fitting(
    tx: Reader, extractions: Sequence[Extraction], ids: Mapping[Named, int], ontology: Ontology
) -> list[Extraction]:
    """The extractions without triples that are against the types of the entities that their ends turned out to be."""
    heads = entity_heads(tx, set(ids.values()))
    found: list[Extraction] = []
    for extraction in extractions:
        kept: list[Candidate] = []
        dropped = Counter(extraction.dropped)
        for triple in extraction.triples:
            subject = heads[ids[triple.subject, triple.subject_type]].type
            object_ = heads[ids[triple.object, triple.object_type]].type
            if reason := misfit(ontology, subject, triple.predicate, object_):
                dropped[reason] += 1
            else:
                kept.append(triple)
        found.append(replace(extraction, triples=kept, dropped=dropped))
    return found


def _worded(triple: Candidate, ontology: Ontology, *, strict: bool) -> Candidate:
    mapped = map_predicate(triple.predicate, ontology, strict=strict)
    types = [_spelled(type_, ontology) for type_ in (triple.subject_type, triple.object_type)]
    if mapped == Mapped(triple.predicate) and types == [triple.subject_type, triple.object_type]:
        return triple
    raw = triple.surface or (triple.predicate if triple.predicate != mapped.predicate else None)
    ends = {"subject_type": types[0], "object_type": types[1]}
    said = replace(triple, predicate=mapped.predicate, surface=raw, **ends)
    if not mapped.swap:
        return said
    return replace(
        said,
        subject=triple.object,
        object=triple.subject,
        subject_type=said.object_type,
        object_type=said.subject_type,
    )


def _spelled(type_: str | None, ontology: Ontology) -> str | None:
    return canonical_type(type_, ontology) if type_ else None


def _nearest(name: str, ontology: Ontology) -> str:
    meant = map_predicate(name, ontology).predicate
    near = [meant] if meant in ontology.predicates else _like(name, ontology)
    hint = f"Nearest: {', '.join(near)}." if near else ""
    return f"{hint} Add it to an ontology, or turn strict off.".strip()


def _like(name: str, ontology: Ontology) -> list[str]:
    return difflib.get_close_matches(canonical_predicate(name), ontology.predicates, n=3, cutoff=0.4)
