"""Definitions of the languages that a query file describes, measured against universal-ctags or a parser of their own.

    python tests/bench/languages.py LANGUAGE FOLDER [--failures 20] [--scalameta FOLDER]

Prints precision and recall of definitions (name, file and line), with what differs, and megabytes a second of one core.
Scala is compared with scalameta (the npm package scalameta-parsers, unpacked in the folder given, run by node), Swift
with the tokens of Pygments; with ctags the kinds that we have no definition for, such as fields, are left out.
"""

import argparse
import importlib
import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_graphrag.source_code import LANGUAGES, parse_source

# The kinds of ctags, by the language.
CTAGS: dict[str, tuple[str, frozenset[str]]] = {
    "c": ("C", frozenset({"function", "struct", "union", "enum", "macro", "typedef"})),
    "cpp": ("C++", frozenset({"function", "struct", "union", "enum", "macro", "typedef", "class", "namespace"})),
    "csharp": ("C#", frozenset({"class", "struct", "interface", "enum", "method", "namespace"})),
    "php": ("PHP", frozenset({"class", "interface", "trait", "function", "namespace"})),
    "ruby": ("Ruby", frozenset({"class", "module", "method", "singletonMethod"})),
    "kotlin": ("Kotlin", frozenset({"class", "interface", "object", "method", "package"})),
    "bash": ("Sh", frozenset({"function"})),
}
SCALAMETA = """
const {parseSource} = require(process.argv[1] + "/main.js"), fs = require("fs");
const kinds = new Set(["Defn.Class", "Defn.Object", "Defn.Trait", "Defn.Enum", "Defn.Def", "Decl.Def", "Pkg.Object"]);
for (const file of process.argv.slice(2)) {
  const text = fs.readFileSync(file, "utf8"), found = [], starts = [0];
  for (let at = text.indexOf("\\n"); at >= 0; at = text.indexOf("\\n", at + 1)) starts.push(at + 1);
  const line = at => { let low = 0, high = starts.length; while (high - low > 1) {
    const mid = (low + high) >> 1; if (starts[mid] <= at) low = mid; else high = mid; } return low + 1; };
  const tree = parseSource(text, "Scala213");
  const walk = node => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (!node || typeof node !== "object") return;
    const name = node.type === "Pkg" ? node.ref.name || node.ref : kinds.has(node.type) && node.name;
    if (name) found.push([name.value, line(name.pos.start)]);
    Object.values(node).forEach(walk);
  };
  if (!tree.error) walk(tree);
  console.log(JSON.stringify({file, found: tree.error ? null : found}));
}
"""
# A line of C# that declares something; others that ctags names are calls in accessors and lambdas.
DECLARES = re.compile(
    r"\s*(?:\[.*\]\s*)?(?:public|private|internal|protected|static|override|unsafe|extern|abstract|virtual|partial|sealed"
    r"|new|namespace|class|struct|enum|interface|delegate)\b|[\s\w<>\[\].,]+\w[\w>\]]*\s+\w+(?:<\w+>)?\([^=]*\);?\s*\Z"
)
Fact = tuple[str, str, int]


def by_ctags(language: str, files: list[Path]) -> tuple[set[Fact], set[str]]:
    """The definitions that ctags finds, and the files that it can read: all."""
    name, kinds = CTAGS[language]
    options = [
        f"--language-force={name}",
        "--fields=+nKS",
        "--output-format=json",
        "--kinds-all=*",
        "-f",
        "-",
        "-L",
        "-",
    ]
    listed = "\n".join(map(str, files))
    ran = subprocess.run(
        ["ctags", *options], input=listed, capture_output=True, text=True, check=True, errors="replace"
    )
    found, lines = set[Fact](), _lines(files)
    for line in ran.stdout.splitlines():
        tag: dict[str, Any] = json.loads(line)
        name, kind, written = str(tag["name"]), str(tag["kind"]), lines[tag["path"]][int(tag["line"]) - 1]
        is_ours = kind in kinds and not name.startswith("__anon")
        if kind == "macro":
            is_ours = "signature" in tag
        elif kind == "typedef":
            is_ours = "__anon" in tag.get("typeref", "")
        elif language == "bash":
            is_ours = is_ours and not name.endswith("=")  # an array
        elif language == "kotlin" and kind == "method":  # lambdas and their parameters are methods to it
            is_ours = re.search(rf"\bfun\b.*\b{re.escape(name)}\b", written) is not None
        elif name == "Companion":  # an object without a name
            is_ours = "object Companion" in written
        elif language == "csharp":
            is_ours = is_ours and DECLARES.match(written) is not None
        if is_ours:
            found.add((_last(name), tag["path"], tag["line"]))
    return found, {str(file) for file in files}


def by_scalameta(folder: str, files: list[Path]) -> tuple[set[Fact], set[str]]:
    """The definitions of the files that scalameta can parse."""
    found, read = set[Fact](), set[str]()
    for at in range(0, len(files), 100):
        given = ["node", "-e", SCALAMETA, str(Path(folder).resolve()), *map(str, files[at : at + 100])]
        ran = subprocess.run(given, capture_output=True, text=True, check=True)
        for line in ran.stdout.splitlines():
            one = json.loads(line)
            if one["found"] is not None:
                read.add(one["file"])
                found |= {(name, one["file"], at_line) for name, at_line in one["found"]}
    return found, read


def by_pygments(files: list[Path]) -> tuple[set[Fact], set[str]]:
    """The definitions of Swift by the words that declare them, where Pygments sees code and no string or comment."""
    lexers: Any = importlib.import_module("pygments.lexers")  # only Swift needs it
    from pygments.token import Comment, Keyword, Name, String  # noqa: PLC0415

    declaring = {"class", "struct", "enum", "protocol", "func", "actor"}
    modified = {"func", "var", "let", "subscript", "init"}  # by `class`, as in `class func` of a class
    found = set[Fact]()
    for file in files:
        text, line, before = _text(file), 1, ["", ""]
        for kind, written in lexers.get_lexer_by_name("swift", stripnl=False).get_tokens(text):
            value = written.strip("`") if kind in Name else written.strip()
            if value and kind not in Comment and kind not in String:
                is_name = (kind in Name or kind in Keyword) and value not in modified
                if before[1] in declaring and before[0] != "." and is_name:
                    found.add((value, str(file), line))
                if before[1] in {"init", "deinit"} and before[0] != "." and value[0] in "(?!<{":
                    found.add((before[1], str(file), line))
                before = [before[1], value]
            line += written.count("\n")
    return found, {str(file) for file in files}


def ours(language: str, files: list[Path]) -> tuple[set[Fact], float]:
    """The definitions as they are read, and the megabytes read in a second."""
    row = next(each for each in LANGUAGES if each.name == language)
    found, size, started = set[Fact](), 0, time.process_time()
    for file in files:
        text = _text(file)
        size += len(text)
        found |= {
            (each.name.replace("operator ", "operator"), str(file), each.line)
            for each in parse_source(text, row).definitions
        }
    return found, size / 1e6 / max(time.process_time() - started, 1e-9)


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _lines(files: list[Path]) -> dict[str, list[str]]:
    return {str(file): _text(file).split("\n") for file in files}


def _last(name: str) -> str:
    for mark in ("::", "\\", "."):
        name = name.rpartition(mark)[2] if not name.startswith("operator") else name
    return name.replace("operator ", "operator").strip("`")


def _files(language: str, folder: Path) -> Iterator[Path]:
    row = next(each for each in LANGUAGES if each.name == language)
    return (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in row.suffixes and path.is_file())


def main() -> None:
    """Print how the definitions of a folder compare."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("language", choices=[*CTAGS, "scala", "swift"])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--failures", type=int, default=20)
    arguments.add_argument("--scalameta", default="")
    given = arguments.parse_args()
    files = list(_files(given.language, given.folder))
    if given.language == "scala":
        gold, read = by_scalameta(given.scalameta, files)
    else:
        gold, read = by_pygments(files) if given.language == "swift" else by_ctags(given.language, files)
    found, speed = ours(given.language, [file for file in files if str(file) in read])
    lines = _lines(files)
    if given.language == "swift":  # names in backticks, which Pygments does not know
        found = {fact for fact in found if "`" not in lines[fact[1]][fact[2] - 1]}
    unseen = set[Fact]()
    if given.language == "csharp":
        # Of what stands behind an accessor or a constraint ctags sees little.
        unseen = {fact for fact in found - gold if DECLARES.match(lines[fact[1]][fact[2] - 1])}
        found -= unseen
    for what, facts in (("wrong", found - gold), ("missed", gold - found)):
        for name, path, line in sorted(facts, key=lambda fact: fact[1:])[: given.failures]:
            print(f"  {what}: {name} {Path(path).relative_to(given.folder)}:{line}")
    right = len(found & gold)
    print(
        f"{given.language}: {len(read)} files, precision {right / max(len(found), 1):.4f} of {len(found):,}, "
        f"recall {right / max(len(gold), 1):.4f} of {len(gold):,}, {speed:.1f} MB a second"
        + (f"; on lines that declare, unknown to ctags: {len(unseen):,}" if unseen else "")
    )


if __name__ == "__main__":
    main()
