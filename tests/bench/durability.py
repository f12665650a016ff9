"""Durability in numbers, as JSON: tests/bench/durability.py [--seed S] and any of

[--rounds N] [--relayed N] [--rewrites N] [--sequences N]

--rounds: N times a real server is killed with kill -9 while four clients' worth of calls write over stdio: ingests of
changing documents, added triples, merges, removals and, every second time, undos. Then the file is opened again: every
acknowledged triple must be there (where nothing was undone), no job may be running, and `verify` must find nothing.

--relayed: the same N times for a relay and the owner of the file behind it: the owner is killed, the relay, or both, in
turn. Every second time a plain DuckDB opens the file for writing before it is opened again.

--rewrites: N times a `compact`, a `restore` or a `backup`, in turn, is killed with kill -9 while it runs. Then the file
must hold what it held (or what the backup holds, after a restore), and nothing is left beside it once it was opened.

--sequences: N random sequences of 30 edit operations, after each of which `verify` must find nothing.

--seed: the number of the first round or sequence (default 0); each of the four is random by its number.

The exit code is 1 if anything was lost or found. POSIX only.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

sys.path.insert(0, str(Path(__file__).parents[1]))

from edit_sequences import NAMES, make_text, run_sequence

from mcp_graphrag.embed import Embedders
from mcp_graphrag.embed.wordllama import WordllamaEmbedder
from mcp_graphrag.errors import GraphragError, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate
from mcp_graphrag.relay.hello import Hello
from mcp_graphrag.relay.start_owner import connect_to_owner
from mcp_graphrag.settings import Settings

CALLERS, CALLS, PARAGRAPHS = 4, 200, 40
LENGTH = 30
GO_ON = 4.0  # seconds in which calls go on after an owner was killed
END_SECONDS = 60.0
KEPT, BACKED_UP = 4000, 2000  # triples of a file that is rewritten, and of its backup
REWRITES = (("compact", "--force", "--keep-retired", "0"), ("restore", "backup.duckdb"), ("backup", "new.duckdb"))
VICTIMS = (("owner",), ("relay",), ("relay", "owner"))
TELL_PID = "import os, runpy, sys; open(sys.argv.pop(1), 'w').write(str(os.getpid())); sys.argv[0] = sys.argv.pop(1)"
BECOME = f"{TELL_PID}; runpy.run_module('mcp_graphrag', run_name='__main__', alter_sys=True)"


@dataclass
class Counts:
    """What happened in all rounds; `seeds` are those after which something was wrong."""

    rounds: int = 0
    killed: int = 0
    acknowledged: int = 0
    lost: int = 0
    not_opened: int = 0
    interrupted_jobs: int = 0
    running_jobs: int = 0
    awaiting_embedding: int = 0
    operations: int = 0
    problems: Counter[str] = field(default_factory=Counter[str])
    seeds: list[int] = field(default_factory=list[int])


async def call_until_killed(db: Path, seed: int, victims: Sequence[str] = ()) -> tuple[set[str], int]:
    """The subjects of acknowledged triples, and how many calls were acknowledged, before the server was killed.

    `victims` are those of "relay" and "owner" that are killed; without any, one process serves alone.
    """
    random, pid = Random(seed), db.with_name("pid")  # noqa: S311
    words = ["-c", BECOME, str(pid), "mcp_graphrag", "serve", "--db", str(db), "--toolsets", "all"]
    words += ["--embedder", "wordllama"]
    words += ["--linger", "1"] if victims else ["--no-daemon"]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ), cwd=db.parent)
    subjects, calls, began = set[str](), 0, anyio.Event()

    async def write(client: Client, caller: int) -> None:
        nonlocal calls
        for number in range(CALLS):
            tool, arguments = _call(random, f"Step {caller}-{number}", undoes=bool(seed % 2))
            result = await client.call_tool(tool, arguments)
            calls += not result.is_error
            began.set()
            if tool == "add_triples" and not result.is_error:
                subjects.add(f"Step {caller}-{number}")

    async def kill() -> None:
        await began.wait()
        await anyio.sleep(random.uniform(0, 5))
        owner = owner_pid(db) if "owner" in victims else 0
        if owner:
            os.kill(owner, signal.SIGKILL)
        if "relay" in victims or not victims:
            os.kill(int(pid.read_text(encoding="utf-8")), signal.SIGKILL)
        else:
            await anyio.sleep(GO_ON)  # the relay starts another owner
            tasks.cancel_scope.cancel()

    try:
        async with Client(parameters, read_timeout_seconds=60) as client, anyio.create_task_group() as tasks:
            tasks.start_soon(kill)
            for caller in range(CALLERS):
                tasks.start_soon(write, client, caller)
    except BaseException as error:  # noqa: BLE001  (the client reports the death in many ways; each is expected here)
        print(f"round {seed}: {type(error).__name__} after {calls} calls", file=sys.stderr)
    return subjects, calls


def _call(random: Random, step: str, *, undoes: bool) -> tuple[str, dict[str, Any]]:
    tools = ["ingest"] * 4 + ["add_triples"] * 4 + ["merge", "remove"] + ["undo"] * (2 * undoes)
    match random.choice(tools):
        case "ingest":
            text = "\n\n".join(make_text(random) for _ in range(random.randint(1, PARAGRAPHS)))
            return "ingest", {"text": text, "uri": f"memo:{random.randrange(5)}"}
        case "merge":
            kept, merged = random.sample(NAMES, 2)
            return "merge", {"keep": kept, "merge": merged}
        case "remove":
            return "remove", {"document": f"memo:{random.randrange(5)}"}
        case "undo":
            return "undo", {}
        case _:
            return "add_triples", {"triples": [{"subject": step, "predicate": "follows", "object": "Start"}]}


def owner_pid(db: Path) -> int:
    """The process that owns a file, 0 where there is none."""
    try:
        connection = connect_to_owner(db, Hello("", "status"))
    except GraphragError:
        return 0
    if connection is None:
        return 0
    connection.close()
    return connection.welcome.pid


def wait_for_the_end_of_the_owner(db: Path) -> None:
    """Wait until the owner has ended by itself."""
    deadline = time.monotonic() + END_SECONDS
    while owner_pid(db) and time.monotonic() < deadline:
        time.sleep(0.2)


def open_in_duckdb(db: Path) -> None:
    """Open the file for writing as another program would, and close it again."""
    command = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('SELECT count(*) FROM triples')"
    subprocess.run([sys.executable, "-c", command, str(db)], check=True)


def kill_rounds(rounds: range, embedders: Embedders, *, relayed: bool = False) -> Counts:
    """Kill a server again and again."""
    counts = Counts()
    for seed in rounds:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            db = Path(folder, "graph.duckdb")
            victims = VICTIMS[seed // 2 % len(VICTIMS)] if relayed else ()
            subjects, calls = anyio.run(call_until_killed, db, seed, victims)
            if relayed:
                wait_for_the_end_of_the_owner(db)
                if seed // 2 % 2:
                    open_in_duckdb(db)
            counts.rounds += 1
            counts.killed += 1
            counts.acknowledged += calls
            graph = Graph(Settings(db=db), embedders=embedders)
            try:
                lost = set[str]() if seed % 2 else subjects - stored_subjects(graph)
                states = [job.state for job in graph.status().jobs]
                counts.interrupted_jobs += states.count("interrupted")
                counts.running_jobs += states.count("running")
                counts.lost += len(lost)
                _verify(graph, seed, counts, wrong=bool(lost))
            except GraphragError as error:
                print(f"round {seed}: {error}", file=sys.stderr)
                counts.not_opened += 1
            finally:
                graph.close()
    return counts


def stored_subjects(graph: Graph) -> set[str]:
    """The subjects of the triples that were added."""
    try:
        page = graph.query_triples(TripleQuery(predicate="follows", limit=CALLS * CALLERS))
    except UnknownName:  # none was
        return set()
    return {triple.subject for triple in page.triples}


def rewrites(rounds: range, embedders: Embedders) -> Counts:
    """Kill what writes the file anew, or a copy of it, again and again."""
    counts = Counts()
    for seed in rounds:
        with tempfile.TemporaryDirectory() as folder:
            db, words = Path(folder, "graph.duckdb"), REWRITES[seed % len(REWRITES)]
            with Graph(Settings(db=db), embedders=embedders) as graph:
                _add_steps(graph, range(BACKED_UP))
                graph.back_up(Path(folder, "backup.duckdb"))
                _add_steps(graph, range(BACKED_UP, KEPT))
            counts.rounds += 1
            counts.killed += _killed(words, db, Random(seed).uniform(0.5, 6))  # noqa: S311
            with Graph(Settings(db=db), embedders=embedders) as graph:
                found = graph.status().counts.triples
                lost = found != KEPT and not (words[0] == "restore" and found == BACKED_UP)
                counts.lost += lost
                counts.acknowledged += found
                left = [path.name for path in db.parent.iterdir() if path.name.endswith(".new")]
                counts.problems.update("left beside the file" for _ in left)
                _verify(graph, seed, counts, wrong=lost or bool(left))
    return counts


def _add_steps(graph: Graph, steps: range) -> None:
    graph.add_triples([Candidate(f"Step {step}", "follows", "Start") for step in steps])


def _killed(words: Sequence[str], db: Path, seconds: float) -> bool:
    command = [sys.executable, "-m", "mcp_graphrag", *words, "--db", str(db)]
    with subprocess.Popen(command, cwd=db.parent, stdout=subprocess.DEVNULL) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return True
    return False


def edit_sequences(sequences: range, embedders: Embedders) -> Counts:
    """Run random sequences of edits, each in a file of its own."""
    counts = Counts()
    for seed in sequences:
        with (
            tempfile.TemporaryDirectory() as folder,
            Graph(Settings(db=Path(folder, "graph.duckdb")), embedders=embedders) as graph,
        ):
            counts.rounds += 1
            counts.operations += len(run_sequence(graph, seed, LENGTH))
            _verify(graph, seed, counts, wrong=False)
    return counts


def _verify(graph: Graph, seed: int, counts: Counts, *, wrong: bool) -> None:
    found = graph.verify()
    counts.awaiting_embedding += found.awaiting_embedding
    for problem in found.problems:
        counts.problems[problem.kind] += problem.count
        print(f"seed {seed}: {problem.count} {problem.about}: {problem.examples}", file=sys.stderr)
    if found.problems or wrong:
        counts.seeds.append(seed)


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--relayed", type=int, default=0)
    parser.add_argument("--rewrites", type=int, default=0)
    parser.add_argument("--sequences", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    embedders = Embedders(WordllamaEmbedder())
    found = {
        "kills": kill_rounds(range(given.seed, given.seed + given.rounds), embedders),
        "relayed": kill_rounds(range(given.seed, given.seed + given.relayed), embedders, relayed=True),
        "rewrites": rewrites(range(given.seed, given.seed + given.rewrites), embedders),
        "sequences": edit_sequences(range(given.seed, given.seed + given.sequences), embedders),
    }
    print(json.dumps({name: vars(each) for name, each in found.items() if each.rounds}, indent=2))
    if any(each.seeds or each.lost or each.not_opened or each.running_jobs for each in found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
