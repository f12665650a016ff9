"""Questions that a coding agent asks of a Python repository, in one call each, against right answers of jedi and `ast`.

    python tests/bench/code_questions.py REPOSITORY PACKAGE [--questions 10] [--seed 7] [--failures 20]

PACKAGE is the folder of the package in REPOSITORY. Of each kind (who calls, who imports, what extends, what raises,
which functions use a class) some definitions that have an answer are chosen by chance. Prints how many answers of
`query_triples` are complete and how many say what is not so, and their characters beside those of `grep -rnw NAME`.
"""

import argparse
import ast
import importlib
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.server.call_by_name import run_whole
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import make_settings

PREDICATES = {"calls": "calls", "imports": "imports", "extends": "extends", "raises": "raises"}
Answer = set[str]


@dataclass(frozen=True)
class Question:
    """Who has the predicate to a definition; `right` are the qualified names of those that have, by another program."""

    predicate: str
    name: str
    right: frozenset[str]


class Places(ast.NodeVisitor):
    """The definitions of a module by their lines, and the places of calls, bases and raised names."""

    def __init__(self, module: str) -> None:
        self.scope, self.spans = [module], list[tuple[int, int, str]]()
        self.kinds: dict[tuple[int, int], str] = {}
        self.defined: list[tuple[int, int, str, str]] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            self._mark(base, "extends")
        self._define(node, "class")

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._define(node, "function")

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  as `ast` calls it

    def visit_Call(self, node: ast.Call) -> None:
        self._mark(node.func, "calls")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        if node.exc is not None:
            self._mark(node.exc.func if isinstance(node.exc, ast.Call) else node.exc, "raises")
        self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.kinds[alias.lineno, alias.col_offset] = "imports"

    def _define(self, node: Any, kind: str) -> None:
        self.scope.append(node.name)
        self.spans.append((node.lineno, node.end_lineno or node.lineno, ".".join(self.scope)))
        start = node.col_offset + (6 if kind == "class" else 4 if isinstance(node, ast.FunctionDef) else 10)
        self.defined.append((node.lineno, start, kind, ".".join(self.scope)))
        self.generic_visit(node)
        self.scope.pop()

    def _mark(self, node: ast.expr, kind: str) -> None:
        if isinstance(node, ast.Attribute):
            self.kinds[node.end_lineno or 0, (node.end_col_offset or 0) - len(node.attr)] = kind
        elif isinstance(node, ast.Name):
            self.kinds[node.lineno, node.col_offset] = kind

    def around(self, line: int, kind: str) -> str:
        """The innermost definition around a line; of a base the class, of an import the module."""
        if kind == "imports":
            return self.scope[0]
        inside = [span for span in self.spans if span[0] <= line <= span[1]]
        return max(inside, default=(0, 0, self.scope[0]))[2]


def questions(repository: Path, package: Path, count: int, seed: int) -> Iterator[Question]:
    """As many questions of each kind, about definitions of the package chosen by chance."""
    jedi: Any = importlib.import_module("jedi")
    places: dict[str, Places] = {}
    for path in sorted(package.rglob("*.py")):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        places[str(path)] = Places(name)
        places[str(path)].visit(ast.parse(path.read_text("utf-8", "replace")))
    project = jedi.Project(repository, sys_path=[str(package.parent)])
    chosen = [(path, each) for path, own in places.items() for each in own.defined]
    random.Random(seed).shuffle(chosen)  # noqa: S311  it guards nothing
    left = Counter(dict.fromkeys(PREDICATES, count))
    for path, (line, column, _, qualified) in chosen:
        if not +left:
            return
        found: dict[str, set[str]] = defaultdict(set)
        try:
            references = jedi.Script(path=path, project=project).get_references(line, column, scope="project")
        except Exception as error:  # noqa: BLE001  a defect of jedi
            print(f"  jedi fails on {qualified}: {type(error).__name__}")
            continue
        for each in references:
            own = places.get(str(each.module_path))
            kind = own.kinds.get((each.line, each.column)) if own else None
            if own is not None and kind is not None:
                found[kind].add(own.around(each.line, kind))
        for kind in [each for each in found if left[each] > 0]:
            left[kind] -= 1
            yield Question(kind, qualified, frozenset(found[kind]))


def answered(graph: Graph, question: Question) -> tuple[Answer, str]:
    """The subjects of one call of `query_triples`, and its text."""
    query = TripleQuery(object=question.name, predicate=PREDICATES[question.predicate], infer=False, limit=500)
    try:
        found = {each.subject for each in graph.query_triples(query).triples}
    except GraphragError as error:
        return set(), str(error)
    tool = next(each for each in TOOLS if each.name == "query_triples")
    call = Call(make_app(graph), graph.settings.answer_tokens, "bench")
    arguments = {"object": question.name, "predicate": PREDICATES[question.predicate], "limit": 500}
    return found, run_whole(tool, call, arguments).written()


def main() -> None:
    """Ask, and print what is incomplete or false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("package", type=Path)
    parser.add_argument("--questions", type=int, default=10, help="of each kind")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--failures", type=int, default=20, help="that are printed")
    given = parser.parse_args()
    repository, package = given.repository.resolve(), given.package.resolve()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    shown = 0
    with tempfile.TemporaryDirectory() as folder:
        settings = make_settings(db=Path(folder, "graph.duckdb"), embedder="wordllama", roots=[str(repository)])
        with Graph(settings) as graph:
            graph.ingest_files([repository])
            for each in questions(repository, package, given.questions, given.seed):
                found, text = answered(graph, each)
                grep = ["grep", "-rnw", each.name.rpartition(".")[2], str(repository), "--include=*.py"]
                printed = subprocess.run(grep, capture_output=True, text=True, check=False).stdout
                missing = each.right - found
                # Those outside of the package are not among the right answers.
                false = {name for name in found - each.right if name.startswith(f"{package.name}.")}
                counts[each.predicate].update(
                    asked=1,
                    complete=not missing,
                    false=len(false),
                    characters=len(text),
                    grep=len(printed.replace(f"{repository}/", "")),
                )
                if (missing or false) and shown < given.failures:
                    shown += 1
                    print(
                        f"  who {each.predicate} {each.name}: missing {sorted(missing)[:5]}, false {sorted(false)[:5]}"
                    )
    for kind, count in counts.items():
        print(
            f"{kind}: {count['complete']} of {count['asked']} complete, {count['false']} names false; "
            f"{count['characters']:,} characters, grep {count['grep']:,}"
        )


if __name__ == "__main__":
    sys.exit(main())
