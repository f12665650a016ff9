"""Why a chunk was found by a walk: from the entities that brought the walker there back to the question."""

from collections.abc import Collection, Sequence

import numpy as np

from mcp_graphrag.index.web import Web
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.retrieve.passes import Pass
from mcp_graphrag.retrieve.question import Seed
from mcp_graphrag.store import Reader
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.communities import CommunityRow, chunks_of_members
from mcp_graphrag.store.documents import chunks_by_id
from mcp_graphrag.store.entities import entity_heads

MOST_REASONS = 2
MEMBERS_READ = 200  # of a community


def reasons(tx: Reader, web: Web, walked: Pass, chunk_ids: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """For each chunk a sentence or two: through which entities the walk came, and from what in the question.

    A way is followed back for as many steps as it takes to a seed, at each over the link that brought the most.
    """
    # What the question names itself goes before what a passage of the first pass named.
    seeds = {2 * seed.entity_id + 1: seed for seed in reversed(walked.seeds)}
    ways = {each: _ways(web, walked, 2 * each, seeds) for each in chunk_ids if 2 * each < web.size}
    heads = entity_heads(tx, {node // 2 for found in ways.values() for way in found for node in way if node % 2})
    called = {2 * entity_id + 1: head.name for entity_id, head in heads.items()}
    passages = chunks_by_id(tx, {node // 2 for found in ways.values() for way in found for node in way if not node % 2})
    called |= {2 * chunk_id: place_of(chunk) for chunk_id, chunk in passages.items()}
    return {each: tuple(_told(way, seeds, called) for way in found) for each, found in ways.items() if found}


def reasons_of_communities(
    tx: Reader, found: Sequence[tuple[CommunityRow, float]], chunk_ids: Collection[int]
) -> dict[int, str]:
    """For each of those chunks that name members of communities, the member that counts the most, and whose it is."""
    counts: dict[int, tuple[float, str]] = {}
    for row, score in found:
        for each, rank in zip(row.members[:MEMBERS_READ].tolist(), row.ranks.tolist(), strict=False):
            counts[each] = max(counts.get(each, (0.0, row.title)), (score * rank, row.title))
    brought: dict[int, int] = {}
    for chunk_id, entity_id in zip(*(ids.tolist() for ids in chunks_of_members(tx, counts)), strict=True):
        if chunk_id in chunk_ids and (chunk_id not in brought or counts[entity_id][0] > counts[brought[chunk_id]][0]):
            brought[chunk_id] = entity_id
    heads = entity_heads(tx, set(brought.values()))
    return {
        chunk_id: f"Tells of {heads[each].name}, of the community “{counts[each][1]}”."
        for chunk_id, each in brought.items()
        if each in heads
    }


def _ways(web: Web, walked: Pass, chunk: int, seeds: dict[int, Seed]) -> list[list[int]]:
    """The ways from a chunk back to a seed: nodes, the seed last."""
    found: list[list[int]] = []
    for entity in _strongest(web, walked, chunk)[:6]:
        way = [entity]
        while way[-1] not in seeds and len(way) < 4:
            behind = [each for each in _strongest(web, walked, way[-1]) if each not in way and each != chunk]
            # A chunk that leads nowhere is no reason: entities and what mentions a seed come first.
            named = [each for each in behind if each in seeds]
            if not behind:
                break
            way.append((named or behind)[0])
        if way[-1] in seeds:
            found.append(way)
        if len(found) == MOST_REASONS:
            break
    return found


def _strongest(web: Web, walked: Pass, node: int) -> list[int]:
    """What is linked to a node, first where most of the walker's way to it came from."""
    links = web.links(np.array([node], dtype=np.int64))
    brought = walked.scores[links.targets] * links.weights / np.maximum(web.degrees[links.targets], 1)
    order = np.lexsort((links.targets, -brought))
    return list(dict.fromkeys(links.targets[order[:50]].tolist()))


def named(seed: Seed) -> str:
    """What named a seed, in short."""
    if seed.by == "meaning":
        return "near in meaning"
    return "named in the question" if seed.by == "question" else f"named in {seed.words}"


def place_of(chunk: StoredChunk) -> str:
    """The citation of a passage in brackets, without its hash: short, and found all the same."""
    return f"[{cite_chunk(chunk).rpartition('@')[0]}]"


def _told(way: Sequence[int], seeds: dict[int, Seed], called: dict[int, str]) -> str:
    names = [called.get(node, "?") for node in way]
    seed = seeds[way[-1]]
    source = f"which {seed.words} names" if seed.words.startswith("“") else f"named in the question as “{seed.words}”"
    told = f"{names[-1]}, {source} (said in {seed.chunks} {'chunk' if seed.chunks == 1 else 'chunks'})"
    through = " ← ".join(names[:-1])
    return f"Mentions {through} ← {told}." if through else f"Mentions {told}."
