"""Title and summary of a community without a model: central entities, confident triples, typical sentences.

Everything in them is in the graph: names, triples as text, and sentences of documents, which are cited.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.communities.community_graph import CommunityGraph, DetectedCommunity, is_context, memberships
from mcp_graphrag.embed import Embedder
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.model import Ids, StoredChunk
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.community_rows import MentionPositions, mention_positions
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_TOKENS = 120
MAX_TITLE_NAMES, TITLE_CANDIDATES = 3, 9
MAX_MEMBERS_NAMED = 6
MAX_TRIPLES_QUOTED = 5
MAX_CHUNKS_READ = 4  # a community reads so many of the chunks that name its members
MAX_SENTENCES = 2
SENTENCE_TOKENS = 35  # tokens that triples leave to quotes
MAX_NAME_LENGTH, MAX_TITLE_NAME_LENGTH = 60, 40  # characters
MAX_CANDIDATES = 24
MIN_SENTENCE_LENGTH, MAX_SENTENCE_LENGTH = 30, 260  # characters of a sentence that is worth a quote
BATCH = 400
VAGUE_PREDICATES = frozenset({"related_to", "part_of"})
WORD = re.compile(r"\w+")
NAME = re.compile(r"[^\W\d_a-z][^\W\d_]")  # a word with a capital, or of letters without case
IDENTIFIER = re.compile(
    r"_|\(\)|[a-z][.:/][a-z]|[a-z][A-Z]|^\W*\d|^[A-Z]\.\d"
    r"|^(?:Appendix|Chapter|Figure|Group|Image|Part|Section|Step|Table) (?:\d|[A-Z]\b)"
)
VAGUE_TYPES = frozenset({"role", "document", "date"})  # as `type_key`s
VALUES = frozenset({"false", "no", "none", "null", "true", "yes"})
# Of a name in a title, where one with a type counts 1; of paths and values.
UNTYPED_WEIGHT, IDENTIFIER_WEIGHT, VALUE_WEIGHT = 0.6, 0.3, 0.1
# The chunks that are read for a community: by chunk the mentions of members, as (start, end, node).
_Mentions = dict[int, list[tuple[int, int, int]]]
MARKUP = re.compile(r"[|`{}<>\[\]]|^[#*\-+>]|^\d+[.)]\s|\n")


@dataclass(frozen=True)
class Summary:
    """Title and summary of a community, with the citations of quoted sentences."""

    title: str
    summary: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Sentence:
    text: str
    citation: str
    importance: float


def summarize_communities(
    snapshot: Snapshot, graph: CommunityGraph, communities: Sequence[DetectedCommunity]
) -> Iterator[Summary]:
    """Title and summary of each community, in order."""
    if not communities:
        return
    mentions = mention_positions(snapshot.tx)
    nodes = graph.nodes(mentions.entity_ids)
    reading = _choose_chunks(mentions, nodes, communities)
    for start in range(0, len(communities), BATCH):
        batch = range(start, min(start + BATCH, len(communities)))
        chunks = chunks_by_id(snapshot.tx, {chunk_id for at in batch for chunk_id in reading[at]})
        spans: dict[int, list[tuple[int, int]]] = {}
        candidates = [_sentences(communities[at], reading[at], chunks, spans) for at in batch]
        chosen = _most_typical(snapshot.embedders.static, candidates)
        for at, sentences in zip(batch, chosen, strict=True):
            yield _summary(graph, communities[at], sentences)


def _choose_chunks(mentions: MentionPositions, nodes: Ids, communities: Sequence[DetectedCommunity]) -> list[_Mentions]:
    """For each community, the chunks with the most important mentions, those that name at least two members first."""
    found: list[_Mentions] = [{} for _ in communities]
    _, firsts, at = np.unique(mentions.chunk_ids, return_index=True, return_inverse=True)
    known = np.flatnonzero(nodes >= 0)
    places, owners, members = memberships([community.nodes for community in communities], nodes[known])
    rows = known[places]
    # By community, chunk in the order of the documents, and member.
    order = np.lexsort((mentions.starts[rows], nodes[rows], firsts[at][rows], owners))
    rows, owners = rows[order], owners[order]
    ranks = np.concatenate([community.ranks for community in communities])[members[order]]
    places = firsts[at][rows]
    begins = _changes(owners, places)
    once = _changes(owners, places, nodes[rows])
    group = np.cumsum(begins) - 1
    names = np.bincount(group[once])
    weight = np.bincount(group[once], weights=ranks[once])
    heads = np.flatnonzero(begins)
    ends = np.append(heads[1:], len(rows))
    best: list[int] = np.lexsort((places[heads], -weight, names < 2, owners[heads])).tolist()
    for one in best:
        chunks = found[int(owners[heads[one]])]
        if len(chunks) < MAX_CHUNKS_READ:
            inside = rows[heads[one] : ends[one]]
            spans = zip(*(column[inside].tolist() for column in (mentions.starts, mentions.ends, nodes)), strict=True)
            chunks[int(mentions.chunk_ids[inside[0]])] = list(spans)
    return found


def _changes(*columns: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each row differs from the one before it."""
    differs = np.ones(len(columns[0]), dtype=np.bool_)
    differs[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return differs


def _sentences(
    community: DetectedCommunity,
    reading: _Mentions,
    chunks: Mapping[int, StoredChunk],
    spans: dict[int, list[tuple[int, int]]],
) -> list[_Sentence]:
    """The sentences that name a member, the most important first; `spans` caches those of a chunk."""
    rank = dict(zip(community.nodes.tolist(), community.ranks.tolist(), strict=True))
    found: list[_Sentence] = []
    for chunk_id, named in reading.items():
        chunk = chunks[chunk_id]
        if chunk_id not in spans:
            spans[chunk_id] = [span for span in sentence_spans(chunk.text) if _worth_quoting(chunk.text, *span)]
        citation = cite_chunk(chunk)
        for start, end in spans[chunk_id]:
            inside = {node for first, last, node in named if start <= first - chunk.start and last - chunk.start <= end}
            if inside:
                found.append(_Sentence(chunk.text[start:end], citation, sum(rank[node] for node in sorted(inside))))
    found.sort(key=lambda sentence: -sentence.importance)
    return found[:MAX_CANDIDATES]


def _worth_quoting(text: str, start: int, end: int) -> bool:
    return (
        MIN_SENTENCE_LENGTH <= end - start <= MAX_SENTENCE_LENGTH
        and text[end - 1] in ".!?"
        and not MARKUP.search(text[start:end])
    )


def _most_typical(embedder: Embedder, candidates: Sequence[Sequence[_Sentence]]) -> list[list[_Sentence]]:
    """From each list, the sentences that are nearest to its centroid and name the most important members."""
    texts = [sentence.text for sentences in candidates for sentence in sentences]
    vectors = embedder.embed(texts) if texts else np.zeros((0, 1), dtype=np.float32)
    chosen: list[list[_Sentence]] = []
    first = 0
    for sentences in candidates:
        rows = vectors[first : first + len(sentences)]
        first += len(sentences)
        kept: dict[str, _Sentence] = {}
        if sentences:
            centroid = np.mean(rows, axis=0)
            near = np.asarray(rows @ centroid, dtype=np.float64) / max(float(np.linalg.norm(centroid)), 1e-12)
            score = np.round(near, 4) + 0.1 * np.array([min(sentence.importance, 3) for sentence in sentences])
            order: list[int] = np.argsort(-score, kind="stable").tolist()
            for at in order:
                kept.setdefault(sentences[at].text.casefold(), sentences[at])
        chosen.append(list(kept.values())[:MAX_SENTENCES])
    return chosen


def _summary(graph: CommunityGraph, community: DetectedCommunity, sentences: Sequence[_Sentence]) -> Summary:
    nodes: list[int] = community.nodes.tolist()
    # The most telling first, those of documents and dates last.
    worth = dict(zip(nodes, _worth(graph, community), strict=True))
    central = sorted(nodes, key=lambda node: (is_context(graph.types[node]), -worth[node]))
    named = ", ".join(
        _truncate(graph.names[node]) + (f" ({graph.types[node]})" if graph.types[node] else "")
        for node in central[:MAX_MEMBERS_NAMED]
    )
    more = len(nodes) - MAX_MEMBERS_NAMED
    parts = [f"{named}{f' and {more} more' if more > 0 else ''}."]
    triples = _strongest_triples(graph, community)
    while triples and estimate_tokens("; ".join([*parts, *triples])) > MAX_TOKENS - SENTENCE_TOKENS:
        triples.pop()
    parts += [f"{'; '.join(triples)}."] if triples else []
    citations: list[str] = []
    for sentence in sentences:
        if estimate_tokens(" ".join([*parts, sentence.text])) + 2 <= MAX_TOKENS:
            parts.append(f"“{sentence.text}”")
            citations.append(sentence.citation)
    return Summary(_title(graph, central), " ".join(parts), tuple(dict.fromkeys(citations)))


def _truncate(name: str, max_length: int = MAX_NAME_LENGTH) -> str:
    return name if len(name) <= max_length else f"{name[: max_length - 1].rstrip()}…"


def _worth(graph: CommunityGraph, community: DetectedCommunity) -> list[float]:
    """How well each member says what the community is about and the others are not, as class-based TF-IDF has it.

    Central members are worth more, those that other communities share less, and typed names more than identifiers.
    """
    nodes: list[int] = community.nodes.tolist()
    kinds = np.array([_kind_weight(graph.names[node], graph.types[node]) for node in nodes])
    worth = community.ranks.astype(np.float64) * community.shares.astype(np.float64) ** 2 * kinds
    return np.round(worth, 6).tolist()


def _kind_weight(name: str, type_: str) -> float:
    if "/" in name or name.casefold() in VALUES:
        return VALUE_WEIGHT
    if not NAME.search(name) or IDENTIFIER.search(name):
        return IDENTIFIER_WEIGHT
    return 1.0 if type_ and type_key(type_) not in VAGUE_TYPES else UNTYPED_WEIGHT


def _title(graph: CommunityGraph, central: Sequence[int]) -> str:
    """Up to three of the first names, none contained in another; long ones only if there are too few others."""
    names: list[str] = []
    words_used: list[set[str]] = []
    choice = [graph.names[node] for node in central[:TITLE_CANDIDATES]]
    for name in sorted(choice, key=lambda name: len(name) > MAX_TITLE_NAME_LENGTH):
        words = set(WORD.findall(name.casefold())) or {name}
        if len(names) < MAX_TITLE_NAMES and not any(
            words <= words_of_name or words_of_name <= words for words_of_name in words_used
        ):
            names.append(_truncate(name, MAX_TITLE_NAME_LENGTH))
            words_used.append(words)
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _strongest_triples(graph: CommunityGraph, community: DetectedCommunity) -> list[str]:
    """The most important triples as text: confident ones between central entities, at most two per entity."""
    rank = dict(zip(community.nodes.tolist(), community.ranks.tolist(), strict=True))
    scored: list[tuple[float, str, int, int]] = []
    slots: list[int] = community.slots.tolist()
    for slot in slots:
        subject, object_ = int(graph.subjects[slot]), int(graph.objects[slot])
        ends_in_context = is_context(graph.types[subject]) or is_context(graph.types[object_])
        vague = graph.predicates[slot] in VAGUE_PREDICATES or ends_in_context
        score = float(graph.confidences[slot]) * (rank[subject] + rank[object_]) * (0.3 if vague else 1)
        verb = graph.predicates[slot].replace("_", " ")
        words = f"{_truncate(graph.names[subject])} {verb} {_truncate(graph.names[object_])}"
        scored.append((-round(score, 4), words, subject, object_))
    texts: list[str] = []
    used: Counter[int] = Counter()
    pairs: set[frozenset[int]] = set()  # two entities often have the same triple in both directions
    for _, words, subject, object_ in sorted(scored):
        pair = frozenset({subject, object_})
        if len(texts) < MAX_TRIPLES_QUOTED and pair not in pairs and max(used[subject], used[object_]) < 2:
            texts.append(words)
            pairs.add(pair)
            used.update([subject, object_])
    return texts
