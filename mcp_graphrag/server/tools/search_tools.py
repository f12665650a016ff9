"""Search: chunks for a question."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.model import EdgeStep, Expanded, Hit, Relation
from mcp_graphrag.search.excerpt import excerpt_span
from mcp_graphrag.search.query import Mode, SearchQuery
from mcp_graphrag.search.quoting import one_line, quote_lines, validity
from mcp_graphrag.server.budget import MAX_METADATA, MAX_VALUE, clip, cost, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import SENTENCE, Tool
from mcp_graphrag.server.quotes import first_citation
from mcp_graphrag.server.records import Answer, Clipped, DocumentHead, Listing, Rounded, Short, counted
from mcp_graphrag.server.tools.arguments import AsOf, Filters, KnownAt, when
from mcp_graphrag.server.tools.community_tools import ThemeOut
from mcp_graphrag.server.written_forms import place, place_within
from mcp_graphrag.source_code import has_lines
from mcp_graphrag.store.rows.chunk_edge_rows import SYMMETRIC

MODES = (
    "keyword: exact names; vector: concepts; hybrid: both; graph: dependencies; multi: all; multi_hop: triples across"
    " documents; local: one entity; global: themes; edges: prerequisites, contradictions"
)
MAX_SEEDS = 20
EXCERPT_TOKENS, FIRST_TOKENS = 100, 200  # shown of a hit, and of the first one: a later line of it may take it back
AUTO = "auto chose"  # begins a note on the mode, which only explain shows
MAX_RELATED = 3
MAX_COPIES = 3
EXPANDED = "The following related items were discovered through knowledge graph traversal:"


class Rank(Answer):
    """Where one retriever had a hit."""

    arm: str
    rank: int
    score: Rounded


class RelatedOut(Answer):
    """A chunk edge that led to a hit; `walked` is backward where that was from its target to its source."""

    from_chunk: str
    relation: str
    description: Short = ""
    walked: str = ""

    def __str__(self) -> str:
        why = f'"{" ".join(self.description.split())}" ' if self.description else ""
        how = f"{self.relation}, walked {self.walked}" if self.walked else self.relation
        return f"↳ Related: {why}({how}) from {place(self.from_chunk)}"


class HitOut(Answer):
    """A chunk that was found; `also_in` cites the same text elsewhere, `line` is its first one.

    As text, only its `excerpt` is shown, a span of its text.
    """

    text: str
    excerpt: list[int] = []
    score: float
    document: DocumentHead
    citation: str
    line: int | None = None
    headings: list[str] = []
    related: list[RelatedOut] = []
    also_in: list[str] = []
    arms: list[Rank] = []
    terms: list[str] = []
    why: list[Clipped] = []

    def __str__(self) -> str:
        start, end = self.excerpt or (0, len(self.text))
        ranks = "; ".join(f"{arm.arm} #{arm.rank} ({arm.score:.3g})" for arm in self.arms)
        explained = [f"[score {self.score:.4g}; {ranks}; terms: {', '.join(self.terms) or 'none'}]"] if ranks else []
        also = [f"↳ Also in {', '.join(map(place, self.also_in))}"] if self.also_in else []
        shown = quote_lines(self.text[start:end].strip("\n").rstrip())
        # The place names the file, and the passage may begin with its heading.
        titles = self.headings[-2:] or [self.document.title]
        first = shown.partition("\n")[0].lstrip("># ")
        under = " > ".join(one_line(each) for each in titles if one_line(each) != first)
        head = f"{place_within(self.citation, self.text, start, end)}  {under}".rstrip()
        return "\n".join([head, shown, *explained, *also, *map(str, self.related), *self.why])


class ExpandedOut(Answer):
    """An entity that triples led to, by a predicate (`via`); `chunk` cites the triple."""

    entity: Short
    type: str = ""
    via: str
    from_entity: Short
    triple: Short
    chunk: str = ""

    def __str__(self) -> str:
        cited = f"  {place(self.chunk)}" if self.chunk else ""
        return f"- {self.triple}{cited}"


class SeedOut(Answer):
    """An entity at which the graph was entered: named by words of the query or a sentence, mentioned in `chunks`."""

    entity: Short
    type: str = ""
    weight: Rounded
    named_by: Short
    chunks: int

    def __str__(self) -> str:
        mentioned = f"mentioned in {counted(self.chunks, 'chunk')}"
        return f"- {self.entity} ({self.weight:.3g}: named by {self.named_by}, {mentioned})"


class SearchAnswer(Listing):
    """Chunks, best first."""

    mode: str
    hits: list[HitOut]
    expanded: list[ExpandedOut] = []
    communities: list[ThemeOut] = []
    seeds: list[SeedOut] = []

    def _lines(self) -> list[str]:
        parts = list(map(str, (*self.communities, *self.hits)))
        if self.expanded:
            parts.append("\n".join([EXPANDED, *map(str, self.expanded)]))
        if self.seeds:
            head = "The question names:" if self.mode == "hybrid" else "The graph was entered at:"
            parts.append("\n".join([head, *map(str, self.seeds)]))
        return ["\n\n".join(parts)] if parts else []


def search(
    call: Call,
    query: Annotated[str, Field(description="A question, or words to look for."), SENTENCE],
    mode: Annotated[Mode, Field(description=MODES)] = "auto",
    limit: Annotated[int, Field(description="Maximum hits.", ge=1, le=100)] = 8,
    filters: Filters = Filters(),
    relations: Annotated[list[Relation], Field(description="Chunk edges to walk in mode edges; default all.")] = [],
    explain: Annotated[bool, Field(description="Show retrievers, ranks, seeds and why each hit is there.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> SearchAnswer:
    """Find the passages of documents and code that say something about a topic, each with its place (path:line).

    For what texts say: how, why, where it is described. Not for lists of one relation, nor for what depends on what.
    """
    walk = EdgeWalk(relations=tuple(relations))
    asked = SearchQuery(query, mode, limit, *filters.parts(), walk=walk, explain=explain)
    found = call.graph.search(asked, when(as_of, known_at))
    themes = (ThemeOut.of(each, community=each.id) for each in found.communities)
    communities, fewer = within_budget(themes, call.tokens // 3)
    named = [SeedOut.of(each, entity=each.name, named_by=each.words) for each in found.seeds[:MAX_SEEDS]]
    seeds, _ = within_budget(named, call.tokens // 8)
    left = call.tokens - cost([*communities, *seeds])
    triples = [expanded_out(each) for each in found.expanded]
    room = left - min(cost(triples), call.tokens // 4)
    share = room // max(min(limit, len(found.hits)), 1)
    hits, cut = within_budget(hits_out(found.hits, weights=found.weights, explain=explain, tokens=share), room)
    shortened = any(out.text != hit.text for out, hit in zip(hits, found.hits, strict=False))
    expanded, less = within_budget(triples, left - cost(hits))
    hints = {
        "Some hits are left out: lower limit, or narrow the filters.": cut,
        "Chunks that end in … are cut: pass their citation to `get_source`.": shortened,
        "Some triples are left out: lower limit, or call `get_neighbourhood`.": less,
        "Some communities are left out: call `get_communities`.": fewer,
    }
    return SearchAnswer.of(
        found,
        hits=hits,
        expanded=expanded,
        communities=communities,
        seeds=seeds,
        notes=[note for note in found.notes if explain or not note.startswith(AUTO)],
        truncated=any(hints.values()),
        hint=" ".join(hint for hint, applies in hints.items() if applies),
    )


def hits_out(
    hits: Iterable[Hit], *, explain: bool, tokens: int, weights: Mapping[str, float] = MappingProxyType({})
) -> Iterator[HitOut]:
    """Hits, the text of each cut to the budget, with the excerpt that has the most of the weighted terms."""
    for at, hit in enumerate(hits):
        yield _hit_out(hit, weights, FIRST_TOKENS if not at else EXCERPT_TOKENS, explain=explain, tokens=tokens)


def _hit_out(hit: Hit, weights: Mapping[str, float], shown: int, *, explain: bool, tokens: int) -> HitOut:
    text = clip(hit.text, max(tokens, MAX_VALUE))
    document = hit.chunk.document
    is_code = has_lines(document.media_type)
    excerpt = excerpt_span(text, weights, tokens=shown, lines=is_code, language=document.language)
    return HitOut.of(
        hit,
        text=text,
        excerpt=[] if excerpt == (0, len(text)) else list(excerpt),
        score=round(hit.score, 6),
        document=DocumentHead.of(document),
        headings=hit.chunk.headings,
        related=[RelatedOut.of(step, walked=_walked(step)) for step in hit.related[:MAX_RELATED]],
        also_in=_also_in(hit),
        arms=[Rank.of(arm) for arm in hit.arms] if explain else [],
        terms=hit.terms if explain else [],
        why=hit.why if explain else [],
    )


def _also_in(hit: Hit) -> list[str]:
    """The citations of the first further places of a hit's text, and how many more there are."""
    cited = [each.citation for each in hit.also_in[:MAX_COPIES]]
    while cost(cited) > MAX_METADATA:
        cited.pop()
    more = len(hit.also_in) - len(cited)
    return [*cited, f"… {more} more"] if more else cited


def _walked(step: EdgeStep) -> str:
    return "backward" if not step.forward and step.relation not in SYMMETRIC else ""


def expanded_out(item: Expanded) -> ExpandedOut:
    """An entity that triples led to, with its triple and the first of its evidence."""
    triple = item.triple
    return ExpandedOut.of(
        item,
        via=item.predicate,
        triple=f"{triple.subject} {triple.predicate} {triple.object}{validity(triple)}",
        chunk=first_citation(triple),
    )


SEARCH = Tool(
    search,
    "Search chunks",
    "search",
    spans=True,
    settings=("embedder", "vector_index", "fusion", "rrf_k", "arm_weights", "gate"),
)
