"""Overview questions, which name no topic, such as "what are the main themes of these documents?"."""

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
