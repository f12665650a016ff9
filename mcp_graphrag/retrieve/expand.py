"""What the triples lead to from some entities: those nearest to the question, and the chunks that tell of them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from mcp_graphrag.index.graph import Slots, Walk
from mcp_graphrag.index.resident import entity_vectors, evidence_of
from mcp_graphrag.index.terms import STOP_WORDS, WORD
from mcp_graphrag.model import Expanded, Ids, Triple
from mcp_graphrag.resolve.vocabulary import canonical_predicate, map_predicate
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.question import Seed, SeededBy
from mcp_graphrag.retrieve.triples import fetch_triples
from mcp_graphrag.retrieve.why import named, place_of
from mcp_graphrag.store.documents import chunks_by_id
from mcp_graphrag.store.entities import entity_heads
from mcp_graphrag.store.mentions import chunks_of_evidence

MOST_WALKED = 1_000
MOST_NEARBY = 10  # entities of the near passages, the rarest
MOST_WEIGHED = 30  # triples whose words are compared with the question's
MOST_AROUND = 200  # chunks of one entity that are weighed
DECAY = 0.7  # of a hop
NEARBY = 0.3  # what an entity of a near passage counts beside one that the question names
SAID = 4.0  # what a fact counts whose predicate the question says
LOCAL_FACTS = 20
LOCAL_ENTITIES = 3  # taken by meaning where the question names none
LEAST_COSINE = 0.5
MOST_WORDS = 60  # of a question that are read for predicates
LONGEST_VERB = 3  # words
LOCALLY: Mapping[SeededBy, str] = {"question": "which the question names", "meaning": "whose name is near in meaning"}


@dataclass(frozen=True)
class Found:
    """The chunks that tell of what a walk found, the items themselves, and why each chunk is there."""

    ranked: Ranked = ()
    expanded: Sequence[Expanded] = ()
    why: Mapping[int, str] = field(default_factory=dict[int, str])


def graph_arm(asked: Asked) -> Found:
    """From the entities of the question and of the nearest chunks over the expansion predicates.

    Where these lead nowhere all predicates are walked, and a note says so.
    """
    plan, seeds = asked.question.expansion, graph_seeds(asked)
    if not seeds:
        asked.note("No entity is named in the question or in the passages nearest to it.")
        return Found()
    said = _said_predicates(asked)
    found = _expand(asked, seeds, plan.hops, _expansion_predicates(asked, said), plan.most, said)
    if not found.expanded:
        found = _expand(asked, seeds, plan.hops, None, plan.most, said)
        if found.expanded:
            asked.note("No expansion predicate leads on from these entities, so all predicates were walked.")
    return found


def graph_seeds(asked: Asked) -> list[Seed]:
    """The entities of the question, and the rarest of the passages nearest to it."""
    return [*asked.seeds, *_seeds_of_hits(asked, [each for each, _ in asked.near[: asked.question.expansion.hits]])]


def local_seeds(asked: Asked) -> Sequence[Seed]:
    """The entities of the question, else those nearest to it by meaning."""
    return asked.seeds or _nearest_entities(asked)


def local_arm(asked: Asked) -> Found:
    """The chunks of the entities of the question, else of those nearest by meaning, and the facts around them."""
    seeds = local_seeds(asked)
    if not seeds:
        asked.note("The question names no entity that is stored; find_entities looks for one.")
        return Found()
    if not asked.seeds:
        names = ", ".join(seed.name for seed in seeds)
        asked.note(f"The question names no entity that is stored; those nearest in meaning stand in: {names}.")
    found = _expand(asked, seeds, 2, None, LOCAL_FACTS)
    weights: dict[int, float] = defaultdict(float, dict(found.ranked))
    why = dict(found.why)
    for seed in seeds:
        _, chunk_ids, _ = asked.web.mentions.chunks_of(np.array([seed.entity_id], dtype=np.int64))
        near = sorted(set(chunk_ids.tolist()), key=lambda each: (-asked.closeness.get(each, 0.0), each))[:MOST_AROUND]
        for chunk_id in near:
            weights[chunk_id] += seed.weight * (0.5 + asked.closeness.get(chunk_id, 0.0))
            why.setdefault(chunk_id, f"Mentions {seed.name}, {LOCALLY[seed.by]}.")
    return Found(_ranked(asked, weights), found.expanded, why)


def _expand(
    asked: Asked, seeds: Sequence[Seed], hops: int, wanted: Ids | None, most: int, boosted: Ids | None = None
) -> Found:
    graph = asked.web.graph
    nodes = {node: seed for seed in seeds if (node := graph.node(seed.entity_id)) is not None}
    if not nodes:
        return Found()
    walk = graph.walk(sorted(nodes), hops, predicates=wanted, most=MOST_WALKED)
    scores = _prior(asked, walk, {node: seed.weight for node, seed in nodes.items()})
    if boosted is not None:
        scores = np.where(np.isin(graph.predicates[walk.slots], boosted), SAID * scores, scores)
    rows: list[int] = np.lexsort((walk.slots, -scores))[:MOST_WEIGHED].tolist()
    if not rows:
        return Found()
    said = _in_words(asked, walk.slots[rows])
    nearness = np.maximum(asked.nearness_of_texts(said), 0.01)
    weighed = scores[rows] ** 0.5 * nearness
    best: list[int] = np.lexsort((np.arange(len(rows)), -weighed))[:most].tolist()
    ids: list[int] = graph.triple_ids[walk.slots[rows]].tolist()
    triples = fetch_triples(asked.store, asked.tx, [ids[at] for at in best])
    chosen = [(rows[at], triples[ids[at]]) for at in best if ids[at] in triples]
    value = {ids[at]: float(weighed[at]) for at in best}
    reasons = {ids[at]: f"Evidence for: {said[at]}, {_way(asked, walk, rows[at], nodes)}." for at in best}
    weights: dict[int, float] = defaultdict(float)
    why: dict[int, str] = {}
    told = chunks_of_evidence(asked.tx, evidence_of(asked.store, asked.tx, value, most=3))
    for triple_id, chunk_id in sorted(told, key=lambda each: (-value[each[0]], each)):
        weights[chunk_id] += value[triple_id]
        why.setdefault(chunk_id, reasons[triple_id])
    named = {seed.entity_id for seed in asked.seeds}
    expanded = [_item(walk, row, triple, named) for row, triple in chosen]
    return Found(_ranked(asked, weights), expanded, why)


def _way(asked: Asked, walk: Walk, row: int, nodes: Mapping[int, Seed]) -> str:
    """From which seed, and over how many triples, a walked triple was reached."""
    hops, first = int(walk.hops[row]), row
    while walk.parents[first] >= 0:
        first = int(walk.parents[first])
    ends = asked.web.graph.subjects if walk.forward[first] else asked.web.graph.objects
    seed = nodes[int(ends[walk.slots[first]])]
    return f"reached from {seed.name} ({named(seed)}) over {hops} {'triple' if hops == 1 else 'triples'}"


def _in_words(asked: Asked, slots: Slots) -> list[str]:
    """What the triples at slots say."""
    graph = asked.web.graph
    subjects: list[int] = graph.entities(graph.subjects[slots]).tolist()
    objects: list[int] = graph.entities(graph.objects[slots]).tolist()
    heads = entity_heads(asked.tx, {*subjects, *objects})
    names = {predicate: name.replace("_", " ") for name, predicate in asked.predicates.items()}
    verbs = [names[each] for each in graph.predicates[slots].tolist()]
    called = {entity_id: head.name for entity_id, head in heads.items()}
    ends = zip(subjects, verbs, objects, strict=True)
    return [f"{called.get(one, '')} {verb} {called.get(other, '')}" for one, verb, other in ends]


def _prior(asked: Asked, walk: Walk, weights: Mapping[int, float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What each walked triple counts for before its words are read: seed, confidence and distance."""
    graph = asked.web.graph
    scores = np.zeros(len(walk.slots))
    nodes = np.array(sorted(weights), dtype=np.int64)
    given = np.array([weights[node] for node in nodes.tolist()])
    origins = np.where(walk.forward, graph.subjects[walk.slots], graph.objects[walk.slots])
    for hop in range(1, int(walk.hops.max(initial=0)) + 1):
        rows = np.flatnonzero(walk.hops == hop)
        before = given[nodes.searchsorted(origins[rows])] if hop == 1 else scores[walk.parents[rows]] * DECAY
        scores[rows] = before * graph.confidences[walk.slots[rows]]
    return scores


def _item(walk: Walk, row: int, triple: Triple, named: Collection[int]) -> Expanded:
    """The entity at the far end of a walked triple; at the near one where the question names the far one already."""
    reached, near = (
        (triple.object_id, triple.subject_id) if walk.forward[row] else (triple.subject_id, triple.object_id)
    )
    if reached in named and near not in named:
        reached = near
    if reached == triple.object_id:
        ends = triple.object, triple.object_type, triple.predicate, triple.subject
    else:
        ends = triple.subject, triple.subject_type, triple.predicate, triple.object
    return Expanded(*ends, triple, int(walk.hops[row]))


def _said_predicates(asked: Asked) -> Ids:
    """Those that the question's words mean: "owns" is owned_by too."""
    stored, ontology = asked.predicates, asked.question.ontology
    said = {map_predicate(" ".join(run), ontology).predicate for run in _verbs(asked.question.query)}
    said |= {inverse for each in said for _, inverse in ontology.inverses(each)}
    return np.array(sorted(stored[each] for each in said if each in stored), dtype=np.int64)


def _expansion_predicates(asked: Asked, said: Ids) -> Ids:
    """Those that are set, those of dependencies, and those that the question says."""
    stored, ontology = asked.predicates, asked.question.ontology
    named = {canonical_predicate(each) for each in asked.question.expansion.predicates}
    named |= {canonical_predicate(each) for each in ontology.dependencies()}
    return np.union1d(said, np.array([stored[each] for each in named if each in stored], dtype=np.int64))


def _verbs(query: str) -> Iterator[list[str]]:
    """Runs of words that may say a predicate: a few, not all of them stop words."""
    words = [found[0].casefold() for found in islice(WORD.finditer(query), MOST_WORDS)]
    for length in range(1, LONGEST_VERB + 1):
        for first in range(len(words) - length + 1):
            run = words[first : first + length]
            if not STOP_WORDS.issuperset(run):
                yield run


def _seeds_of_hits(asked: Asked, chunk_ids: Sequence[int]) -> list[Seed]:
    """The entities of chunks, each by how few chunks mention it; none counts as much as one that the question names."""
    known = {seed.entity_id for seed in asked.seeds}
    mentions = asked.web.mentions
    places, entity_ids, _ = mentions.entities_of(np.array(chunk_ids, dtype=np.int64))
    said_in: dict[int, int] = {}
    found: list[tuple[int, int]] = sorted(zip(places.tolist(), entity_ids.tolist(), strict=True))
    for place, entity_id in found:
        if entity_id not in known:
            said_in.setdefault(entity_id, chunk_ids[place])
    ids = np.array(list(said_in), dtype=np.int64)
    counts = np.maximum(mentions.chunk_counts(ids), 1)
    rarest = np.lexsort((ids, counts))[:MOST_NEARBY]
    counted: dict[int, int] = dict(zip(ids[rarest].tolist(), counts[rarest].tolist(), strict=True))
    heads = entity_heads(asked.tx, counted)
    most = NEARBY * max((seed.weight for seed in asked.seeds), default=1.0)
    words = _cited(asked, {said_in[each] for each in counted})
    return [
        Seed(
            each, words[said_in[each]], min(most, NEARBY / count), count, heads[each].name, heads[each].type, "passage"
        )
        for each, count in counted.items()
        if each in heads
    ]


def _cited(asked: Asked, chunk_ids: Collection[int]) -> Mapping[int, str]:
    """What to call passages: where they stand, for those who ask why."""
    if not asked.question.explain:
        return dict.fromkeys(chunk_ids, "a passage near to the question")
    return {each: place_of(chunk) for each, chunk in chunks_by_id(asked.tx, chunk_ids).items()}


def _nearest_entities(asked: Asked) -> list[Seed]:
    if asked.vector is None:
        return []
    near = entity_vectors(asked.store, asked.tx).nearest(asked.tx, asked.vector, limit=LOCAL_ENTITIES)
    heads = entity_heads(asked.tx, [each for each, cosine in near if cosine >= LEAST_COSINE])
    counts = asked.web.mentions.chunk_counts(np.array(list(heads), dtype=np.int64)).tolist()
    said = dict(zip(heads, counts, strict=True))
    return [
        Seed(each, "nearness in meaning", cosine, said[each], heads[each].name, heads[each].type, "meaning")
        for each, cosine in near
        if each in heads
    ]


def _ranked(asked: Asked, weights: Mapping[int, float]) -> Ranked:
    """Chunks by weight, what words and vectors find nearer first among equals; only those that the filters allow."""
    allowed = None if asked.among is None else set(asked.among.tolist())
    kept: Iterable[int] = (each for each in weights if allowed is None or each in allowed)
    order = sorted(kept, key=lambda each: (-round(weights[each], 9), -asked.closeness.get(each, 0.0), each))
    return [(each, weights[each]) for each in order][: asked.depth]
