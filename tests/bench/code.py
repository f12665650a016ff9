"""Reading of source code, measured: Python against its own `ast`, resolved calls against jedi, and how fast.

    python tests/bench/code.py PACKAGE_FOLDER [--jedi CALLS] [--failures 20]

Prints precision and recall of definitions, imports, bases and calls, with what differs; for a sample of the calls that
were resolved how many jedi leads to the same definition; and files and megabytes a second of one core.
"""

import argparse
import ast
import importlib
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_graphrag.extract.code.file_names import Symbol
from mcp_graphrag.extract.code.repository import KnownFiles, Repository
from mcp_graphrag.extract.code.resolver import Resolver
from mcp_graphrag.extract.code.value_types import TypedResolver
from mcp_graphrag.source_code import LANGUAGES, SourceFile, read_source
from mcp_graphrag.source_code.source_file import ANY, MODULE

PYTHON = LANGUAGES[0]
SECONDS = 240  # that the comparison with jedi may take
KINDS = ("definitions", "imports", "extends", "calls", "raises", "catches")
Facts = Counter[tuple[str, ...]]


class AstReader(ast.NodeVisitor):
    """The same facts by Python's own parser; nothing of it is shared with what is measured."""

    def __init__(self) -> None:
        self.scope: list[str] = []
        self.facts: dict[str, Facts] = {kind: Counter() for kind in KINDS}

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.facts["imports"][alias.name, "", alias.asname or alias.name.split(".")[0]] += 1

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            local = "" if alias.name == "*" else alias.asname or alias.name
            self.facts["imports"][module, alias.name, local] += 1

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name:
            self.facts["calls"][".".join(self.scope), name] += 1
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._name("raises", node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        for each in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
            self._name("catches", each)
        self.generic_visit(node)

    def _name(self, kind: str, node: ast.expr | None) -> None:
        if isinstance(node, ast.Name | ast.Attribute) and not _has_call(node):
            self.facts[kind][".".join(self.scope), ast.unparse(node)] += 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._define(node)
        for base in node.bases:
            plain = base.value if isinstance(base, ast.Subscript) else base
            if isinstance(plain, ast.Name | ast.Attribute) and not _has_call(plain):
                self.facts["extends"][".".join([*self.scope, node.name]), ast.unparse(plain)] += 1
        self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._define(node)
        self._inside(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  the name of ast

    def _define(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.facts["definitions"][".".join([*self.scope, node.name]), str(node.lineno)] += 1
        for decorator in node.decorator_list:
            self.visit(decorator)

    def _inside(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.scope.append(node.name)
        for name, value in ast.iter_fields(node):
            if name != "decorator_list":
                for each in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
                    if isinstance(each, ast.AST):
                        self.visit(each)
        self.scope.pop()


def _has_call(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def facts_of(source: SourceFile) -> dict[str, Facts]:
    """The facts as they were read."""
    paths = {MODULE: "", **{index: each.path for index, each in enumerate(source.definitions)}}
    found: dict[str, Facts] = {kind: Counter() for kind in KINDS}
    found["definitions"].update((each.path, str(each.line)) for each in source.definitions)
    found["imports"].update(
        (each.module, each.member, "" if each.member == ANY else each.local) for each in source.imports
    )
    for each in source.references:
        if each.relation == "calls":
            found["calls"][paths[each.scope], each.name] += 1
        elif each.relation in KINDS:
            name = f"{each.receiver}.{each.name}" if each.receiver else each.name
            found[each.relation][paths[each.scope], name] += 1
    return found


def compare_with_ast(texts: dict[Path, str], failures: int) -> None:
    """Print precision and recall of each kind of fact, and the first differences."""
    totals = {kind: Counter[str]() for kind in KINDS}
    shown = Counter[str]()
    for path, text in texts.items():
        try:
            reader = AstReader()
            reader.visit(ast.parse(text))
        except (SyntaxError, RecursionError):
            continue
        found = facts_of(read_source(text, PYTHON))
        for kind, gold in reader.facts.items():
            totals[kind].update(
                right=(gold & found[kind]).total(),
                wrong=(found[kind] - gold).total(),
                missed=(gold - found[kind]).total(),
            )
            for what, facts in (("wrong", found[kind] - gold), ("missed", gold - found[kind])):
                for fact in facts:
                    shown[kind] += 1
                    if shown[kind] <= failures:
                        print(f"  {what} {kind}: {path.name} {' '.join(fact)}")
    for kind, count in totals.items():
        precision = count["right"] / max(count["right"] + count["wrong"], 1)
        recall = count["right"] / max(count["right"] + count["missed"], 1)
        print(f"{kind}: precision {precision:.4f}, recall {recall:.4f} of {count['right'] + count['missed']:,}")


def compare_with_jedi(folder: Path, texts: dict[Path, str], sample: int, failures: int, relation: str) -> None:
    """Print how many of the calls or uses that are resolved to a definition jedi leads to the same one."""
    jedi: Any = importlib.import_module("jedi")  # only this comparison needs it

    uris = {path.as_uri(): path for path in texts}
    known = KnownFiles(dict.fromkeys(uris, PYTHON.media_type), lambda uri: texts[uris[uri]])
    resolver = TypedResolver(Repository(known))
    calls = [
        (path, reference)
        for path in texts
        for reference in resolver.names(str(path)).source.references
        if reference.relation == relation
    ]
    random.Random(7).shuffle(calls)  # noqa: S311  it guards nothing
    project = jedi.Project(folder.parent)
    counts, shown, until = Counter[str](), 0, time.monotonic() + SECONDS
    for path, reference in calls:
        if counts.total() >= sample or time.monotonic() > until:
            break
        text = texts[path]
        line = text.count("\n", 0, reference.start) + 1
        column = reference.start - (text.rfind("\n", 0, reference.start) + 1)
        try:
            names: list[Any] = jedi.Script(text, path=path, project=project).goto(line, column, follow_imports=True)
        except RecursionError:  # a defect of jedi in annotations that name themselves
            continue
        meant: set[tuple[str, int | None]] = {
            (str(name.module_path), name.line) for name in names if name.type in {"function", "class"}
        }
        own = {place for place in meant if place[0].startswith(str(folder))}
        target = resolver.resolve(str(path), reference)
        definition = resolver.definition(target) if isinstance(target, Symbol) else None
        if not isinstance(target, Symbol) or definition is None:
            counts["not resolved, jedi does" if own else "not resolved by either"] += 1
            if own and shown < failures:
                shown += 1
                print(
                    f"  not resolved: {path.name}:{line} {reference.receiver}.{reference.name}, jedi {sorted(own)[:2]}"
                )
            continue
        if not meant:
            counts["resolved, jedi does not"] += 1
            continue
        same = any(place == target.path and line == definition.line for place, line in meant)
        # Of definitions of one name in one place, as in branches and overloads, either may be meant.
        same = same or any(
            place == target.path and _is_named(texts.get(Path(place), ""), line or 0, definition.name)
            for place, line in meant
        )
        counts["same" if same else "other"] += 1
        if not same and shown < failures:
            shown += 1
            print(f"  other: {path.name}:{line} {reference.name} -> {target}, jedi {meant}")
    decided = counts["same"] + counts["other"]
    internal = decided + counts["not resolved, jedi does"]
    print(f"{relation} against jedi: {dict(counts)}")
    print(
        f"precision {counts['same'] / max(decided, 1):.3f} of {decided}, recall {counts['same'] / max(internal, 1):.3f}"
    )


def _is_named(text: str, line: int, name: str) -> bool:
    lines = text.split("\n")
    return 0 < line <= len(lines) and f" {name}" in lines[line - 1]


def measure_speed(texts: dict[Path, str]) -> None:
    """Print files and megabytes a second of one core, reading and resolving."""
    uris = {path.as_uri(): path for path in texts}
    repository = Repository(KnownFiles(dict.fromkeys(uris, PYTHON.media_type), lambda uri: f"{texts[uris[uri]]}\n"))
    resolver = TypedResolver(repository)
    start = time.process_time()
    count = sum(1 for _ in _resolved(resolver, texts))
    seconds = time.process_time() - start
    size = sum(map(len, texts.values())) / 1e6
    rates = f"{len(texts) / seconds:.0f} files/s, {size / seconds:.1f} MB/s"
    print(f"{len(texts)} files, {size:.1f} MB, {count:,} references: {rates}")


def _resolved(resolver: Resolver, texts: dict[Path, str]) -> Iterator[object]:
    for path in texts:
        for reference in resolver.names(str(path)).source.references:
            yield resolver.resolve(str(path), reference)


def main() -> None:
    """Measure the Python files of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jedi", type=int, default=0, metavar="CALLS", help="calls to compare with jedi")
    parser.add_argument("--failures", type=int, default=10, help="differences to print of each kind")
    given = parser.parse_args()
    folder = given.folder.resolve()
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.py"))}
    compare_with_ast(texts, given.failures)
    measure_speed(texts)
    if given.jedi:
        for relation in ("calls", "raises", "catches", "references"):
            compare_with_jedi(folder, texts, given.jedi, given.failures, relation)


if __name__ == "__main__":
    sys.exit(main())
