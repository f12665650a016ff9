"""The entities that a question names: the longest runs of its words that are a name or an alias.

The weight of a seed is its specificity: 1 over the number of chunks with its name. All chunks that contain the words of
the name count, so that a name which is also a common word or phrase weighs little; only those that mention the entity
count if the question capitalises the name and a document has it as title: then the question is about that document.
What the question rules out, as in "which city, not Paris" or "other than Paris", is no seed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mcp_graphrag.index.keyword_index import Keywords
from mcp_graphrag.index.mention_index import Mentions
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import STOP_WORDS, WORD, text_terms
from mcp_graphrag.search.query import Seed
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.entity_rows import entity_labels

MAX_NAME_WORDS = 8
MAX_QUERY_WORDS = 400
PREPOSITIONS = r"(?:in|from|by|of|at|on|for|to|with|about)"
# What stands before a name that the question rules out. Behind "does not" stands a verb, "why not" proposes, and "isn't
# A in B?" asks about A.
RULED_OUT = re.compile(
    r"(?:\b(?P<kept>(?:do|does|did|can|could|should|would|will|shall|may|might|must|to|why|or)\s+)?not"
    rf"|\b(?:that|which|who)\s+(?:is|are|was|were)n['’]t|\b(?:is|are|was|were)n['’]t(?=\s+{PREPOSITIONS}\b)"
    r"|\b(?:other\s+than|instead\s+of|rather\s+than|besides|excluding|except(?:\s+for)?|(?:apart|aside)\s+from))"
    rf"(?:\s+{PREPOSITIONS})?(?:\s+(?:the|an?)(?:\s+ones?\s+(?:in|from|by|of|at|on|about))?)?"
    r"\s+[\"'“‘«(]?\Z",
    re.IGNORECASE,
)
ALSO = re.compile(r"[\"'”’»)]?(?:,?\s+n?or|\s+and)\s+(?:(?:the|an?)\s+)?[\"'“‘«(]?", re.IGNORECASE)
_MARK = re.compile(r"[,;:!?()]\s|\s\(|[a-z]{4}\.\s|\s[-–—/]\s")
MAX_BEFORE = 60  # characters in front of a name that may rule it out

Span = tuple[int, int]


def link_question(snapshot: Snapshot, keywords: Keywords, mentions: Mentions, query: str) -> list[Seed]:
    """The entities that the question names, in the order of its words; entities of one name share its weight."""
    spans = [match.span() for match in WORD.finditer(query)][:MAX_QUERY_WORDS]
    runs = {
        (first, first + length): _norm(query, spans[first : first + length])
        for length in range(min(MAX_NAME_WORDS, len(spans)), 0, -1)
        for first in range(len(spans) - length + 1)
    }
    entities_by_norm = snapshot.entities_named(sorted({norm for norm in runs.values() if norm}), in_documents=True)
    runs = _within_marks(snapshot.tx, query, spans, runs, entities_by_norm)
    seeds: dict[int, Seed] = {}
    for first, last in _not_ruled_out(_longest(runs, entities_by_norm), spans, query):
        words = query[spans[first][0] : spans[last - 1][1]]
        entity_ids = [entity_id for entity_id, _ in entities_by_norm[runs[first, last]]]
        ids = np.array(entity_ids, dtype=np.int64)
        chunks = mentions.chunk_count(ids)
        if not chunks or not (runs[first, last] in mentions.titles and first and _is_capitalised(words)):
            chunks = chunk_frequency(keywords, words, chunks)
        counts: list[int] = mentions.chunk_counts(ids).tolist()
        total = sum(counts)
        for entity_id, count in zip(entity_ids, counts, strict=True):
            if share := count / total if total else 1 / len(counts):
                seeds.setdefault(entity_id, Seed(entity_id, words, share / max(chunks, 1), chunks))
    return with_names(snapshot.tx, list(seeds.values()))


def _within_marks(
    tx: Reader,
    query: str,
    spans: Sequence[Span],
    runs: Mapping[Span, str],
    entities_by_norm: Mapping[str, Sequence[tuple[int, bool]]],
) -> dict[Span, str]:
    """The runs of words; one across a comma or bracket is only a name that has such a mark: "Paris, Texas"."""
    across = {
        run: norm
        for run, norm in runs.items()
        if norm in entities_by_norm and _MARK.search(query, spans[run[0]][0], spans[run[1] - 1][1])
    }
    ids = {entity_id for norm in across.values() for entity_id, _ in entities_by_norm[norm]}
    marked = {entity_id for entity_id, head in entity_labels(tx, ids).items() if _MARK.search(head.name)}
    return {
        run: norm
        for run, norm in runs.items()
        if run not in across or any(entity_id in marked for entity_id, _ in entities_by_norm[norm])
    }


def with_names(tx: Reader, seeds: Sequence[Seed]) -> list[Seed]:
    """The seeds with the names and types of their entities, without those whose entity is not in force."""
    heads = entity_labels(tx, {seed.entity_id for seed in seeds})
    return [
        replace(seed, name=heads[seed.entity_id].name, type=heads[seed.entity_id].type)
        for seed in seeds
        if seed.entity_id in heads
    ]


def chunk_frequency(keywords: Keywords, name: str, mentioned: int) -> int:
    """How many chunks have all words of a name that `mentioned` chunks mention, at least as many as these."""
    terms = text_terms(normal_form(name))  # without the article
    return max(mentioned, len(keywords.chunks_with(terms))) if terms else mentioned


def _norm(query: str, spans: Sequence[Span]) -> str:
    """The normal form of a run of words, "" for a single stop word, letter or sign."""
    run = query[spans[0][0] : spans[-1][1]]
    return "" if len(spans) == 1 and (len(run) < 2 or run.casefold() in STOP_WORDS) else normal_form(run)


def _is_capitalised(name: str) -> bool:
    """Whether the first word that is no article or other stop word has a capital letter."""
    return next((word[0].isupper() for word in WORD.findall(name) if word.casefold() not in STOP_WORDS), False)


def _not_ruled_out(names: Sequence[Span], spans: Sequence[Span], query: str) -> list[Span]:
    """The names, in reading order, without those that the question rules out: X, or X and Y, of "not X or Y"."""
    kept: list[Span] = []
    ruled_out = -1  # where the last name that is ruled out ends
    for first, last in names:
        start, end = spans[first][0], spans[last - 1][1]
        before = RULED_OUT.search(query[max(0, start - MAX_BEFORE) : start])
        if (before and not before["kept"]) or (ruled_out >= 0 and ALSO.fullmatch(query, ruled_out, start)):
            ruled_out = end
        else:
            kept.append((first, last))
    return kept


def _longest(runs: Mapping[Span, str], entities_by_norm: Mapping[str, object]) -> list[Span]:
    """The longest runs that are names, none overlapping another, in reading order."""
    taken: set[int] = set()
    chosen: list[Span] = []
    for (first, last), norm in runs.items():
        if norm in entities_by_norm and taken.isdisjoint(range(first, last)):
            taken.update(range(first, last))
            chosen.append((first, last))
    return sorted(chosen)
