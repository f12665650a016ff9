"""Precision and recall of what is merged without asking, and of what is suggested, on labelled pairs of names.

Usage: python tests/bench/aliases.py PAIRS.tsv (columns a, b, type, same). Pairs that share names make a document.
The labels are noisy: some call one name in two spellings two things. So each rule is counted as labelled, and mended.
"""

import contextlib
import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import scratch_graph

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Origin
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import Group, resolve_names
from mcp_graphrag.resolve.suggest_merges import suggest_merges
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities

TYPES = {"PER": "Person", "ORG": "Organization", "LOC": "Location"}
# Read one by one: the same name, but for case, accents, signs or an article, that is labelled as two things.
MISLABELLED = frozenset(
    {
        ("The Park Avenue Armory", "Park Avenue Armory"),
        ("The Bee", "Bee"),
        ("Android", "android"),
        ("Tripartite Commission Invitation", "Tripartite Commission invitation"),
        ("the United States Navy", "United States Navy"),
        ("Royal Court Orchestra", "The Royal Court Orchestra"),
        ("Two Doors Down", "two doors down"),
        ("United States", "the United States"),
        ("Charro", "Charro !"),
        ("Valenzuela Llanos", "Valenzuela Llanos’"),
        ("Cambodian-Vietnamese War", "Cambodian - Vietnamese War"),
        ("Dinamo București", "Dinamo Bucureşti"),
        ("Tears for Fears", "Tears For Fears"),
        ("' N Sync", "N Sync"),
        ("The Fox Family", "Fox Family"),
        ("The Catholic Catechism", "Catholic Catechism"),
        ("iOS", "IOS"),
    }
)


@dataclass(frozen=True)
class Pair:
    """Two names of one document, and whether they are labelled as one thing."""

    a: Named
    b: Named
    same: bool

    @property
    def is_one(self) -> bool:
        """The label, mended where it is known to be wrong."""
        return self.same or (self.a[0], self.b[0]) in MISLABELLED


def read_pairs(path: Path) -> list[Pair]:
    """The labelled pairs; rows without a label are left out."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Pair((row["a"], TYPES.get(row["type"])), (row["b"], TYPES.get(row["type"])), row["same"] == "1")
        for row in rows
        if row["same"] in {"0", "1"}
    ]


def documents(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """The pairs, those together that share names."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        while parents.setdefault(name, name) != name:
            name = parents[name]
        return name

    for pair in pairs:
        parents[root(pair.a[0])] = root(pair.b[0])
    found: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        found[root(pair.a[0])].append(pair)
    return list(found.values())


def merged_at_once(pairs: Sequence[Pair]) -> Mapping[str, list[Pair]]:
    """The pairs that become one entity without a question, by the rule that does it."""
    found: dict[str, list[Pair]] = defaultdict(list)
    with scratch_graph() as graph:
        for document in documents(pairs):
            with contextlib.suppress(Forgotten), graph.writing(Origin("bench")) as write:
                for rule, pair in _at_once(write.tx, document):
                    found[rule].append(pair)
                raise Forgotten  # so that each document meets an empty graph
    return found


class Forgotten(Exception):
    """What was written is to be rolled back."""


def _at_once(tx: Writer, document: Sequence[Pair]) -> Iterator[tuple[str, Pair]]:
    names = list(dict.fromkeys(named for pair in document for named in (pair.a, pair.b)))
    ids = resolve_names(tx, [Group(names, 1)], "lite").ids[0]
    origins = dict(tx.run("SELECT norm, max(origin) FROM entity_alias GROUP BY norm").fetchall())
    for pair in document:
        if ids[pair.a] == ids[pair.b]:
            rules = {origins[normal_form(name)] for name, _ in (pair.a, pair.b)} - {"name"}
            yield max(rules, default="normal form"), pair


def suggested(pairs: Sequence[Pair], least: float) -> list[frozenset[str]]:
    """The pairs of names that are suggested when all names are entities of one graph, the best first."""
    names = list(dict.fromkeys(named for pair in pairs for named in (pair.a, pair.b)))
    with scratch_graph() as graph:
        with graph.writing(Origin("bench")) as write:
            add_entities(write.tx, [NewEntity(name, normal_form(name), type_ or "", "bench") for name, type_ in names])
        with graph.reading() as snapshot:
            page = suggest_merges(snapshot, limit=1_000_000, min_score=least)
    return [frozenset({suggestion.keep.name, suggestion.merge.name}) for suggestion in page.suggestions]


def report(rule: str, chosen: Iterable[Pair], ones: int) -> None:
    """Print how many pairs a rule makes one, and how many of those are."""
    listed = list(chosen)
    same, mended = sum(pair.same for pair in listed), sum(pair.is_one for pair in listed)
    share = max(len(listed), 1)
    print(
        f"{rule:<22} {len(listed):5} pairs   precision {same / share:.3f} as labelled, {mended / share:.3f} mended"
        f"   recall {same / ones:.3f}"
    )


def main() -> None:
    """Print a line a rule."""
    pairs = read_pairs(Path(sys.argv[1]))
    ones = sum(pair.same for pair in pairs)
    print(f"{len(pairs)} pairs, {ones} of them one thing")
    at_once = merged_at_once(pairs)
    for rule, chosen in at_once.items():
        report(rule, chosen, ones)
    report("all without asking", [pair for chosen in at_once.values() for pair in chosen], ones)
    labelled = {frozenset({pair.a[0], pair.b[0]}): pair for pair in pairs}
    for least in (0.6, 0.7, 0.8):
        listed = [labelled[names] for names in suggested(pairs, least) if names in labelled]
        report(f"suggested from {least}", listed, ones)
    # Names of one normal form and type are one entity when they are read, so the list of a real graph has none.
    every = (labelled[names] for names in suggested(pairs, 0.6) if names in labelled)
    apart = [pair for pair in every if normal_form(pair.a[0]) != normal_form(pair.b[0])]
    for page in (10, 20, 50, 100):
        report(f"the first {page}", apart[:page], ones)


if __name__ == "__main__":
    main()
