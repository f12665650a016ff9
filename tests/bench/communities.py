"""Communities of large graphs: python tests/bench/communities.py [TRIPLES …] [--chunks]

For each number of TRIPLES (default 10,000, 100,000 and 1,000,000) over a quarter as many entities in nested groups:
seconds and memory of drawing the communities, of the whole build, of a build after a small change, and of questions.
With --chunks a tenth as many passages name five entities each. Each size runs in a process of its own.
"""

import random
import resource
import subprocess
import sys
from pathlib import Path

from measure import machine_speed, quantiles, scratch_graph, spending

from mcp_graphrag.communities.community_graph import build_community_graph, detect_communities
from mcp_graphrag.communities.list_communities import list_communities
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.search.community_chunks import global_arm
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.search.search_context import SearchContext

SIZES = ("10000", "100000", "1000000")
BENCH = Origin("bench")
NAMES = "Amber Birch Cedar Delta Ember Fjord Grove Heath Inlet Jasper Kelp Larch Maple North Ochre Pine Quartz".split()  # noqa: SIM905


def main() -> None:
    """Run each size in a process of its own, so that its memory is its own."""
    sizes = [argument for argument in sys.argv[1:] if argument.isdigit()] or list(SIZES)
    flags = [argument for argument in sys.argv[1:] if not argument.isdigit()]
    if "--here" in flags:
        _measure(int(sizes[0]), chunks="--chunks" in flags)
        return
    for size in sizes:
        subprocess.run([sys.executable, __file__, size, *flags, "--here"], check=True)


def _measure(size: int, *, chunks: bool) -> None:
    chance = random.Random(7)  # noqa: S311
    entities = size // 4
    with scratch_graph() as graph:
        print(f"machine speed {machine_speed():.2f} s")
        graph.add_triples([_triple(chance, entities) for _ in range(size)], origin=BENCH)
        if chunks:
            documents = [_document(chance, entities, number) for number in range(size // 50)]
            ingest(graph, documents, graph.chosen_extractors("lite"), BENCH, report=IngestReport())
        _megabytes()
        with graph.reading() as snapshot, spending() as spent:
            drawn = detect_communities(build_community_graph(snapshot))
        levels = max((community.level for community in drawn), default=-1) + 1
        print(f"{size} triples: {len(drawn)} communities on {levels} levels")
        print(f"drawn            {spent.wall:7.2f} s wall {spent.cpu:7.2f} s cpu; at most {_megabytes()} MB in all")
        _build("whole build", graph)
        graph.add_triples([_triple(chance, entities) for _ in range(10)], origin=BENCH)
        _build("after 10 triples", graph)
        _ask(graph, [f"what about {_name(chance.randrange(entities))}?" for _ in range(50)])


def _build(what: str, graph: Graph) -> None:
    with spending() as spent:
        report = graph.build_communities(origin=BENCH)
    print(
        f"{what:16} {spent.wall:7.2f} s wall {spent.cpu:7.2f} s cpu; {report.built} built, {report.kept} kept;"
        f" at most {_megabytes()} MB in all"
    )


def _ask(graph: Graph, questions: list[str]) -> None:
    with graph.reading() as snapshot:

        def asked(query: str) -> SearchContext:
            return SearchContext(snapshot, SearchQuery(query, "global"), text_terms(query), None)

        with spending() as spent:
            global_arm(asked(questions[0]))
        print(f"first question   {spent.wall:7.2f} s wall")
        print(f"global arm       {quantiles(lambda one: global_arm(asked(one)), questions)}")
        print(f"a level listed   {quantiles(lambda _: list_communities(snapshot), questions)}")


def _name(number: int) -> str:
    words = [NAMES[number // step % 17] for step in (1, 17, 289)]
    return f"{' '.join(words)} {number}"


def _triple(chance: random.Random, entities: int) -> Candidate:
    """Six of ten within a group of 20, three within one of 400, one anywhere, by a power law."""
    subject, kind = chance.randrange(entities), chance.random()
    group = 20 if kind < 0.6 else 400
    near = min(subject // group * group + chance.randrange(group), entities - 1)
    object_ = near if kind < 0.9 else int(entities * chance.random() ** 2)
    return Candidate(_name(subject), f"predicate {chance.randrange(50)}", _name(object_))


def _document(chance: random.Random, entities: int, number: int) -> Document:
    """Five passages about one group each."""
    passages: list[str] = []
    for _ in range(5):
        group = chance.randrange(entities) // 20 * 20
        named = [_name(min(group + chance.randrange(20), entities - 1)) for _ in range(5)]
        passages.append(f"In {number} {named[0]} met {named[1]} and {named[2]}. Later {named[3]} wrote to {named[4]}.")
    return Document(
        f"bench:{number}",
        f"Note {number}",
        "\n\n".join(f"## Part {at}\n\n{passage}" for at, passage in enumerate(passages)),
        "text/markdown",
    )


def _megabytes() -> int:
    """The most memory since it was last asked where Linux tells, else of the whole process."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    lines = dict(line.split(":", maxsplit=1) for line in status.read_text(encoding="ascii").splitlines())
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return int(lines["VmHWM"].split()[0]) // 1024


if __name__ == "__main__":
    main()
