"""How fast a history is read, and whether it agrees with `git log -L` on the commits of definitions.

Usage: python tests/bench/git_history.py REPOSITORY [COMMITS] [DEFINITIONS]
"""

import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from mcp_graphrag.git_history.checkout import find_checkout
from mcp_graphrag.git_history.file_history import File, file_histories
from mcp_graphrag.git_history.read_commits import read_history
from mcp_graphrag.source_code import LANGUAGES, parse_source


def main(folder: str, limit: str = "500", sample: str = "100") -> None:
    """Print the figures."""
    checkout = find_checkout(Path(folder), None)
    start, before = time.monotonic(), time.process_time()
    history = read_history(checkout, int(limit), 0, ())
    spent = time.process_time() - before
    print(f"{len(history.new)} commits, {history.merges} merges: {time.monotonic() - start:.1f} s, {spent:.1f} s own")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
    files: dict[str, File] = {}
    lines: dict[tuple[str, str], tuple[int, int]] = {}
    for path in checkout.git.output("ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0"):
        language = next((each for each in LANGUAGES if path.endswith(each.suffixes)), None)
        if language is not None:
            text = checkout.git.output("show", f"HEAD:{path}").decode("utf-8", "replace")
            definitions = parse_source(text, language).definitions
            once = {one.path for one in definitions} - {
                one.path for one in definitions if _twice(one.path, definitions)
            }
            files[path] = File(path, "", (path, ""), {name: (f"{path}\0{name}", "") for name in once})
            lines |= {
                (path, one.path): (text.count("\n", 0, one.start) + 1, text.count("\n", 0, one.end - 1) + 1)
                for one in definitions
                if one.path in once and one.kind != "class"
            }
    commits = [history.new[sha] for sha in history.commits]
    found: dict[str, set[str]] = {}
    for each in file_histories(commits, files):
        for fact in each.facts:
            if fact.predicate == "changed_in":
                found.setdefault(fact.subject[0], set()).add(fact.object[0])
    read = {commit.name for commit in commits}
    ours = theirs = both = same = 0
    chosen = random.Random(1).sample(sorted(lines), min(int(sample), len(lines)))  # noqa: S311
    start = time.monotonic()
    for path, name in chosen:
        first, last = lines[path, name]
        command = ["git", "-C", folder, "log", "-s", "--no-merges", f"--max-count={limit}", "--format=%H"]
        told = subprocess.run([*command, f"-L{first},{last}:{path}"], check=True, capture_output=True, text=True)
        expected = {sha[:12] for sha in told.stdout.split()} & read
        own = found.get(f"{path}\0{name}", set())
        ours, theirs, both = ours + len(own), theirs + len(expected), both + len(own & expected)
        same += own == expected
        if own != expected and "-v" in sys.argv:
            print(path, name, "only here", own - expected, "only there", expected - own)
    print(f"git log -L: {(time.monotonic() - start) / len(chosen) * 1000:.0f} ms a definition")
    print(
        f"{same} of {len(chosen)} definitions have the same commits; {both} of {ours} right, {both} of {theirs} found"
    )


def _twice(path: str, definitions: object) -> bool:
    return sum(one.path == path for one in definitions) > 1  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(*[word for word in sys.argv[1:] if word != "-v"])
