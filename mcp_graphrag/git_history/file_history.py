"""What commits tell of files and of the definitions in them: the texts of documents, and what these state."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypeAlias

from mcp_graphrag.git_history.commits import Commit, Part, commit_text, one_line

BULK = 50  # files; that a commit changed more does not tell which of them belong together
LEAST_SHARED = 3  # commits that changed both of two files
MAX_TOGETHER = 20  # files that are listed with one
MAX_SUBJECT = 120  # characters
# As the hosts of repositories read it: "fixes #12", "closes GH-12", "resolves owner/name#12".
_FIXES = re.compile(
    r"(?<![\w-])(?<!not )(?<!n't )(?<!to )(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)(?:\s+|:\s*)(?:issue\s+)?"
    r"(?:GH-|((?:[\w.-]+/[\w.-]+)?#))(\d{1,9})\b",
    re.IGNORECASE,
)
Entity: TypeAlias = tuple[str, str]  # name and type
_Change: TypeAlias = tuple[Commit, Sequence[Part]]


class File(NamedTuple):
    """A file as the graph knows it: its document and entity, and those of its definitions by their path in it."""

    path: str
    uri: str
    entity: Entity
    definitions: Mapping[str, Entity]


class Fact(NamedTuple):
    """A triple that the characters `start` to `end` of a text state; `since` is the date of its commit, if of one."""

    subject: Entity
    predicate: str
    object: Entity
    start: int
    end: int
    since: datetime | None = None


@dataclass
class FileHistory:
    """The text of a file's history, where its sections begin, and what it states."""

    path: str
    uri: str
    text: str = ""
    sections: list[int] = field(default_factory=list[int])
    facts: list[Fact] = field(default_factory=list[Fact])

    def state(self, line: str, subject: Entity, predicate: str, object_: Entity, since: datetime | None = None) -> None:
        """Add a line and what it states."""
        start = len(self.text)
        self.text += f"{line}\n"
        self.facts.append(Fact(subject, predicate, object_, start, len(self.text) - 1, since))

    def section(self, title: str, entity: Entity, changes: Sequence[_Change]) -> None:
        """Add who changed an entity and by which commits, which are the newest first."""
        self.text += "\n" if self.text else ""
        self.sections.append(len(self.text))
        self.text += f"{title} ({entity[0]})\n"
        newest = {commit.author: commit for commit, _ in reversed(changes)}
        for author, count in Counter(commit.author for commit, _ in changes).most_common():
            line = f"changed by {author} in {_share(count, changes)}, {_last(newest[author])}"
            self.state(line, entity, "changed_by", (author, "Person"))
        for commit, parts in changes:
            line = (
                f"{commit.name} {commit.when:%Y-%m-%d} {commit.author}{_lines(parts)}: {commit.subject[:MAX_SUBJECT]}"
            )
            self.state(line, entity, "changed_in", (commit.name, "Commit"), commit.when)


def commit_facts(commit: Commit) -> list[Fact]:
    """What the text of a commit states: who wrote it, and which issues it fixes."""
    text, subject = commit_text(commit), (commit.name, "Commit")
    at = text.index("\nauthor ") + 1
    facts = [Fact(subject, "authored_by", (commit.author, "Person"), at, text.index("\n", at), commit.when)]
    issues = (
        {}
        if commit.subject.startswith("Revert ")
        else {f"{found[1] or '#'}{found[2]}": found for found in _FIXES.finditer(text, text.index("\n\n"))}
    )
    for issue, found in issues.items():
        start, end = text.rfind("\n", 0, found.start()) + 1, text.index("\n", found.end())
        facts.append(Fact(subject, "fixes", (issue, "Issue"), start, end, commit.when))
    return facts


def file_histories(commits: Sequence[Commit], files: Mapping[str, File]) -> Iterator[FileHistory]:
    """The history of each of the files, by path, that commits changed, which are the newest first.

    What changed a file under a former path counts too.
    """
    changes: defaultdict[str, list[_Change]] = defaultdict(list)
    together: defaultdict[str, defaultdict[str, list[Commit]]] = defaultdict(lambda: defaultdict(list))
    present = {path: path for path in files}  # by the path that a file had at the time
    for commit in commits:
        known = {present[each.path]: each for each in commit.files if each.path in present}
        for path, each in known.items():
            changes[path].append((commit, each.parts))
            for other in known if commit.count <= BULK else ():
                together[path][other].append(commit)
        present |= {each.former: path for path, each in known.items() if each.former}
    for path, own in changes.items():
        yield _history(files[path], own, {files[other].entity: each for other, each in together[path].items()})


def _history(file: File, changes: Sequence[_Change], together: Mapping[Entity, Sequence[Commit]]) -> FileHistory:
    found = FileHistory(file.path, file.uri)
    outside = [(commit, [part for part in parts if not part.definition]) for commit, parts in changes]
    found.section(one_line(file.path), file.entity, outside)
    for other, shared in sorted(together.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:MAX_TOGETHER]:
        if len(shared) >= LEAST_SHARED and other != file.entity:
            line = f"changed with {other[0]} in {_share(len(shared), changes)}, {_last(shared[0])}"
            found.state(line, file.entity, "changes_with", (other[0], "File"))
    of_definitions: defaultdict[str, list[_Change]] = defaultdict(list)
    for commit, parts in changes:
        for part in parts:
            of_definitions[part.definition].append((commit, [part]))
    for definition, entity in file.definitions.items():
        if definition in of_definitions:
            found.section(definition, entity, of_definitions[definition])
    return found


def _lines(parts: Sequence[Part]) -> str:
    """The lines of a commit that a part stood in then."""
    found = [f"lines {part.first}-{part.last}" if part.first < part.last else f"line {part.first}" for part in parts]
    return f", {found[0]}" if found else ""


def _share(count: int, changes: Sequence[_Change]) -> str:
    return f"{count} of {len(changes)} commit{'' if len(changes) == 1 else 's'}"


def _last(commit: Commit) -> str:
    return f"last on {commit.when:%Y-%m-%d} in {commit.name}"
