"""Why a chunk was found: the path from its entities back to what the question names."""

from collections.abc import Collection, Sequence

import numpy as np

from mcp_graphrag.index.mention_graph import MentionGraph
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.search.pagerank_passes import PageRankPass
from mcp_graphrag.search.query import Seed
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.community_rows import CommunityRow, chunks_of_members
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.entity_rows import entity_labels

MAX_REASONS = 2
MAX_PATH_LENGTH = 4
MAX_START_ENTITIES = 6  # of a chunk, from which paths are followed
MAX_LINKS = 50  # of a node
MAX_MEMBERS = 200  # of a community


def explain_walk(
    tx: Reader, mention_graph: MentionGraph, walk: PageRankPass, chunk_ids: Sequence[int]
) -> dict[int, tuple[str, ...]]:
    """For each chunk, a sentence or two: which entities led to it, and what in the question led to these.

    A path is followed back to a seed, at each step over the link that contributed the most.
    """
    # An entity that the question names itself is preferred to the same one named by a chunk of the first pass.
    seeds = {2 * seed.entity_id + 1: seed for seed in reversed(walk.seeds)}
    known = [chunk_id for chunk_id in chunk_ids if 2 * chunk_id < mention_graph.size]
    paths = {chunk_id: _paths_to_seeds(mention_graph, walk, 2 * chunk_id, seeds) for chunk_id in known}
    nodes = {node for found in paths.values() for path in found for node in path}
    entities = entity_labels(tx, {node // 2 for node in nodes if node % 2})
    labels = {2 * entity_id + 1: entity.name for entity_id, entity in entities.items()}
    chunks = chunks_by_id(tx, {node // 2 for node in nodes if not node % 2})
    labels |= {2 * chunk_id: short_citation(chunk) for chunk_id, chunk in chunks.items()}
    return {at: tuple(_sentence(path, seeds, labels) for path in found) for at, found in paths.items() if found}


def explain_communities(
    tx: Reader, found: Sequence[tuple[CommunityRow, float]], chunk_ids: Collection[int]
) -> dict[int, str]:
    """For each of the chunks that names members of communities, a sentence on the member that counts most."""
    counts: dict[int, tuple[float, str]] = {}
    for row, score in found:
        for entity_id, rank in zip(row.members[:MAX_MEMBERS].tolist(), row.ranks.tolist(), strict=False):
            here = score * rank, row.title
            counts[entity_id] = max(counts.get(entity_id, here), here)
    best_member: dict[int, int] = {}
    for chunk_id, entity_id in zip(*(ids.tolist() for ids in chunks_of_members(tx, counts)), strict=True):
        if chunk_id in chunk_ids:
            best_member[chunk_id] = max(best_member.get(chunk_id, entity_id), entity_id, key=lambda at: counts[at][0])
    heads = entity_labels(tx, set(best_member.values()))
    return {
        chunk_id: f"Mentions {heads[entity_id].name}, a member of the community “{counts[entity_id][1]}”."
        for chunk_id, entity_id in best_member.items()
        if entity_id in heads
    }


def _paths_to_seeds(
    mention_graph: MentionGraph, walk: PageRankPass, chunk: int, seeds: dict[int, Seed]
) -> list[list[int]]:
    """The paths from a chunk back to a seed, as nodes, the seed last."""
    found: list[list[int]] = []
    for entity in _strongest_neighbours(mention_graph, walk, chunk)[:MAX_START_ENTITIES]:
        path = [entity]
        while path[-1] not in seeds and len(path) < MAX_PATH_LENGTH:
            strongest = _strongest_neighbours(mention_graph, walk, path[-1])
            previous = [node for node in strongest if node not in {chunk, *path}]
            if not previous:
                break
            # Seeds first: a chunk that leads nowhere explains nothing.
            path.append(next((node for node in previous if node in seeds), previous[0]))
        if path[-1] in seeds:
            found.append(path)
        if len(found) == MAX_REASONS:
            break
    return found


def _strongest_neighbours(mention_graph: MentionGraph, walk: PageRankPass, node: int) -> list[int]:
    """The neighbours of a node, first those that contributed most to its score."""
    _, targets, weights = mention_graph.links(np.array([node], dtype=np.int64))
    contributions = walk.scores[targets] * weights / np.maximum(mention_graph.degrees[targets], 1)
    order = np.lexsort((targets, -contributions))
    return list(dict.fromkeys(targets[order[:MAX_LINKS]].tolist()))


def seed_origin(seed: Seed) -> str:
    """Where a seed comes from, in a few words."""
    if seed.by == "meaning":
        return "near in meaning"
    return "named in the question" if seed.by == "question" else f"named in {seed.words}"


def short_citation(chunk: StoredChunk) -> str:
    """The citation of a chunk in brackets, without its hash; `find_cited` finds it too."""
    return f"[{cite_chunk(chunk).rpartition('@')[0]}]"


def _sentence(path: Sequence[int], seeds: dict[int, Seed], labels: dict[int, str]) -> str:
    names = [labels.get(node, "?") for node in path]
    seed = seeds[path[-1]]
    source = f"which {seed.words} names" if seed.words.startswith("“") else f"named in the question as “{seed.words}”"
    origin = f"{names[-1]}, {source} (in {seed.chunks} {'chunk' if seed.chunks == 1 else 'chunks'})"
    through = " ← ".join(names[:-1])
    return f"Mentions {through} ← {origin}." if through else f"Mentions {origin}."
