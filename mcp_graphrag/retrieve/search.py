"""Search: a question to hits, by one retriever or by several fused, each hit with where every arm had it."""

from collections.abc import Sequence
from dataclasses import replace

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.resident import chunk_vectors, keywords
from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import Expanded, Hit
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.expand import local_arm
from mcp_graphrag.retrieve.filters import allowed_chunks, facts_within, why_none
from mcp_graphrag.retrieve.hits import Order, hits_of
from mcp_graphrag.retrieve.identifiers import not_in
from mcp_graphrag.retrieve.modes import KEPT, ORDERS, rest, seeds_of
from mcp_graphrag.retrieve.question import MODES, Mode, Question, SearchAnswer
from mcp_graphrag.store import Store

LONGEST_QUESTION = 20_000
MOST_TERMS = 400
HELD: frozenset[Mode] = frozenset({"graph", "multi", "multi_hop", "local"})  # modes that walk over what held then
DEEP = 500  # hits that are looked for where copies of a text took the places


def search(store: Store, embedder: Embedder, question: Question) -> SearchAnswer:
    """The best chunks for a question, each text once.

    An arm that is not at hand is left out with a note, unless it was asked for by name: then PartMissing is raised.
    Raises BadInput for an empty or overlong question, UnknownName for a filter that names what is not stored.
    """
    _check(question)
    with store.reading(known_at=question.when.known_at) as tx:
        among = allowed_chunks(store, tx, question)
        if among is not None and not len(among):
            why = why_none(tx, question) if keywords(store, tx).count else _no_text(question)
            return SearchAnswer(question.mode, [], [why])
        asked = Asked(store, tx, embedder, question, text_terms(question.query)[:MOST_TERMS], among)
        order, hits = _found(asked)
        expanded = order.expanded or ([] if hits else local_arm(asked).expanded)
        expanded = facts_within(store, tx, expanded, among)
        seeds = seeds_of(asked, order) if question.explain else ()
        _say_what_is_missing(asked, hits)
        _say_what_does_not_count(asked, order, expanded)
        if not hits:
            _say_why_nothing(asked, expanded)
        if question.explain and question.mode == "auto" and order.mode == "multi_hop" and len(hits) > KEPT:
            asked.note(f"Its first {KEPT} hits are those of one pass, which answer directly.")
    return SearchAnswer(order.mode, hits, asked.notes, expanded, order.communities, seeds)


def _check(question: Question) -> None:
    if not question.query.strip():
        raise BadInput("The query is empty.", "Ask a question or give some words.")
    if len(question.query) > LONGEST_QUESTION:
        raise BadInput(
            f"The query has {len(question.query)} characters; the most is {LONGEST_QUESTION}.",
            "Ask a shorter question.",
        )


def _found(asked: Asked) -> tuple[Order, list[Hit]]:
    """What the mode finds. Where copies of a text took up all that was read, it is asked again for more."""
    mode, limit = asked.question.mode, asked.question.limit
    order = ORDERS[mode](asked)
    hits = hits_of(asked, order, limit)
    # An edge walk puts forward few seeds, and ends there.
    crowded = len(hits) < limit and any(hit.also_in for hit in hits)
    if not crowded or (mode != "edges" and len(order.ranked) < asked.depth):
        return order, hits
    deeper = replace(asked, question=replace(asked.question, limit=max(DEEP, limit)))
    order = ORDERS[mode](deeper)
    if mode == "edges":
        order = replace(order, ranked=[*order.ranked, *rest(deeper, order.ranked)])
    return order, hits_of(deeper, order, limit)


def _say_what_is_missing(asked: Asked, hits: Sequence[Hit]) -> None:
    # The hits' own words are known; only where they have none are those of all others looked for.
    if hits and asked.terms and not any(hit.terms for hit in hits) and not asked.by_keyword:
        asked.note(f"{_no_passage(asked)} has a word of the question; these are the nearest in meaning.")
    elif hits and (missing := not_in(hits, asked.question.query, most=2)):
        named = " or ".join(f"'{each}'" for each in missing)
        asked.note(f"No passage shown has {named} as {'it stands' if len(missing) == 1 else 'they stand'}.")


def _say_what_does_not_count(asked: Asked, order: Order, expanded: Sequence[Expanded]) -> None:
    if asked.question.when.as_of and not (order.mode in HELD or expanded or asked.question.predicate):
        asked.note("as_of counts where triples do: modes graph, multi, multi_hop and local.")
    if order.communities and asked.among is not None:
        asked.note("The filters hold for passages; communities are of the whole graph.")
    if asked.question.walk.relations and asked.question.mode not in {"edges", "multi"}:
        asked.note("relations count in modes edges and multi only.")


def _say_why_nothing(asked: Asked, expanded: Sequence[Expanded]) -> None:
    stored = asked.keywords.count
    if stored and asked.question.mode == "vector":
        asked.note(_no_vector(asked))
    elif expanded:
        asked.note("No passage tells of it; stored facts do.")
    elif stored:
        within = "Nothing" if asked.among is None else "Nothing that the filters let through"
        asked.note(f"{within} matches. Try other words or another mode.")
    else:
        asked.note(_no_text(asked.question))


def _no_passage(asked: Asked) -> str:
    return "No passage" if asked.among is None else "No passage that the filters let through"


def _no_text(question: Question) -> str:
    return "No text was known then." if question.when.known_at else "No text is stored yet: ingest some first."


def _no_vector(asked: Asked) -> str:
    """Why vectors alone, to which something is always the nearest, find nothing."""
    if asked.vector is None and chunk_vectors(asked.store, asked.tx).count:
        return "The embedder knows no word of the question. Use other words, or mode keyword."
    return (
        f"{_no_passage(asked)} has an embedding yet, and mode vector finds nothing without. A server embeds after an"
        " ingest, `mcp-graphrag reindex` at once; modes auto and keyword find passages already."
    )


__all__ = ["MODES", "Mode", "Question", "SearchAnswer", "search"]
