"""Outcomes as callers report them, and the names of their errors and fixes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from mcp_graphrag.clean_input import clean_line, clean_text
from mcp_graphrag.edit.edit_entities import check_properties
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Metadata

Kind: TypeAlias = Literal["failure", "fixed", "success"]

MAX_NAME_LENGTH = 120  # characters of a name made from a text
PREFIX = "error:"
OWN_NAME = re.compile(r"(?:error|fix|tool|session):\S+", re.IGNORECASE)
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
# What differs each time the same error occurs: uuids, addresses, timestamps, long numbers. A number inside an
# identifier, as in CVE-2024-123456, tells errors apart.
VARYING = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b0x[0-9a-f]+\b"
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|(?<![\w.-])\d{6,}(?![\w-]|\.\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of an action: `failure` with an error, `fixed` by a fix, or a later `success` of an error's fix.

    Error and fix are texts, or names such as error:timeout.
    """

    error: str = ""
    tool: str = ""
    session: str = ""
    fix: str = ""
    kind: Kind = "failure"
    context: str = ""
    metadata: Metadata = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class NamedText:
    """A name, and the text that it was made from, "" if that is no more than the name."""

    name: str
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.name)


@dataclass(frozen=True)
class CleanOutcome:
    """An outcome with clean names, as it is stored; a part that was not given has an empty name."""

    kind: Kind
    error: NamedText
    tool: NamedText
    session: NamedText
    fix: NamedText
    context: str
    metadata: Metadata


def clean_outcome(outcome: Outcome) -> CleanOutcome:
    """The outcome with clean names. Raises BadInput if a part is missing or cannot be stored."""
    check_properties(outcome.metadata, "the outcome")
    found = CleanOutcome(
        outcome.kind,
        error_name(_plain(outcome.error, "error")),
        NamedText(clean_line(outcome.tool, "tool") if outcome.tool.strip() else ""),
        NamedText(clean_line(outcome.session, "session") if outcome.session.strip() else ""),
        fix_name(_plain(outcome.fix, "fix")),
        _plain(outcome.context, "context"),
        outcome.metadata,
    )
    if not found.error and (outcome.kind != "success" or not found.fix):
        raise BadInput("The error is empty.", "Give its text, or its name as in error:timeout.")
    if outcome.kind == "fixed" and not found.fix:
        raise BadInput("The fix is empty.", "Give what resolved the error.")
    if outcome.kind == "failure" and found.fix:
        raise BadInput("A failure has no fix.", "Use the kind fixed, or leave the fix out.")
    return found


def error_name(text: str) -> NamedText:
    """The name of an error: its own, as in error:timeout, else error: and the first line of the text.

    Of a Python traceback it is the last line. What differs each time, such as addresses and times, is left out.
    """
    lines = _lines(text)
    if not lines:
        return NamedText("")
    line = lines[-1] if TRACEBACK.match(lines[0]) else lines[0]
    if not OWN_NAME.fullmatch(line):
        line = VARYING.sub("…", line)
        line = line if line.lower().startswith(PREFIX) else PREFIX + line
    return _named(line, text, lines)


def fix_name(text: str) -> NamedText:
    """The name of a fix: its first line."""
    lines = _lines(text)
    return _named(lines[0], text, lines) if lines else NamedText("")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _named(line: str, text: str, lines: Sequence[str]) -> NamedText:
    name = " ".join(line.split())
    if len(name) > MAX_NAME_LENGTH:
        # The hash tells apart names that differ only in what is cut off.
        digest = sha256(name.encode()).hexdigest()[:8]
        name = f"{name[:MAX_NAME_LENGTH].rsplit(' ', 1)[0].rstrip()}… #{digest}"
    says_more = len(lines) > 1 or name not in {text, PREFIX + text}
    return NamedText(name, text if says_more else "")


def _plain(text: str, what: str) -> str:
    """The text without terminal colours and other control characters."""
    return clean_text(ESCAPES.sub("", text.replace("\r\n", "\n")), what)
