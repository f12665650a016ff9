"""What later documents say beside an answer from a row of a table, which no sentence of theirs has ended."""

from collections.abc import Sequence

from mcp_graphrag.english.dates import date_and_source
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import Triple
from mcp_graphrag.reason.claim_passages import names_of
from mcp_graphrag.search.passages import Sought, find_passages
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import resolve_citation

MAX_LATER = 3


def later_than_rows(snapshot: Snapshot, question: str, triples: Sequence[Triple]) -> list[str]:
    """The sentences, newest first, that name the subject of a row and its value or a word of the question."""
    rows = [each for each in triples if each.evidence and each.evidence[0].quote.lstrip().startswith("|")]
    cited = [resolve_citation(snapshot.tx, each.evidence[0].citation) for each in rows if each.evidence[0].citation]
    days = [day for one in cited if (day := date_and_source(one.document.metadata, one.document.file_time)[0])]
    if not days:
        return []
    ends = [names_of(snapshot, name) for name in dict.fromkeys(each.subject for each in rows)]
    values = [names_of(snapshot, name) for name in dict.fromkeys(each.object for each in rows)]
    own = frozenset(term for end in ends for name in end for term in text_terms(name))
    words = frozenset(text_terms(question)) - own
    found = find_passages(snapshot, Sought(question, [*ends, *values], words, max(days)), only_naming=True)
    told: list[str] = []
    for each in found:
        said = f" {' '.join(text_terms(each.text))} "
        names, others = (
            any(f" {' '.join(text_terms(name))} " in said for end in some for name in end) for some in (ends, values)
        )
        if each.is_later and names and (others or not words.isdisjoint(said.split())):
            told.append(f'Later, {each.date:%Y-%m-%d}: "{each.text}" [{each.citation}]')
    return told[:MAX_LATER]
