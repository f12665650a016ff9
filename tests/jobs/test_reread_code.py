"""After any edits of source files the graph is that of a fresh ingest."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.settings import make_settings

NAMES = ("f", "F", "g", "Base", "Other")
EDITS = 8


def stored(graph: Graph) -> list[tuple[str, str, str]]:
    page = graph.query_triples(TripleQuery(infer=False, limit=500))
    return sorted((each.subject, each.predicate, each.object) for each in page.triples)


def opened(db: Path, wordllama: Embedder) -> Graph:
    return Graph(make_settings(db=db), embedders=Embedders(wordllama))


def content(rng: random.Random, modules: list[str]) -> str:
    """A module that defines some of the names, imports others by their own or another name, and uses them all."""
    lines: list[str] = []
    known: list[str] = []
    for name in NAMES:
        kind = rng.choice(["define", "import", "rename", "none"])
        if kind in {"import", "rename"}:
            local = name if kind == "import" else f"{name}_too"
            lines.append(f"from {rng.choice(modules)} import {name}" + (f" as {local}" if local != name else ""))
            known.append(local)
        elif kind == "define" and name[0].islower():
            lines.append(f"def {name}():\n    return 1")
            known.append(name)
        elif kind == "define":
            bases = [each for each in known if each[0].isupper()]
            base = f"({rng.choice(bases)})" if bases and rng.random() < 0.6 else ""
            method = rng.choice(["run", "stop"])
            held = rng.choice(["", *(f"    held: {each}\n" for each in known if each[0].isupper())])
            lines.append(
                f"class {name}{base}:\n{held}    def {method}(self):\n        return self.run() + self.held.stop()"
            )
            known.append(name)
    if rng.random() < 0.2:
        lines.append(f"from {rng.choice(modules)} import *")
    typed = [each for each in known if each[0].isupper()]
    lines += [f"def made() -> {typed[0]}:\n    return {typed[0]}()"] if typed else []
    lines += [f"from {rng.choice(modules)} import made as other_made"]
    uses = ["    other_made().run()", "    other_made().held.stop()"]
    uses += [f"    {each}()" for each in dict.fromkeys([*known, rng.choice(NAMES)])]
    return "\n".join([*lines, "def use():", *uses, ""])


def change(rng: random.Random, folder: Path, modules: list[str], graph: Graph) -> None:
    """One edit: a module is written, taken out, or becomes a package or a plain file again."""
    name = rng.choice(modules)
    plain, package = folder / f"{name}.py", folder / name / "__init__.py"
    for path in (plain, package):
        if path.exists() and (rng.random() < 0.5 or path == package):
            graph.remove(Removal(document=path.as_uri()))
            path.unlink()
    path = rng.choice([plain, plain, plain, package]) if not plain.exists() else plain
    if rng.random() < 0.8:
        path.parent.mkdir(exist_ok=True)
        path.write_text(content(rng, modules))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_any_edits_leave_the_graph_of_a_fresh_ingest(tmp_path: Path, wordllama: Embedder, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    folder, modules = tmp_path / "code", ["one", "two", "three", "four"]
    folder.mkdir()
    with opened(tmp_path / "graph.duckdb", wordllama) as graph:
        for step in range(EDITS):
            change(rng, folder, modules, graph)
            graph.ingest_files([folder])
            with opened(tmp_path / f"{step}.duckdb", wordllama) as fresh:
                fresh.ingest_files([folder])
                assert stored(graph) == stored(fresh), step


MOVES: Mapping[str, tuple[Mapping[str, str | None], ...]] = {
    "Go": (
        {"go.mod": "module shop\n", "a.go": "package shop\n\nfunc Use() int { return Count() }\n"},
        {"b.go": "package shop\n\nfunc Count() int { return 1 }\n"},
        {"b.go": None, "c.go": "package shop\n\nfunc Count() int { return 2 }\n"},
    ),
    "entry points": (
        {"pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop:main"\n'},
        {"shop.py": "def run():\n    return main()\n"},
        {"shop.py": "def main():\n    return 1\n\n\ndef run():\n    return main()\n"},
    ),
    "SQL": (
        {"1_a.sql": "CREATE TABLE users (id INT);\n"},
        {"store.py": 'def read(db):\n    return db.execute("SELECT name FROM people")\n\n\nread(None)\n'},
        {"2_b.sql": "CREATE TABLE people (name TEXT);\nDROP TABLE users;\n"},
    ),
    "TypeScript": (
        {"a.ts": "import { f } from './b'\nexport function use() { return f() }\n"},
        {"b.ts": "export { f } from './c'\n"},
        {"c.ts": "export function f() { return 1 }\n"},
        {"b.ts": None, "b/index.ts": "export function f() { return 2 }\n"},
    ),
}


@pytest.mark.parametrize("language", MOVES)
def test_what_moves_is_found_where_it_is_now(tmp_path: Path, wordllama: Embedder, language: str) -> None:
    folder = tmp_path / "code"
    with opened(tmp_path / "graph.duckdb", wordllama) as graph:
        for step, files in enumerate(MOVES[language]):
            for name, text in files.items():
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                if text is None:
                    graph.remove(Removal(document=path.as_uri()))
                    path.unlink()
                else:
                    path.write_text(text)
            graph.ingest_files([folder])
            with opened(tmp_path / f"{step}.duckdb", wordllama) as fresh:
                fresh.ingest_files([folder])
                assert stored(graph) == stored(fresh), step
        assert any(predicate == "calls" for _, predicate, _ in stored(graph))
