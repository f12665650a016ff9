"""Calls of TypeScript and JavaScript that are resolved, against the TypeScript compiler.

    python tests/bench/typescript_calls.py FOLDER --typescript node_modules/typescript [--failures 20]

The compiler says for each call, `new` and element the declaration of its name. Of these, precision is the share that is
the same where both resolve a name, and recall the share that is found of those that the folder itself declares as a
function, method or class: no parameter, and no value of a function type.
"""

import argparse
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_graphrag.extract.code.file_names import Symbol
from mcp_graphrag.extract.code.repository import KnownFiles, Repository
from mcp_graphrag.extract.code.value_types import TypedResolver
from mcp_graphrag.source_code import LANGUAGES

SCRIPTS = [language for language in LANGUAGES if language.family == "script"]
CONFIGURATIONS = ("package.json", "tsconfig*.json", "jsconfig*.json", "pnpm-workspace.yaml")


def calls_by_compiler(folder: Path, typescript: Path) -> Iterator[dict[str, Any]]:
    """What the compiler says of each call."""
    program = Path(__file__).with_suffix(".mjs")
    command = ["node", "--max-old-space-size=4000", str(program), str(folder), str(typescript)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return map(json.loads, printed.splitlines())


def resolver_of(folder: Path) -> tuple[TypedResolver, dict[str, str]]:
    """A resolver of the scripts of a folder, and their texts."""
    types = {suffix: language.media_type for language in SCRIPTS for suffix in language.suffixes}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "node_modules" not in path.parts]
    texts = {str(path): path.read_text(encoding="utf-8") for path in paths if path.suffix in types}
    media = {path: types[Path(path).suffix] for path in texts}
    configurations = [path for pattern in CONFIGURATIONS for path in folder.rglob(pattern)]
    known = {str(path): path.read_text(encoding="utf-8") for path in configurations if "node_modules" not in path.parts}
    all_texts = {**known, **texts}
    files = KnownFiles({**dict.fromkeys(known, "application/json"), **media}, all_texts.__getitem__)
    return TypedResolver(Repository(files)), texts


def main() -> None:
    """Compare, and print precision, recall, failures and the speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--typescript", type=Path, required=True, help="folder of the npm package typescript")
    parser.add_argument("--failures", type=int, default=10, help="differences to print of each kind")
    given = parser.parse_args()
    folder = given.folder.resolve()
    resolver, texts = resolver_of(folder)
    start = time.process_time()
    found = {
        (path, each.start): (each.receiver, resolver.resolve(path, each))
        for path in texts
        for each in resolver.names(path).source.references
        if each.relation == "calls"
    }
    seconds = time.process_time() - start
    print(f"{len(texts)} files, {sum(map(len, texts.values())) / 1e6:.1f} MB: {len(texts) / seconds:.0f} files/s")
    counts = Counter[str]()
    for call in calls_by_compiler(folder, given.typescript):
        receiver, target = found.get((call["file"], call["at"]), ("not read", None))
        own = [each for each in call["targets"] if each["definition"] and each["file"] in texts]
        definition = resolver.definition(target) if isinstance(target, Symbol) else None
        place = None
        if isinstance(target, Symbol) and definition is not None:
            place = target.path, texts[target.path].count("\n", 0, definition.name_start) + 1
        said = {(each["file"], each["line"]) for each in call["targets"]}
        kind = "neither"
        if place is not None:
            kind = "same" if place in said else "other" if said else "unknown to the compiler"
        elif own:
            kind = "missed"
        counts[kind] += 1
        if kind in {"other", "missed"} and counts[kind] <= given.failures:
            line = texts[call["file"]].count("\n", 0, call["at"]) + 1
            meant = {(Path(path).name, line) for path, line in said}
            print(
                f"  {kind}: {Path(call['file']).name}:{line} {receiver} . {call['name']} -> {place}, compiler {meant}"
            )
    print(dict(counts))
    decided = counts["same"] + counts["other"]
    print(f"precision {counts['same'] / max(decided, 1):.4f} of {decided}")
    print(f"recall {counts['same'] / max(counts['same'] + counts['missed'], 1):.4f}")


if __name__ == "__main__":
    main()
