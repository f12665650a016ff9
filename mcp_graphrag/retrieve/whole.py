"""Questions about the whole: those that name no topic, such as "what are the main themes of these documents?"."""

from collections.abc import Mapping, Sequence

from mcp_graphrag.index.terms import text_terms

ASKING = frozenset(
    text_terms(
        """
        theme thematic topic subject idea main central general generally overall recurring whole entire
        overview summary summarise summarize gist document doc text note corpus collection content
        everything cover discuss
        """
    )
)
BESIDE = frozenset(
    text_terms(
        """
        major key chief important broad broadly common big all across say said tell talk mention describe
        described deal contain give show list explain please briefly short brief picture many different kind
        sort thing stored available altogether together let know want would could like knowledge graph base
        data material file page article story
        """
    )
)


def is_about_the_whole(query: str) -> bool:
    """Whether nothing is left of a question without the words that ask about a whole."""
    terms = set(text_terms(query))
    return not terms or (terms <= ASKING | BESIDE and not terms.isdisjoint(ASKING))


def in_turns(places: Mapping[int, int], scored: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Chunks so that every community has its turn: the best of each, then the second of each.

    `places` is the place of the community that a chunk stands for. A chunk's score is only its rank:
    they answer for different communities, and none is nearer to the question.
    """
    turns: dict[int, int] = {}
    ordered: list[tuple[int, int, int]] = []
    for chunk_id, _ in scored:
        place = places[chunk_id]
        turns[place] = turns.get(place, 0) + 1
        ordered.append((turns[place], place, chunk_id))
    return [(chunk_id, 1 / rank) for rank, (_, _, chunk_id) in enumerate(sorted(ordered), start=1)]
