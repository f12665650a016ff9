"""Overview questions, which name no topic, such as "what are the main themes of these documents?"."""

from collections.abc import Mapping, Sequence

from mcp_graphrag.index.tokenize import text_terms

OVERVIEW_TERMS = frozenset(
    text_terms(
        """
        theme thematic topic subject idea main central general generally overall recurring whole entire
        overview summary summarise summarize gist document doc text note corpus collection content
        everything cover discuss
        """
    )
)
FILLER_TERMS = frozenset(
    text_terms(
        """
        major key chief important broad broadly common big all across say said tell talk mention describe
        described deal contain give show list explain please briefly short brief picture many different kind
        sort thing stored available altogether together let know want would could like knowledge graph base
        data material file page article story
        """
    )
)


def is_overview_question(query: str) -> bool:
    """Whether a question consists only of words that ask for an overview."""
    terms = set(text_terms(query))
    return not terms or (terms <= OVERVIEW_TERMS | FILLER_TERMS and not terms.isdisjoint(OVERVIEW_TERMS))


def round_robin(positions: Mapping[int, int], scored: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Chunks with the communities taking turns: the best chunk of each, then the second of each, and so on.

    `positions` has the position of the community of each chunk. The new score is 1 / rank, as scores of different
    communities cannot be compared.
    """
    counts: dict[int, int] = {}
    ordered: list[tuple[int, int, int]] = []
    for chunk_id, _ in scored:
        position = positions[chunk_id]
        counts[position] = counts.get(position, 0) + 1
        ordered.append((counts[position], position, chunk_id))
    return [(chunk_id, 1 / rank) for rank, (_, _, chunk_id) in enumerate(sorted(ordered), start=1)]
