"""Pairs of entities that may be the same, with a score from 0 to 1 and reasons.

The similarity of the names gives the base score. Common neighbours, meaning and type raise or lower it; a raise closes
a share of the gap to 1, so that no score exceeds 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Ids
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.name_rules import AMBIGUOUS_FORMS, LEGAL_FORMS, legal_form
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.changes.merge_log import distinct_reason
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, type_key
from mcp_graphrag.store.rows.suggestion_rows import (
    ACRONYM,
    CONTAINED,
    EQUAL,
    INITIALS,
    JOINED,
    LEGAL_FORM,
    MEANING,
    SPELLING,
    in_one_series,
    name_pairs,
    name_vectors,
    pair_neighbours,
)

PERSON = "Person"
MIN_SCORE = 0.5  # pairs below it are dropped
MAX_COMPARED = 5_000  # pairs whose names are compared by meaning, the best first
MAX_MEANT = 20  # entities with a name of similar meaning, in a query about one entity
MIN_COSINE = 0.8
FORMS = LEGAL_FORMS.keys() | AMBIGUOUS_FORMS.keys()
INCOMPATIBLE = 0.6  # factor for two different types
LINKED = 0.85  # factor for two that a triple connects: entities are seldom related to themselves


@dataclass(frozen=True)
class Pairs:
    """Pairs of entity ids, the best first: one row a pair in every array, `a` below `b`.

    `hows` are bits of how the names are similar, `names` and `others` the names that are. `cosines` are NaN where
    meaning was not compared, `types` is 1 for the same type, 0 for unknown, -1 for different types.
    """

    a: Ids
    b: Ids
    scores: NDArray[np.float64]
    hows: NDArray[np.int64]
    edits: NDArray[np.int64]
    shared: NDArray[np.int64]
    linked: NDArray[np.bool_]
    cosines: NDArray[np.float64]
    types: NDArray[np.int8]
    names: NDArray[Any]
    others: NDArray[Any]

    def rows(self, at: NDArray[Any]) -> "Pairs":
        """The pairs at these positions."""
        return Pairs(**{name: column[at] for name, column in vars(self).items()})

    def reasons(self, row: int) -> list[str]:
        """Why a pair is suggested, the best reason first."""
        pair = f"'{self.names[row]}' and '{self.others[row]}'"
        hows, edits = int(self.hows[row]), int(self.edits[row])
        called = f"both are called '{self.names[row]}'"
        words = {
            EQUAL: f"{pair} have the same normal form" if self.names[row] != self.others[row] else called,
            JOINED: f"{pair} differ only in spaces and signs",
            LEGAL_FORM: f"{pair} differ only in the legal form, which one of them leaves out",
            ACRONYM: f"{pair}: an acronym and its only long form",
            INITIALS: f"{pair}: the same surname, names that fit the initials",
            CONTAINED: f"{pair}: one name is part of the other",
            SPELLING: f"{pair} differ by {edits} edit{'s' if edits != 1 else ''}",
        }
        surer = {ACRONYM: EQUAL, SPELLING: EQUAL | JOINED}
        found = [text for bit, text in words.items() if hows & bit and not hows & surer.get(bit, 0)]
        if self.cosines[row] >= MIN_COSINE and not hows & EQUAL:
            found.append(f"names of similar meaning (cosine {self.cosines[row]:.2f})")
        if self.shared[row]:
            found.append(f"{self.shared[row]} common neighbour{'s' if self.shared[row] > 1 else ''}")
        if self.types[row]:
            found.append("the same type" if self.types[row] > 0 else "against it: different types")
        return [*found, "against it: a triple connects the two"] if self.linked[row] else found


def likely_pairs(snapshot: Snapshot, *, about: Sequence[int] | None = None) -> Pairs:
    """The pairs of entities that may be the same, the best first; with `about`, those with one of these entities."""
    persons = sorted({*snapshot.ontology.subtypes(PERSON), "per"})
    pairs = _by_name(name_pairs(snapshot.tx, persons=persons, about=about), snapshot.ontology)
    pairs = _with_neighbours(snapshot.tx, pairs)
    for entity_id in about or ():
        pairs = _with_meant(snapshot, pairs, entity_id)
    return _ordered(_with_meaning(snapshot.tx, _ordered(pairs)))


def _by_name(rows: dict[str, NDArray[Any]], ontology: Ontology) -> Pairs:
    """The pairs by name and type, without those that cannot be the same."""
    agree = cache(partial(_agree, ontology))
    agreement = [agree(*types) for types in zip(rows["type"].tolist(), rows["other_type"].tolist(), strict=True)]
    types = np.array(agreement, dtype=np.int8)
    forms = _with_forms(rows)
    rows["hows"] = np.where(forms == 1, np.asarray(rows["hows"]) | LEGAL_FORM, rows["hows"])
    kept = (types > -2) & (forms >= 0)
    rows = {name: column[kept] for name, column in rows.items()}
    types = types[kept]
    count = len(types)
    return Pairs(
        a=np.asarray(rows["a"], dtype=np.int64),
        b=np.asarray(rows["b"], dtype=np.int64),
        scores=_raised(_base(rows), np.where(types > 0, 0.15, 0.0)),
        hows=np.asarray(rows["hows"], dtype=np.int64),
        edits=np.asarray(rows["edits"], dtype=np.int64),
        shared=np.zeros(count, dtype=np.int64),
        linked=np.zeros(count, dtype=np.bool_),
        cosines=np.full(count, np.nan),
        types=types,
        names=rows["name"],
        others=rows["other"],
    )


def _with_forms(rows: dict[str, NDArray[Any]]) -> NDArray[np.int8]:
    """1 for two names of which one leaves the legal form out, -1 for two different forms, 0 for other names."""
    found = np.zeros(len(rows["name"]), dtype=np.int8)
    for row, names in enumerate(zip(rows["name"].tolist(), rows["other"].tolist(), strict=True)):
        if any(name.split()[-1].strip(".,").casefold() in FORMS for name in names):
            (one, form), (other, other_form) = map(legal_form, names)
            if one == other and form != other_form:
                found[row] = -1 if form and other_form else 1
    return found


def _base(rows: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    """The similarity of the names: the best of the ways in which they are similar."""
    hows, edits, share = rows["hows"], np.asarray(rows["edits"], dtype=np.float64), rows["share"]
    half = np.maximum(np.asarray(rows["length"], dtype=np.float64) / 2, 1)
    # A thing is seldom all the things of its kind: Christian Democrats, a Christian Democrat.
    spelled = np.clip(0.92 - 2 * edits / half, 0.5, np.where(rows["plural"], 0.7, 0.85))
    contained = np.where(share >= 1, 0.75, 0.5 + 0.2 * np.asarray(share, dtype=np.float64))
    # Two of one name and type were kept apart when they were read.
    equal = np.where(rows["kept_apart"], 0.7, 0.93)
    sure = (EQUAL, equal), (JOINED, 0.9), (LEGAL_FORM, 0.85), (INITIALS, 0.8)
    # Many names have the same initials; where a text says which one it means, the acronym is its alias already.
    bases = (*sure, (ACRONYM, 0.65), (SPELLING, spelled), (CONTAINED, contained))
    return np.max([np.where(hows & bit, base, 0.0) for bit, base in bases], axis=0)


def _agree(ontology: Ontology, type_: str, other: str) -> int:
    """1 if one type is a subtype of the other, 0 if one is unknown, -1 for others, -2 if they are disjoint."""
    if not type_ or not other:
        return 0
    if type_key(type_) == type_key(other) or ontology.is_a(type_, other) or ontology.is_a(other, type_):
        return 1
    return -2 if ontology.are_disjoint(type_, other) else -1


def _raised(scores: NDArray[np.float64], shares: NDArray[Any]) -> NDArray[np.float64]:
    """The scores, each raised by a share of its gap to 1."""
    return 1 - (1 - scores) * (1 - shares)


def _with_neighbours(tx: Reader, pairs: Pairs) -> Pairs:
    rows = pair_neighbours(tx, pairs.a, pairs.b)
    row_of = {pair: row for row, pair in enumerate(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True))}
    at = [row_of[pair] for pair in zip(rows["a"].tolist(), rows["b"].tolist(), strict=True)]
    shared, linked = pairs.shared.copy(), pairs.linked.copy()
    alike = np.zeros(len(shared))
    shared[at], linked[at] = rows["shared"], rows["linked"]
    # One common neighbour counts less than many, even if it is the only neighbour.
    alike[at] = rows["shared"] / (np.maximum(rows["either"], 1) + 1)
    scores = np.where(linked, pairs.scores * LINKED, _raised(pairs.scores, 0.6 * alike))
    scores = np.where(pairs.types < 0, scores * INCOMPATIBLE, scores)
    return replace(pairs, shared=shared, linked=linked, scores=scores)


def _with_meaning(tx: Reader, pairs: Pairs) -> Pairs:
    """The pairs, with the best of them compared by the embeddings of their names too."""
    among = np.arange(min(len(pairs.a), MAX_COMPARED))
    ids, vectors = name_vectors(tx, np.concatenate([pairs.a[among], pairs.b[among]]))
    if not len(ids):
        return pairs
    both = np.isin(pairs.a[among], ids) & np.isin(pairs.b[among], ids)
    rows = among[both]
    left, right = (vectors[np.searchsorted(ids, side[rows])] for side in (pairs.a, pairs.b))
    cosines, scores = pairs.cosines.copy(), pairs.scores.copy()
    cosines[rows] = np.einsum("ij,ij->i", left, right)
    # The cosine of equal names is no evidence.
    evidence = np.where(pairs.hows[rows] & (EQUAL | MEANING), 0.0, np.clip((cosines[rows] - MIN_COSINE) * 5, 0, 1))
    scores[rows] = _raised(scores[rows], 0.25 * evidence)
    return replace(pairs, cosines=cosines, scores=scores)


def _with_meant(snapshot: Snapshot, pairs: Pairs, about: int) -> Pairs:
    """The pairs, and those of the entity with others whose names have a similar meaning."""
    ids, vectors = name_vectors(snapshot.tx, np.array([about], dtype=np.int64))
    if not len(ids):
        return pairs
    known = set(pairs.a.tolist()) | set(pairs.b.tolist()) | {about}
    near = snapshot.entity_vectors.nearest(snapshot.tx, vectors[0], limit=MAX_MEANT)
    close = [
        (other, cosine)
        for other, cosine in near
        if cosine >= MIN_COSINE and other not in known and distinct_reason(snapshot.tx, about, other) is None
    ]
    heads = entity_labels(snapshot.tx, [about, *(other for other, _ in close)])
    more: list[tuple[Any, ...]] = []  # one row a pair, with the columns of Pairs
    for other, cosine in close:
        types = _agree(snapshot.ontology, heads[about].type, heads[other].type)
        if types >= 0 and not _are_apart(heads[about], heads[other]):
            ids, names = sorted((about, other)), (heads[about].name, heads[other].name)
            more.append((*ids, 0.45 + cosine / 4, MEANING, 0, 0, False, cosine, types, *names))
    if not more:
        return pairs
    added = dict(zip(vars(pairs), zip(*more, strict=True), strict=True))
    return Pairs(
        **{
            name: np.concatenate([column, np.array(added[name], dtype=column.dtype)])
            for name, column in vars(pairs).items()
        }
    )


def _are_apart(one: EntityLabel, other: EntityLabel) -> bool:
    """Whether two of similar meaning differ all the same: a page, a section, a date or another of the same series."""
    types = {type_key(head.type) for head in (one, other)}
    documents = "document" in types and (len(types) > 1 or " > " in one.name or " > " in other.name)
    return documents or "date" in types or in_one_series(normal_form(one.name), normal_form(other.name))


def _ordered(pairs: Pairs) -> Pairs:
    """The pairs above the minimum by score, ties by id."""
    order = np.lexsort((pairs.b, pairs.a, -np.round(pairs.scores, 4)))
    return pairs.rows(order[pairs.scores[order] >= MIN_SCORE])
