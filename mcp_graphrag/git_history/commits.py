"""Commits as records, and the texts of the documents that they are stored as, which are read back."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class Part(NamedTuple):
    """The first and last line, from 1, that a commit changed of a definition, or with "" outside of definitions."""

    first: int
    last: int
    definition: str


class ChangedFile(NamedTuple):
    """A file that a commit changed, or renamed from `former`; of one that it deleted there are no parts."""

    path: str
    former: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Commit:
    """A commit; `when` is the date of its author, in UTC. Of one that changed too many files only `count` tells it."""

    sha: str
    author: str
    when: datetime
    message: str
    count: int = 0
    files: Sequence[ChangedFile] = ()

    @property
    def name(self) -> str:
        """What it is called: the first digits of its hash."""
        return self.sha[:12]

    @property
    def subject(self) -> str:
        """The first line of its message."""
        return self.message.partition("\n")[0].strip()


def one_line(text: str) -> str:
    """A text as a part of a line."""
    return _UNPRINTED.sub(" ", text)


def commit_text(commit: Commit) -> str:
    """The text of the document of a commit: who and when, each file with the parts that were changed, the message."""
    head = [
        f"commit {commit.sha}",
        f"author {commit.author}",
        f"date {commit.when.isoformat()}",
        f"{commit.count} files",
    ]
    files = [json.dumps(file, ensure_ascii=False) for file in commit.files]
    return "\n".join([*head, *files, "", commit.message, ""])


def parse_commit(text: str) -> Commit:
    """The commit of a text by `commit_text`."""
    head, _, message = text.partition("\n\n")
    sha, author, date, count, *files = head.split("\n")
    listed = [(path, former, [Part(*part) for part in parts]) for path, former, parts in map(json.loads, files)]
    when = datetime.fromisoformat(date.removeprefix("date "))
    words = sha.removeprefix("commit "), author.removeprefix("author "), when, message.rstrip("\n")
    return Commit(*words, int(count.split()[0]), [ChangedFile(*each) for each in listed])
