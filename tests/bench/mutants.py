"""How many small defects the tests notice: mutants of the packages, each run against the tests that reach its line.

    pip install coverage
    python tests/bench/mutants.py [--count 160] [--seed 1] [--workers 2] [--package search …]

One mutant changes one operator, comparison, number or condition. The line coverage of every test is measured first; a
mutant is then run against the tests of its package that execute the changed line, the shortest first, until one fails.
Mutants are drawn at random over the packages, in proportion to their code, with a fixed seed. Prints every survivor
with its line, and the share caught by package. About 40 minutes on two cores.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
REPOSITORY = Path(__file__).parents[2]
# The tests of each package. Rows of the store are written and read through the packages above it.
TESTS: Mapping[str, Sequence[str]] = {
    "store": ("store", "index", "edit", "resolve", "jobs", "lookup", "communities"),
    "resolve": ("resolve", "edit", "jobs", "outcomes"),
    "search": ("search", "communities"),
    "reason": ("reason",),
    "edit": ("edit", "jobs", "outcomes", "resolve"),
}
MAX_CPU = 60  # seconds of tests that one mutant is run against
SECONDS = 300  # after which a run counts as caught: the mutant loops

COMPARISONS: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}

PLUGIN = """
import json, os, time, warnings
import coverage, pytest

measured = coverage.Coverage(data_file=None, include=[os.path.join(os.getcwd(), "mcp_graphrag", "*")])
reached, took = {}, {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    measured.erase()
    started = time.process_time()
    measured.start()
    yield
    measured.stop()
    took[item.nodeid] = time.process_time() - started
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a test of another process collects no data
        data = measured.get_data()
    reached[item.nodeid] = {name: data.lines(name) for name in data.measured_files()}


def pytest_sessionfinish():
    with open(os.environ["MUTANTS_REACHED"], "w") as out:
        json.dump({"reached": reached, "took": took}, out)
"""


@dataclass(frozen=True)
class Mutant:
    """One changed line of one module: `before` and `after` are the line's code."""

    package: str
    path: str
    line: int
    source: str
    before: str
    after: str
    in_function: bool


@dataclass(frozen=True)
class Reached:
    """The lines that a test executes, by module, and the CPU seconds that it takes."""

    name: str
    seconds: float
    lines: Mapping[str, set[int]]


def mutants_of(package: str, path: Path) -> Iterator[Mutant]:
    """Every mutant of a module."""
    source = path.read_text(encoding="utf-8")
    parsed = ast.parse(source)
    without_effect = {id(inner) for node in ast.walk(parsed) for inner in declarative(node)}
    bodies = [node.body for node in ast.walk(parsed) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    called = {
        id(inner) for body in bodies for top in (body if isinstance(body, list) else [body]) for inner in ast.walk(top)
    }
    for at, node in enumerate(ast.walk(parsed)):
        for variant in range(0 if id(node) in without_effect else variants(node)):
            tree = ast.parse(source)
            changed = next(each for number, each in enumerate(ast.walk(tree)) if number == at)
            before = ast.unparse(changed)
            mutate(changed, variant)
            after = ast.unparse(changed)
            if before != after and "TYPE_CHECKING" not in before:
                name = str(path.relative_to(REPOSITORY))
                line = getattr(node, "lineno", 0)
                yield Mutant(package, name, line, ast.unparse(tree), before, after, id(node) in called)


def declarative(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node whose change no test could notice: annotations, decorators, and the `strict` of a zip."""
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
        yield from ast.walk(node.annotation)
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        yield from ast.walk(node.returns)
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        for decorator in node.decorator_list:
            yield from ast.walk(decorator)
    if isinstance(node, ast.keyword) and node.arg == "strict":
        yield from ast.walk(node.value)


def variants(node: ast.AST) -> int:
    """In how many ways a node can be mutated."""
    if isinstance(node, ast.Compare):
        return len([each for each in node.ops if type(each) in COMPARISONS])
    if isinstance(node, ast.BinOp):
        return int(type(node.op) in OPERATORS)
    if isinstance(node, ast.Call):
        return int(isinstance(node.func, ast.Name) and node.func.id in SWAPPED_CALLS)
    if isinstance(node, ast.Constant):
        return int(isinstance(node.value, int | float))
    return int(isinstance(node, ast.BoolOp | ast.If | ast.IfExp | ast.UnaryOp | ast.Continue))


def mutate(node: ast.AST, variant: int) -> None:
    """Change a node in place."""
    if isinstance(node, ast.Compare):
        places = [place for place, each in enumerate(node.ops) if type(each) in COMPARISONS]
        node.ops[places[variant]] = COMPARISONS[type(node.ops[places[variant]])]()
    elif isinstance(node, ast.BinOp):
        node.op = OPERATORS[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        node.func.id = SWAPPED_CALLS[node.func.id]
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        # A limit of a thousand that is off by one is no defect.
        small = isinstance(node.value, int) and abs(node.value) < 10
        node.value = node.value + 1 if small else node.value * 2 + (0.1 if isinstance(node.value, float) else 0)
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)


def drawn(count: int, seed: int, packages: Sequence[str]) -> list[Mutant]:
    """Mutants at random, at most one a line, in proportion to how many each package has."""
    chosen = random.Random(seed)  # noqa: S311
    every: dict[str, list[Mutant]] = {}
    for package in packages:
        files = sorted((REPOSITORY / "mcp_graphrag" / package).rglob("*.py"))
        every[package] = [mutant for path in files for mutant in mutants_of(package, path)]
    total = sum(len(each) for each in every.values())
    found: list[Mutant] = []
    for each in every.values():
        chosen.shuffle(each)
        lines = list({(mutant.path, mutant.line): mutant for mutant in each}.values())
        found += chosen.sample(lines, min(len(lines), max(10, round(count * len(each) / total))))
    return found


def copy_of_repository(folder: Path) -> Path:
    """A copy of the code and its tests, so that the checkout stays as it is."""
    for name in ("mcp_graphrag", "tests", "schemas"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / name, folder / name)
    return folder


def pytest_in(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest in a copy, with the copy's code."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", "--timeout=240", *words]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **environ}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS * 6
    )


def reached_by_tests(folder: Path, test_folder: str) -> list[Reached]:
    """What each test of a folder executes."""
    (folder / "mutants_plugin.py").write_text(PLUGIN, encoding="utf-8")
    out = folder / f"reached_{test_folder}.json"
    ran = pytest_in(folder, "-p", "mutants_plugin", f"tests/{test_folder}", MUTANTS_REACHED=str(out))
    if ran.returncode:
        raise SystemExit(f"The tests of {test_folder} fail without a mutant:\n{ran.stdout[-3000:]}")
    measured = json.loads(out.read_text(encoding="utf-8"))
    prefix = len(str(folder)) + 1
    return [
        Reached(test, measured["took"][test], {name[prefix:]: set(lines) for name, lines in files.items()})
        for test, files in measured["reached"].items()
    ]


def is_caught(folder: Path, mutant: Mutant, tests: Sequence[str]) -> bool:
    """Whether one of the tests fails with the mutant."""
    path = folder / mutant.path
    original = path.read_text(encoding="utf-8")
    path.write_text(mutant.source, encoding="utf-8")
    try:
        return pytest_in(folder, *tests).returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(original, encoding="utf-8")


def main() -> None:
    """Draw the mutants, run them, print what survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--package", action="append", choices=sorted(TESTS))
    given = parser.parse_args()
    packages = given.package or list(TESTS)
    mutants = drawn(given.count, given.seed, packages)
    print(f"{len(mutants)} mutants: {dict(Counter(each.package for each in mutants))}")
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(given.workers) as pool:
        folders: SimpleQueue[Path] = SimpleQueue()
        copies = [copy_of_repository(Path(scratch, str(number))) for number in range(given.workers)]
        for copy in copies:
            folders.put(copy)

        def in_a_copy(work: Callable[[Path], T]) -> T:
            folder = folders.get()
            try:
                return work(folder)
            finally:
                folders.put(folder)

        def measure(name: str) -> list[Reached]:
            return in_a_copy(lambda copy: reached_by_tests(copy, name))

        def run(mutant: Mutant, tests: Sequence[str]) -> bool:
            return bool(tests) and in_a_copy(lambda copy: is_caught(copy, mutant, tests))

        needed = sorted({name for package in packages for name in TESTS[package]})
        reached = dict(zip(needed, pool.map(measure, needed), strict=True))
        tests = [tests_for(mutant, reached) for mutant in mutants]
        caught = list(pool.map(run, mutants, tests))
    report(mutants, tests, caught)


def tests_for(mutant: Mutant, reached: Mapping[str, Sequence[Reached]]) -> list[str]:
    """The tests of the mutant's package that execute its line, the shortest first.

    A line that runs when its module is imported is executed by the tests that execute any line of the module.
    """
    tests = [test for folder in TESTS[mutant.package] for test in reached[folder]]
    reaching = [
        test
        for test in tests
        if (lines := test.lines.get(mutant.path)) and (not mutant.in_function or mutant.line in lines)
    ]
    chosen: list[str] = []
    seconds = 0.0
    for test in sorted(reaching, key=lambda test: test.seconds):
        seconds += test.seconds
        if seconds <= MAX_CPU:
            chosen.append(test.name)
    return chosen


def report(mutants: Sequence[Mutant], tests: Sequence[Sequence[str]], caught: Sequence[bool]) -> None:
    """Print the survivors and the share caught."""
    by_package: dict[str, list[bool]] = defaultdict(list)
    for mutant, names, dead in zip(mutants, tests, caught, strict=True):
        by_package[mutant.package].append(dead)
        if not dead:
            why = f"survived {len(names)} tests" if names else "no test reaches it"
            print(f"{mutant.path}:{mutant.line}: {mutant.before}  ->  {mutant.after}  ({why})")
    for package, each in by_package.items():
        print(f"{package:8} {sum(each):3} of {len(each):3} caught, {sum(each) / len(each):.0%}")
    print(f"{'all':8} {sum(caught):3} of {len(caught):3} caught, {sum(caught) / len(caught):.0%}")


if __name__ == "__main__":
    main()
