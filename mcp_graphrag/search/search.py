"""Search: from a question to hits, by one retriever or several fused ones."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Expanded, Hit
from mcp_graphrag.search.filters import allowed_chunks, explain_no_match, triples_within
from mcp_graphrag.search.hits import ModeRanking, build_hits
from mcp_graphrag.search.modes import DIRECT_HITS, RANKINGS, other_hits, seeds_of
from mcp_graphrag.search.query import Mode, SearchAnswer, SearchQuery
from mcp_graphrag.search.quoted_identifiers import missing_identifiers
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.search.triple_walk import local_arm
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.tracing import traced

MAX_QUERY_LENGTH = 20_000
MAX_TERMS = 400
WORLD_TIME_MODES: frozenset[Mode] = frozenset({"graph", "multi", "multi_hop", "local"})  # to which as_of applies
CODE_SOUGHT = re.compile(
    r"\s*(where\s+(?:is|are)\s.+?)(?:\s+(?:logic|implementation|implemented))+[\s?.]*", re.IGNORECASE | re.DOTALL
)
DEEP_LIMIT = 500  # hits to look for if copies of one text took the places


@traced("retrieve", "mode", "hits")
def search(snapshot: Snapshot, query: SearchQuery) -> SearchAnswer:
    """The best chunks for a question, each text once.

    Raises BadInput for an empty or overlong question, UnknownName for a filter that names what is not stored.
    """
    if not query.text.strip():
        raise BadInput("The query is empty.", "Ask a question or give some words.")
    if len(query.text) > MAX_QUERY_LENGTH:
        raise BadInput(
            f"The query has {len(query.text)} characters; the most is {MAX_QUERY_LENGTH}.", "Ask a shorter question."
        )
    among = allowed_chunks(snapshot, query)
    if among is not None and not len(among):
        why = explain_no_match(snapshot, query) if snapshot.keywords.count else _no_documents(snapshot)
        return SearchAnswer(query.mode, [], [why])
    sought, terms_of = _sought(query.text), snapshot.keywords.terms_of
    terms = (terms_of(sought) or terms_of(query.text))[:MAX_TERMS]
    context = SearchContext(snapshot, query, terms, among, sought)
    ranking, hits = _run_mode(context)
    expanded = ranking.expanded or ([] if hits else local_arm(context).expanded)
    expanded = triples_within(snapshot, expanded, among)
    seeds = seeds_of(context, ranking) if query.explain else ()
    for note in _notes(context, ranking, hits, expanded):
        context.note(note)
    return SearchAnswer(
        ranking.mode, hits, context.notes, expanded, ranking.communities, seeds, context.keywords.weights(context.terms)
    )


def _sought(question: str) -> str:
    """A question without the last words of one like "where is the retry logic".

    They tell that code is sought, which seldom has them: what has them would come first.
    """
    found = CODE_SOUGHT.fullmatch(question)
    return question if found is None else found[1]


def _run_mode(context: SearchContext) -> tuple[ModeRanking, list[Hit]]:
    """The ranking and the hits of the mode; the mode is run deeper if copies of one text took up the ranking."""
    mode, limit = context.query.mode, context.query.limit
    ranking = RANKINGS[mode](context)
    hits = build_hits(context, ranking, limit)
    crowded = len(hits) < limit and any(hit.also_in for hit in hits)
    # Mode edges ranks few chunks on purpose; any other short ranking has no more to give.
    if not crowded or (mode != "edges" and len(ranking.ranked) < context.depth):
        return ranking, hits
    deeper = replace(context, query=replace(context.query, limit=max(DEEP_LIMIT, limit)))
    ranking = RANKINGS[mode](deeper)
    if mode == "edges":
        ranking = replace(ranking, ranked=[*ranking.ranked, *other_hits(deeper, ranking.ranked)])
    return ranking, build_hits(deeper, ranking, limit)


def _notes(
    context: SearchContext, ranking: ModeRanking, hits: Sequence[Hit], expanded: Sequence[Expanded]
) -> Iterator[str]:
    """What the caller should know of the hits and of options that did not apply."""
    query = context.query
    # Only if no hit has a word of the question, keyword search tells whether any chunk has.
    if hits and context.terms and not any(hit.terms for hit in hits) and not context.by_keyword:
        yield f"{_no_chunk(context)} contains a word of the question. These are the nearest in meaning."
    elif hits and (missing := missing_identifiers(hits, query.text, limit=2)):
        named = " or ".join(f"'{identifier}'" for identifier in missing)
        yield f"No chunk shown has {named} in this spelling."
    if context.snapshot.when.as_of and not (ranking.mode in WORLD_TIME_MODES or expanded or query.predicate):
        yield "as_of applies to triples only, in modes graph, multi, multi_hop and local."
    if ranking.communities and context.among is not None:
        yield "The filters apply to chunks; communities are of the whole graph."
    if query.walk.relations and query.mode not in {"edges", "multi"}:
        yield "relations apply in modes edges and multi only."
    if not hits:
        yield _why_no_hits(context, expanded)
    if query.explain and query.mode == "auto" and ranking.mode == "multi_hop" and len(hits) > DIRECT_HITS:
        yield "Its first hits are those that answer directly, by words, vectors or the first pass."


def _why_no_hits(context: SearchContext, expanded: Sequence[Expanded]) -> str:
    stored = context.keywords.count
    if stored and context.query.mode == "vector":  # for which something is always nearest
        if context.similarity.is_blank:
            return "The embedder knows none of the words of the question. Use other words, or mode keyword."
        return f"{_no_chunk(context)} has a vector, which mode vector needs. `mcp-graphrag reindex` makes them."
    if expanded:
        return "No chunks matched; triples did."
    if not stored:
        return _no_documents(context.snapshot)
    within = "" if context.among is None else " within the filters"
    return f"Nothing matches{within}. Try other words or another mode."


def _no_chunk(context: SearchContext) -> str:
    return "No chunk" if context.among is None else "No chunk that matches the filters"


def _no_documents(snapshot: Snapshot) -> str:
    past = snapshot.when.known_at
    return "No text was known at that time." if past else "No text is stored yet. Ingest a document first."
