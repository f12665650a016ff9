"""The tool that searches."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from mcp_graphrag.model import Expanded, Relation
from mcp_graphrag.pipeline.search import search as search_chunks
from mcp_graphrag.retrieve.edge_walk import EdgeWalk
from mcp_graphrag.retrieve.question import Mode, Question, Seed
from mcp_graphrag.retrieve.quoted import period_of
from mcp_graphrag.server.answers.searching import ExpandedOut, SearchAnswer, SeedOut
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import LONGEST_SOURCE, clipped, cost, hit_out, passage_of, within_budget
from mcp_graphrag.server.tools.arguments import AsOf, Filters, KnownAt, listed, when
from mcp_graphrag.server.tools.communities import community_out

MODES_IN_WORDS = (
    "keyword: exact names; vector: concepts; hybrid: both; graph: dependencies; multi: all; multi_hop: facts across"
    " documents; local: one entity; global: themes; edges: prerequisites, contradictions"
)
MOST_SEEDS = 20
Relations = Annotated[list[Relation], BeforeValidator(listed)]


def search(
    call: Call,
    query: Annotated[str, Field(description="A question, or words to look for.")],
    mode: Annotated[Mode, Field(description=MODES_IN_WORDS)] = "auto",
    limit: Annotated[int, Field(description="Most hits.", ge=1, le=100)] = 8,
    filters: Filters = Filters(),  # noqa: B008  (frozen by being copied into each call's arguments)
    relations: Annotated[Relations, Field(description="Chunk edges to walk in mode edges; none: all.")] = [],  # noqa: B006  (pydantic copies it)
    explain: Annotated[bool, Field(description="Show arms, ranks and why each hit is there.")] = False,  # noqa: FBT002
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> SearchAnswer:
    """Find passages that answer a question, each with its citation. The first thing to try about texts."""
    walk = EdgeWalk(relations=tuple(relations))
    wanted = (filters.chunk_filter(), when(as_of, known_at), filters.entity_type, filters.predicate)
    found = search_chunks(call.pipeline, Question(query, mode, limit, *wanted, walk=walk, explain=explain))
    communities, fewer = within_budget((community_out(each, None) for each in found.communities), call.tokens // 3)
    seeds, _ = within_budget((seed_out(each) for each in found.seeds[:MOST_SEEDS]), call.tokens // 8)
    left = call.tokens - cost([*communities, *seeds])
    facts = [expanded_out(each) for each in found.expanded]
    room = left - min(cost(facts), call.tokens // 4)
    each = room // max(min(limit, len(found.hits)), 1)
    hits, cut = within_budget((hit_out(hit, explain=explain, tokens=each) for hit in found.hits), room)
    shortened = any(out.text != passage_of(hit) for out, hit in zip(hits, found.hits, strict=False))
    expanded, less = within_budget(facts, left - cost(hits))
    hints = {
        "Some hits are left out: ask for fewer, or narrow the filters.": cut,
        "Passages that end in … are cut: pass their citation to get_source.": shortened,
        "Some facts are left out: ask for fewer hits, or take get_neighbourhood.": less,
        "Some communities are left out: take get_communities.": fewer,
    }
    return SearchAnswer(
        mode=found.mode,
        hits=hits,
        expanded=expanded,
        communities=communities,
        seeds=seeds,
        truncated=any(hints.values()),
        hint=" ".join(hint for hint, said in hints.items() if said),
        notes=list(found.notes),
    )


def expanded_out(item: Expanded) -> ExpandedOut:
    """An entity that triples led to, with its triple and the first of its evidence."""
    triple = item.triple
    cited = next((each.citation for each in triple.evidence if each.citation), "")
    fact = f"{triple.subject} {triple.predicate} {triple.object}{period_of(triple)}"
    return ExpandedOut(
        entity=clipped(item.entity, LONGEST_SOURCE)[0],
        type=item.type,
        via=item.predicate,
        from_entity=clipped(item.from_entity, LONGEST_SOURCE)[0],
        fact=clipped(fact, LONGEST_SOURCE)[0],
        chunk=cited,
    )


def seed_out(seed: Seed) -> SeedOut:
    """An entity from which the graph was walked."""
    return SeedOut(
        entity=clipped(seed.name, LONGEST_SOURCE)[0],
        type=seed.type,
        weight=round(seed.weight, 4),
        named_by=clipped(seed.words, LONGEST_SOURCE)[0],
        chunks=seed.chunks,
    )
