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

from measure import machine_speed, quantiles, scratch_pipeline, spending

from mcp_graphrag.index.terms import text_terms
from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.communities import build_communities
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.communities import global_arm, list_communities
from mcp_graphrag.retrieve.community_ground import draw, survey
from mcp_graphrag.retrieve.question import Question

SIZES = ("10000", "100000", "1000000")
BENCH = Origin("bench")
NAMES = "Amber Birch Cedar Delta Ember Fjord Grove Heath Inlet Jasper Kelp Larch Maple North Ochre Pine Quartz".split()  # noqa: SIM905


def main() -> None:
    """Run each size in a process of its own, so that its memory is its own."""
    sizes = [each for each in sys.argv[1:] if each.isdigit()] or list(SIZES)
    flags = [each for each in sys.argv[1:] if not each.isdigit()]
    if "--here" in flags:
        _measure(int(sizes[0]), chunks="--chunks" in flags)
        return
    for size in sizes:
        subprocess.run([sys.executable, __file__, size, *flags, "--here"], check=True)


def _measure(size: int, *, chunks: bool) -> None:
    chance = random.Random(7)  # noqa: S311
    entities = size // 4
    with scratch_pipeline() as pipeline:
        print(f"machine speed {machine_speed():.2f} s")
        assert_triples(pipeline, [_triple(chance, entities) for _ in range(size)], BENCH)
        if chunks:
            documents = [_document(chance, entities, number) for number in range(size // 50)]
            ingest(pipeline, documents, pipeline.chosen_extractors("lite"), BENCH, report=IngestReport())
        _megabytes()
        with pipeline.reading() as tx, spending() as spent:
            drawn = draw(survey(pipeline.store, tx))
        levels = max((each.level for each in drawn), default=-1) + 1
        print(f"{size} triples: {len(drawn)} communities on {levels} levels")
        print(f"drawn            {spent.wall:7.2f} s wall {spent.cpu:7.2f} s cpu; at most {_megabytes()} MB in all")
        _build("whole build", pipeline)
        assert_triples(pipeline, [_triple(chance, entities) for _ in range(10)], BENCH)
        _build("after 10 triples", pipeline)
        _ask(pipeline, [f"what about {_name(chance.randrange(entities))}?" for _ in range(50)])


def _build(what: str, pipeline: Pipeline) -> None:
    with spending() as spent:
        report = build_communities(pipeline, BENCH)
    print(
        f"{what:16} {spent.wall:7.2f} s wall {spent.cpu:7.2f} s cpu; {report.built} built, {report.kept} kept;"
        f" at most {_megabytes()} MB in all"
    )


def _ask(pipeline: Pipeline, questions: list[str]) -> None:
    store, embedder = pipeline.store, pipeline.embedder
    with pipeline.reading() as tx:

        def asked(query: str) -> Asked:
            return Asked(store, tx, embedder, Question(query, "global"), text_terms(query), None)

        with spending() as spent:
            global_arm(asked(questions[0]))
        print(f"first question   {spent.wall:7.2f} s wall")
        print(f"global arm       {quantiles(lambda one: global_arm(asked(one)), questions)}")
        print(f"a level listed   {quantiles(lambda _: list_communities(store, tx, embedder), questions)}")


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
        "\n\n".join(f"## Part {at}\n\n{each}" for at, each in enumerate(passages)),
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
