"""Triples in the vocabulary of the ontologies in force: raw verbs are mapped, strict mode refuses the others."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Candidate, Extraction, Ids
from mcp_graphrag.ontology.map_predicates import (
    Mapped,
    canonical_predicate,
    canonical_type,
    map_predicate,
    misfit,
    signatures,
)
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import entity_labels, type_key


@dataclass(frozen=True)
class TripleArrays:
    """Triples as columns: `subjects` and `objects` are positions or entity ids, `relations` index `predicates`."""

    predicates: Sequence[str]
    subjects: Ids
    relations: Ids
    objects: Ids


def normalize_triples(
    triples: TripleArrays, raws: Mapping[str, str], ontology: Ontology, *, strict: bool
) -> TripleArrays:
    """The triples with the predicates of the ontology; those whose raw verb means the inverse are turned around.

    `raws` maps predicates in lower snake case to their form as given.
    """
    mapped = [map_predicate(raws.get(name, name), ontology, strict=strict) for name in triples.predicates]
    swaps: NDArray[np.bool_] = np.array([predicate.swap for predicate in mapped], dtype=np.bool_)[triples.relations]
    predicates = [predicate.predicate for predicate in mapped]
    if not swaps.any():
        return replace(triples, predicates=predicates)
    subjects = np.where(swaps, triples.objects, triples.subjects)
    return TripleArrays(predicates, subjects, triples.relations, np.where(swaps, triples.subjects, triples.objects))


def normalize_types(names: Sequence[Named], ontology: Ontology) -> list[Named]:
    """The names with their types as the ontology spells them."""
    spellings = {type_: canonical_type(type_, ontology) for type_ in {named[1] for named in names} if type_}
    if all(type_ == spelling for type_, spelling in spellings.items()):
        return list(names)
    return [(name, spellings[type_] if type_ else type_) for name, type_ in names]


def check_vocabulary(triples: TripleArrays, names: Sequence[Named], ontology: Ontology) -> None:
    """Raise BadInput for the first triple whose predicate, or a type that it gives, is outside the ontology."""
    for position, name in enumerate(triples.predicates):
        if name not in ontology.predicates:
            number = int(np.argmax(triples.relations == position)) + 1
            raise BadInput(
                f"The predicate {name} of triple {number} is not in the ontologies in force.", _nearest(name, ontology)
            )
    outside = {at for at, (_, type_) in enumerate(names) if type_ and type_key(type_) not in ontology.types}
    for number, ends in enumerate(zip(triples.subjects.tolist(), triples.objects.tolist(), strict=True), start=1):
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
    hint = f"Nearest: {', '.join(ontology.spelling(type_) for type_ in near)}." if near else ""
    return BadInput(
        f"The type {type_} of {name}{where} is not in the ontologies in force.",
        f"{hint} Add it to an ontology, or turn strict off.".strip(),
    )


def check_domain_and_range(tx: Reader, triples: TripleArrays, ontology: Ontology) -> None:
    """Raise BadInput for the first triple whose entities, by id, violate domain and range of its predicate."""
    heads = entity_labels(tx, np.unique(np.concatenate([triples.subjects, triples.objects])).tolist())
    seen: set[tuple[str, str, str]] = set()
    relations: list[int] = triples.relations.tolist()
    predicates = [triples.predicates[at] for at in relations]
    rows = zip(triples.subjects.tolist(), predicates, triples.objects.tolist(), strict=True)
    for number, (subject, predicate, object_) in enumerate(rows, start=1):
        ends = heads[subject], heads[object_]
        key = (ends[0].type, predicate, ends[1].type)
        if key in seen:
            continue
        seen.add(key)
        if misfit(ontology, *key):
            given = " to ".join(f"{head.type or 'an unknown type'} ({head.name})" for head in ends)
            raise BadInput(
                f"Triple {number} violates domain and range: {predicate} goes {signatures(ontology, predicate)},"
                f" not from {given}.",
                "Correct the types or the predicate, or swap subject and object.",
            )


def normalize_predicates(extraction: Extraction, ontology: Ontology, *, strict: bool) -> Extraction:
    """The extraction with the ontology's predicates and types; with `strict` without violations, counted by reason."""
    kept: list[Candidate] = []
    dropped = Counter(extraction.dropped)
    mentions = [
        mention if mention.type == (type_ := _type(mention.type, ontology)) else replace(mention, type=type_)
        for mention in extraction.mentions
    ]
    for triple in extraction.triples:
        mapped = _normalized(triple, ontology, strict=strict)
        types = mapped.subject_type or "", mapped.object_type or ""
        reason = misfit(ontology, types[0], mapped.predicate, types[1]) if strict else ""
        if reason:
            dropped[reason] += 1
        else:
            kept.append(mapped)
    aliases = [replace(alias, type=_type(alias.type, ontology)) for alias in extraction.aliases]
    return replace(extraction, mentions=mentions, triples=kept, dropped=dropped, aliases=aliases)


def drop_violations(
    tx: Reader, extractions: Sequence[Extraction], ids: Mapping[Named, int], ontology: Ontology
) -> list[Extraction]:
    """The extractions without triples that violate the types of the stored entities, which are counted by reason."""
    heads = entity_labels(tx, set(ids.values()))
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


def _normalized(triple: Candidate, ontology: Ontology, *, strict: bool) -> Candidate:
    mapped = map_predicate(triple.predicate, ontology, strict=strict)
    types = [_type(type_, ontology) for type_ in (triple.subject_type, triple.object_type)]
    if mapped == Mapped(triple.predicate) and types == [triple.subject_type, triple.object_type]:
        return triple
    raw = triple.surface or (triple.predicate if triple.predicate != mapped.predicate else None)
    ends = {"subject_type": types[0], "object_type": types[1]}
    normalized = replace(triple, predicate=mapped.predicate, surface=raw, **ends)
    if not mapped.swap:
        return normalized
    return replace(
        normalized,
        subject=triple.object,
        object=triple.subject,
        subject_type=normalized.object_type,
        object_type=normalized.subject_type,
    )


def _type(type_: str | None, ontology: Ontology) -> str | None:
    return canonical_type(type_, ontology) if type_ else None


def _nearest(name: str, ontology: Ontology) -> str:
    meant = map_predicate(name, ontology).predicate
    near = [meant] if meant in ontology.predicates else _like(name, ontology)
    hint = f"Nearest: {', '.join(near)}." if near else ""
    return f"{hint} Add it to an ontology, or turn strict off.".strip()


def _like(name: str, ontology: Ontology) -> list[str]:
    return difflib.get_close_matches(canonical_predicate(name), ontology.predicates, n=3, cutoff=0.4)
