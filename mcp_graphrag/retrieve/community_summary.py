"""Title and summary of a community without a model: its central entities, its surest triples, its typical sentences.

Everything in them stands in the graph: names, triples in words, sentences as the documents have them, each cited.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from mcp_graphrag.embed import Embedder, make_embedder
from mcp_graphrag.extract.sentences import split_sentences
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.model import Ids, StoredChunk
from mcp_graphrag.retrieve.community_ground import FRAME, Drawn, Ground
from mcp_graphrag.store import Reader
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.communities import MentionRows, mention_rows
from mcp_graphrag.store.documents import chunks_by_id
from mcp_graphrag.store.entities import type_key

MOST_TOKENS = 120
TITLE_NAMES, TITLE_CHOICE = 3, 9  # so many of so many central ones
CENTRAL = 6
TRIPLES = 5
CHUNKS = 4  # a community reads so many of the chunks that name its members
SENTENCES = 2
FOR_A_SENTENCE = 35  # tokens that triples leave to quotes
LONGEST_NAME, LONGEST_IN_TITLE = 60, 40  # characters
SENTENCES_READ = 24
SHORTEST, LONGEST = 30, 260  # characters of a sentence that is worth a quote
BATCH = 400
VAGUE = frozenset({"related_to", "part_of"})  # predicates that say little of a whole
WORD = re.compile(r"\w+")
MARKUP = re.compile(r"[|`{}<>\[\]]|^[#*\-+>]|^\d+[.)]\s|\n")


@dataclass(frozen=True)
class Summary:
    """What is said of a community, with the citations of what is quoted."""

    title: str
    summary: str
    citations: tuple[str, ...] = ()


@dataclass
class _Reading:
    """The chunks that a community reads: by chunk the spans of its members, as (start, end, node)."""

    chunks: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict[int, list[tuple[int, int, int]]])


@dataclass(frozen=True)
class _Sentence:
    text: str
    citation: str
    importance: float


def summarise(tx: Reader, ground: Ground, embedder: Embedder, drawn: Sequence[Drawn]) -> Iterator[Summary]:
    """A title and a summary of each community, in their order."""
    if not drawn:
        return
    mentions = mention_rows(tx)
    nodes = ground.nodes(mentions.entity_ids)
    reading = _what_to_read(mentions, nodes, drawn, len(ground.entity_ids))
    static = embedder if embedder.instant else _static()
    for start in range(0, len(drawn), BATCH):
        batch = range(start, min(start + BATCH, len(drawn)))
        chunks = chunks_by_id(tx, {each for at in batch for each in reading[at].chunks})
        spans: dict[int, list[tuple[int, int]]] = {}
        candidates = [_sentences(drawn[at], reading[at], chunks, spans) for at in batch]
        chosen = _most_typical(static, candidates)
        for at, sentences in zip(batch, chosen, strict=True):
            yield _in_words(ground, drawn[at], sentences)


@cache
def _static() -> Embedder:
    return make_embedder("wordllama")


def _what_to_read(mentions: MentionRows, nodes: Ids, drawn: Sequence[Drawn], count: int) -> list[_Reading]:
    """For each community the chunks that name the most of what matters in it, those that name two at least first."""
    found = [_Reading() for _ in drawn]
    _, firsts, at = np.unique(mentions.chunk_ids, return_index=True, return_inverse=True)
    place = firsts[at]  # where a chunk stands in the order of the documents
    for level in sorted({each.level for each in drawn}):
        owner = np.full(count, -1, dtype=np.int64)
        rank = np.zeros(count, dtype=np.float64)
        for number, each in enumerate(drawn):
            if each.level == level:
                owner[each.nodes], rank[each.nodes] = number, each.ranks
        mine = np.flatnonzero(nodes >= 0)
        mine = mine[owner[nodes[mine]] >= 0]
        mine = mine[np.lexsort((mentions.starts[mine], nodes[mine], place[mine], owner[nodes[mine]]))]
        owners, places, members = owner[nodes[mine]], place[mine], nodes[mine]
        begins = _begins(owners, places)
        once = _begins(owners, places, members)
        group = np.cumsum(begins) - 1
        names = np.bincount(group[once])
        weight = np.bincount(group[once], weights=rank[members[once]])
        heads = np.flatnonzero(begins)
        ends = np.append(heads[1:], len(mine))
        order = np.lexsort((places[heads], -weight, names < 2, owners[heads]))
        read: Counter[int] = Counter()
        for one in order.tolist():
            number = int(owners[heads[one]])
            if read[number] < CHUNKS:
                read[number] += 1
                rows = mine[heads[one] : ends[one]]
                spans = zip(
                    mentions.starts[rows].tolist(), mentions.ends[rows].tolist(), nodes[rows].tolist(), strict=True
                )
                found[number].chunks[int(mentions.chunk_ids[rows[0]])] = list(spans)
    return found


def _begins(*columns: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where a row differs from the one before it."""
    differs = np.ones(len(columns[0]), dtype=np.bool_)
    differs[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return differs


def _sentences(
    drawn: Drawn, reading: _Reading, chunks: Mapping[int, StoredChunk], spans: dict[int, list[tuple[int, int]]]
) -> list[_Sentence]:
    """The sentences that name a member, those that name the most first; `spans` remembers those of a chunk."""
    rank = dict(zip(drawn.nodes.tolist(), drawn.ranks.tolist(), strict=True))
    found: list[_Sentence] = []
    for chunk_id, named in reading.chunks.items():
        chunk = chunks[chunk_id]
        if chunk_id not in spans:
            spans[chunk_id] = [each for each in split_sentences(chunk.text) if _worth_quoting(chunk.text, *each)]
        citation = cite_chunk(chunk)
        for start, end in spans[chunk_id]:
            inside = {node for first, last, node in named if start <= first - chunk.start and last - chunk.start <= end}
            if inside:
                found.append(_Sentence(chunk.text[start:end], citation, sum(rank[node] for node in sorted(inside))))
    found.sort(key=lambda each: -each.importance)
    return found[:SENTENCES_READ]


def _worth_quoting(text: str, start: int, end: int) -> bool:
    return SHORTEST <= end - start <= LONGEST and text[end - 1] in ".!?" and not MARKUP.search(text[start:end])


def _most_typical(embedder: Embedder, candidates: Sequence[Sequence[_Sentence]]) -> list[list[_Sentence]]:
    """Of each list the sentences nearest to the centre of them all, and that name what matters."""
    texts = [each.text for sentences in candidates for each in sentences]
    vectors = embedder.embed(texts) if texts else np.zeros((0, 1), dtype=np.float32)
    chosen: list[list[_Sentence]] = []
    first = 0
    for sentences in candidates:
        rows = vectors[first : first + len(sentences)]
        first += len(sentences)
        if not sentences:
            chosen.append([])
            continue
        centre = np.mean(rows, axis=0)
        near = np.asarray(rows @ centre, dtype=np.float64) / max(float(np.linalg.norm(centre)), 1e-12)
        score = np.round(near, 4) + 0.1 * np.array([min(each.importance, 3) for each in sentences], dtype=np.float64)
        order: list[int] = np.argsort(-score, kind="stable").tolist()
        kept: dict[str, _Sentence] = {}
        for at in order:
            kept.setdefault(sentences[at].text.casefold(), sentences[at])
        chosen.append(list(kept.values())[:SENTENCES])
    return chosen


def _in_words(ground: Ground, drawn: Drawn, sentences: Sequence[_Sentence]) -> Summary:
    central = _central(ground, drawn)
    named = ", ".join(
        f"{_short(ground.names[node])} ({ground.types[node]})" if ground.types[node] else _short(ground.names[node])
        for node in central[:CENTRAL]
    )
    more = len(drawn.nodes) - CENTRAL
    parts = [f"{named}{f' and {more} more' if more > 0 else ''}."]
    triples = _strongest(ground, drawn)
    while triples and estimate_tokens("; ".join([*parts, *triples])) > MOST_TOKENS - FOR_A_SENTENCE:
        triples.pop()
    parts += [f"{'; '.join(triples)}."] if triples else []
    citations: list[str] = []
    for each in sentences:
        if estimate_tokens(" ".join([*parts, each.text])) + 2 <= MOST_TOKENS:
            parts.append(f"“{each.text}”")
            citations.append(each.citation)
    return Summary(_title(ground, central), " ".join(parts), tuple(dict.fromkeys(citations)))


def _short(name: str, longest: int = LONGEST_NAME) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def _central(ground: Ground, drawn: Drawn) -> list[int]:
    """The nodes, the most central first; what only says where and when comes after the rest."""
    nodes = drawn.nodes.tolist()
    return sorted(nodes, key=lambda node: _is_frame(ground.types[node]))


def _is_frame(type_: str) -> bool:
    return type_key(type_) in FRAME


def _title(ground: Ground, central: Sequence[int]) -> str:
    """Up to three central names, none that is within another; long ones only where there are too few others."""
    names: list[str] = []
    told: list[set[str]] = []
    choice = [ground.names[node] for node in central[:TITLE_CHOICE]]
    for name in sorted(choice, key=lambda each: len(each) > LONGEST_IN_TITLE):
        words = set(WORD.findall(name.casefold())) or {name}
        if len(names) < TITLE_NAMES and not any(words <= each or each <= words for each in told):
            names.append(_short(name, LONGEST_IN_TITLE))
            told.append(words)
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _strongest(ground: Ground, drawn: Drawn) -> list[str]:
    """The triples that say the most in words: sure ones between central entities, not all of one."""
    rank = dict(zip(drawn.nodes.tolist(), drawn.ranks.tolist(), strict=True))
    scored: list[tuple[float, str, int, int]] = []
    slots: list[int] = drawn.slots.tolist()
    for slot in slots:
        subject, object_ = int(ground.subjects[slot]), int(ground.objects[slot])
        vague = ground.predicates[slot] in VAGUE or _is_frame(ground.types[subject]) or _is_frame(ground.types[object_])
        score = float(ground.confidences[slot]) * (rank[subject] + rank[object_]) * (0.3 if vague else 1)
        verb = ground.predicates[slot].replace("_", " ")
        words = f"{_short(ground.names[subject])} {verb} {_short(ground.names[object_])}"
        scored.append((-round(score, 4), words, subject, object_))
    told: list[str] = []
    used: Counter[int] = Counter()
    pairs: set[frozenset[int]] = set()  # what is said of two once is often said again the other way round
    for _, words, subject, object_ in sorted(scored):
        if frozenset({subject, object_}) in pairs or max(used[subject], used[object_]) >= 2:
            continue
        told.append(words)
        pairs.add(frozenset({subject, object_}))
        used[subject] += 1
        used[object_] += 1
        if len(told) == TRIPLES:
            break
    return told
