"""Make sets of questions about source code: python training/fusion/make_code_sets.py OUT [PACKAGE …] [--go FOLDER]

The packages are those of this environment. `code-relations` has their files and asks for what stands in another file
than the one that the question names, by templates, with the answers of jedi: which file defines what a file imports,
what a class extends, what a function raises or calls. `code-parts` has the same text in parts, without docstrings and
as plain text, and asks in the words of a docstring for the part with the function that had it. `go-parts` has the same
of Go, by the comments in front of functions: FOLDER has its packages. All are folders that tests/bench/retrieval.py
reads.
"""

import argparse
import ast
import importlib
import importlib.util
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from make_sets import write

PACKAGES = ("starlette", "httpx2", "click", "uvicorn", "jsonschema")
OF_A_KIND = 40  # questions
OF_A_SET = 200
MOST = 1_800  # characters of a part
MOST_FILES = 3  # that answer a question
ASKED = {
    "imports": ("{0} imports {1} from {2}. Which file defines it?", "Where is {1} defined, which {0} imports?"),
    "extends": ("Which class does {0} extend?", "In which file is the base class of {0} defined?"),
    "raises": ("Which exception does {0} raise?", "Where is the exception defined that {0} raises?"),
    "calls": ("Which functions does {0} call?", "Where are the functions defined that {0} calls?"),
    "called": ("What calls {0}?", "Which functions call {0}?"),
    "inherits": ("Which classes extend {0}?", "What are the subclasses of {0}?"),
}
BACKWARDS = {"calls": "called", "extends": "inherits"}
BEGINS = r"(class|def|async def|@|    def)"
BEGINS_GO = r"(func|type|var|const)\b"
GO_FUNCTION = re.compile(r"func (?:\((?:\w+ )?\*?(?P<of>\w+)\) )?(?P<name>\w+)\(")
PARTS_ASKED = ("How does {} {}?", "Where does {} {}?", "Which part of {} is to {}?")

Row = dict[str, Any]
Lines = tuple[list[str], dict[int, list[tuple[str, str]]]]


@dataclass(frozen=True)
class Named:
    """A name in a file that stands for a definition: how, in which definition, and where."""

    kind: str
    inside: str
    text: str
    module: str
    line: int
    column: int


class Use(NamedTuple):
    """A definition, or a file that imports from a module, in which names are used in one way."""

    kind: str
    file: str
    inside: str
    module: str


def main() -> None:
    """Write the sets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--go", type=Path, help="a folder of packages of Go")
    given = parser.parse_args()
    files: dict[str, str] = {}
    site = Path()
    for package in given.packages:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise SystemExit(f"There is no package {package} in this environment.")
        site = Path(spec.origin).parents[1]
        paths = site.glob(f"{package}/**/*.py")
        files |= {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in paths}
    found = [(name, text) for name, text in sorted(files.items()) if text.strip()]
    corpus = [{"id": name, "title": name, "text": text, "media_type": "text/x-python"} for name, text in found]
    write(given.out / "code-relations", corpus, questions_of_relations(site, files))
    corpus, queries = parts(files, without_docstrings, BEGINS)
    write(given.out / "code-parts", corpus, random.Random(5).sample(queries, min(OF_A_SET, len(queries))))
    if given.go is not None:
        paths = (path for path in given.go.rglob("*.go") if not path.name.endswith("_test.go"))
        files = {path.relative_to(given.go).as_posix(): path.read_text("utf-8") for path in sorted(paths)}
        corpus, queries = parts(files, without_comments, BEGINS_GO)
        write(given.out / "go-parts", corpus, random.Random(5).sample(queries, min(OF_A_SET, len(queries))))


def questions_of_relations(site: Path, files: dict[str, str]) -> list[Row]:
    """As many questions of each kind; the answers are other files than the one of what is named."""
    draw = random.Random(3)
    triples = resolved(site, files)
    defined: dict[str, set[str]] = defaultdict(set)
    users: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for each, ends in triples.items():
        defined[each.inside].add(each.file)
        if each.kind in BACKWARDS:
            for end in ends:
                users[BACKWARDS[each.kind], *end].add(each.file)
    asked: dict[str, list[Row]] = defaultdict(list)
    for each, ends in sorted(triples.items()):
        others = sorted({file for file, _ in ends} - {each.file})
        if len(defined[each.inside]) == 1 and 0 < len(others) <= MOST_FILES:
            names = [(file, end) for file, end in sorted(ends) if file != each.file] if each.module else [("", "")]
            for file, end in names:
                gold = [file] if each.module else others
                asked[each.kind].append(_asked(draw, each.kind, gold, each.inside, end, each.module))
    for (kind, file, end), using in sorted(users.items()):
        others = sorted(using - {file})
        if 0 < len(others) <= MOST_FILES and len(defined[end]) < 2 and not end.startswith("_"):
            asked[kind].append(_asked(draw, kind, others, end))
    return [row for kind in ASKED for row in draw.sample(asked[kind], min(OF_A_KIND, len(asked[kind])))]


def resolved(site: Path, files: dict[str, str]) -> dict[Use, set[tuple[str, str]]]:
    """By use of names, the definitions for which they stand: (file, name)."""
    jedi: Any = importlib.import_module("jedi")
    project = jedi.Project(site, smart_sys_path=False)
    found: dict[Use, set[tuple[str, str]]] = defaultdict(set)
    for file, text in sorted(files.items()):
        script = jedi.Script(code=text, path=site / file, project=project)
        for each in names_in(ast.parse(text)):
            try:
                places = script.goto(each.line, each.column, follow_imports=True)
            except Exception:  # noqa: BLE001, S112  a defect of jedi; there are enough others
                continue
            for place in places:
                at = str(place.module_path or "").removeprefix(f"{site}/")
                if at in files and place.type in {"class", "function"}:
                    name = each.text if each.module else str(place.full_name or "").rpartition(".")[2]
                    found[Use(each.kind, file, each.inside or file, each.module)].add((at, name))
    return found


def _asked(draw: random.Random, kind: str, gold: Sequence[str], *named: str) -> Row:
    question = draw.choice(ASKED[kind]).format(*named)
    return {"id": f"{kind}-{question}", "question": question, "answers": [], "gold": list(gold), "type": kind}


def names_in(tree: ast.Module) -> Iterator[Named]:
    """The imported names of a module, and what its classes and functions extend, raise and call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                module = "." * node.level + node.module
                yield Named("imports", "", alias.name, module, alias.lineno, alias.col_offset)
        elif isinstance(node, ast.ClassDef):
            yield from (_named("extends", node.name, base) for base in node.bases if _is_name(base))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Raise) and inner.exc is not None:
                    raised = inner.exc.func if isinstance(inner.exc, ast.Call) else inner.exc
                    yield from (_named("raises", node.name, each) for each in (raised,) if _is_name(each))
                elif isinstance(inner, ast.Call) and _is_name(inner.func):
                    yield _named("calls", node.name, inner.func)


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute)


def _named(kind: str, inside: str, node: ast.expr) -> Named:
    text = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    column = (node.end_col_offset or 0) - len(text)
    return Named(kind, inside, text, "", node.end_lineno or node.lineno, column)


def parts(files: dict[str, str], without: Callable[[str], Lines], begin: str) -> tuple[list[Row], list[Row]]:
    """Parts of the files without docstrings or comments, and questions in the words of what was left out."""
    draw = random.Random(4)
    corpus: list[Row] = []
    queries: list[Row] = []
    for name, text in sorted(files.items()):
        lines, said = without(text)
        part, at = "", f"{name}#0"
        for number, line in enumerate(lines, start=1):
            begins = re.match(begin, line)
            if part.strip() and (len(part) + len(line) > MOST or (len(part) > MOST / 2 and begins)):
                corpus.append({"id": at, "title": name, "text": part})
                part, at = "", f"{name}#{number}"
            part += line
            for of, words in said.get(number, ()):
                question = draw.choice(PARTS_ASKED).format(of or name, words[0].lower() + words[1:])
                row = {"id": f"{at}:{number}", "question": question, "answers": [], "gold": [at], "type": "part"}
                queries.append(row)
        corpus += [{"id": at, "title": name, "text": part}] if part.strip() else []
    known = {row["id"] for row in corpus}
    return corpus, [row for row in queries if row["gold"][0] in known]


def without_docstrings(text: str) -> Lines:
    """The lines, and by the line of a function its class, "" for none, with the first sentence of its docstring."""
    lines = text.splitlines(keepends=True)
    said: dict[int, list[tuple[str, str]]] = {}
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    classes = {child.lineno: node.name for node in nodes if isinstance(node, ast.ClassDef) for child in node.body}
    for node in nodes:
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if (words := ast.get_docstring(node)) is None:
            continue
        first, last = node.body[0].lineno, node.body[0].end_lineno or 0
        lines[first - 1 : last] = ["\n"] * (last - first + 1)
        sentence = re.split(r"[.:]\s|\n\n", " ".join(words.split()))[0].rstrip(".")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and 4 <= len(sentence.split()) <= 20:
            said.setdefault(node.lineno, []).append((classes.get(node.lineno, ""), sentence))
    return lines, said


def without_comments(text: str) -> Lines:
    """The lines of Go without those of comments, and by the line of a function what `without_docstrings` tells."""
    lines = text.splitlines(keepends=True)
    said: dict[int, list[tuple[str, str]]] = {}
    comment: list[str] = []
    for at, line in enumerate(lines):
        if line.lstrip().startswith("//"):
            comment.append(line.strip().lstrip("/ "))
            lines[at] = "\n"
            continue
        if comment and (function := GO_FUNCTION.match(line)) and not comment[0].startswith(("go:", "+build")):
            sentence = re.split(r"[.:]\s", " ".join(comment))[0].rstrip(".")
            sentence = re.sub(rf"^{function['name']}\s+(?:is\s+)?", "", sentence)
            if 4 <= len(sentence.split()) <= 20:
                said[at + 1] = [(function["of"] or "", sentence)]
        if line.strip():
            comment = []
    return lines, said


if __name__ == "__main__":
    main()
