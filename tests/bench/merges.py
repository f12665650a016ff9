"""Merge suggestions among many names with typos, acronyms, homonyms and short forms; a merge and a split among them.

Usage: python tests/bench/merges.py [NAMES, a million by default]
"""

import random
import resource
import string
import sys
from collections import Counter
from typing import Any

import numpy as np
from measure import machine_speed, quantiles, scratch_graph, spending

from mcp_graphrag.graph import Graph
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Origin
from mcp_graphrag.resolve.suggest_merges import SuggestionPage, suggest_merges
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, add_triples

BENCH = Origin("bench")
SYLLABLES = [a + b for a in "bcdfghjklmnprstvwz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol", "in")]
SORTS = ("Service", "Database", "Team", "Institute", "Library", "Network", "Systems", "Council", "Press", "Works")


def word(chance: random.Random, parts: int) -> str:
    """A word of so many syllables."""
    return "".join(chance.choice(SYLLABLES) for _ in range(parts)).capitalize()


def misspelt(chance: random.Random, name: str) -> str:
    """The name with one letter swapped, dropped or changed."""
    at = chance.randrange(1, len(name) - 1)
    edits = (
        name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :],
        name[:at] + name[at + 1 :],
        name[:at] + chance.choice(string.ascii_lowercase) + name[at + 1 :],
    )
    return chance.choice(edits)


def invented(chance: random.Random, size: int) -> list[tuple[str, str]]:
    """(name, type) of each entity: persons, organisations and identifiers, a tenth of them variants of others."""
    first = [word(chance, 2) for _ in range(3_000)]
    last = [word(chance, 3) for _ in range(60_000)]
    found: list[tuple[str, str]] = []
    while len(found) < size:
        kind = chance.random()
        if found and kind < 0.1:
            name, type_ = found[chance.randrange(len(found))]
            variant = chance.random()
            if variant < 0.6 and len(name) > 3:
                found.append((misspelt(chance, name), type_))
            elif variant < 0.8:
                found.append((name, chance.choice(["Project", "Location"])))
            elif type_ == "Person":
                found.append((f"{name[0]}. {name.split()[-1]}", type_))
            else:
                found.append(("".join(part[0] for part in name.split()).upper() + chance.choice(SYLLABLES).upper(), ""))
        elif kind < 0.5:
            found.append((f"{chance.choice(first)} {chance.choice(last)}", "Person"))
        elif kind < 0.8:
            words = [word(chance, 2) for _ in range(chance.randrange(1, 3))]
            found.append((" ".join([*words, chance.choice(last), chance.choice(SORTS)]), "Organization"))
        else:
            found.append(
                (f"{word(chance, 2).lower()}_{word(chance, 2).lower()}.{word(chance, 3).lower()}()", "Function")
            )
    return found


def fill(graph: Graph, chance: random.Random, size: int) -> list[str]:
    """Entities with twice as many triples; answers their names."""
    names = invented(chance, size)
    with graph.writing(BENCH) as write:
        ids = add_entities(write.tx, [NewEntity(name, normal_form(name), type_, "bench") for name, type_ in names])
        (predicate,) = add_predicates(write.tx, ["uses"]).values()
        ends = np.array([(chance.randrange(size), int(size * chance.random() ** 2)) for _ in range(2 * size)])
        rows = TripleRows(
            ids[ends[:, 0]],
            np.full(len(ends), predicate),
            ids[ends[:, 1]],
            [1.0] * len(ends),
        )
        add_triples(write.tx, rows, "bench")
    return [name for name, _ in names]


def suggestions(graph: Graph, **query: Any) -> SuggestionPage:
    """A page of suggested merges."""
    with graph.reading() as snapshot:
        return suggest_merges(snapshot, **query)


def main() -> None:
    """Print what finding all suggestions took, then the latencies of pages and of one entity's."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    chance = random.Random(7)  # noqa: S311
    with scratch_graph() as graph:
        print(f"machine speed {machine_speed():.2f} s")
        names = fill(graph, chance, size)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with spending() as spent:
            page = suggestions(graph)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{size} names: {page.total} suggestions in {spent.wall:.1f} s, {spent.cpu:.1f} s CPU")
        print(f"peak memory {peak / 1024:.0f} MB, {before / 1024:.0f} MB before")
        for pair in page.suggestions[:5]:
            print(f"  {pair.score} {pair.keep.name} | {pair.merge.name}: {'; '.join(pair.reasons)}")
        ranks = [chance.randrange(page.total) for _ in range(50)]
        ask = quantiles(lambda rank: suggestions(graph, after=rank), ranks)
        print(f"a page of twenty     {ask}")
        bearers = Counter(normal_form(name) for name in names)
        whole = suggestions(graph, after=page.total // 2, limit=5_000).suggestions
        pairs = [(suggestion.keep.name, suggestion.merge.name) for suggestion in whole]
        pairs = [pair for pair in pairs if all(bearers[normal_form(name)] == 1 for name in pair)]
        ask = quantiles(lambda name: suggestions(graph, about=name), [pairs[0][0], pairs[1][0]])
        print(f"about one entity     {ask}")
        ask = quantiles(lambda pair: graph.merge(*pair, origin=BENCH), pairs[:5])
        print(f"merge                {ask}")
        ask = quantiles(lambda pair: graph.split(pair[1], origin=BENCH), pairs[:5])
        print(f"split                {ask}")


if __name__ == "__main__":
    main()
