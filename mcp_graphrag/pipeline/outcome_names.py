"""An outcome as a caller tells it, and the short names that what it tells of gets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Metadata
from mcp_graphrag.pipeline.words import check_properties, clean_line, clean_text

Kind: TypeAlias = Literal["failure", "fixed", "success"]

LONGEST = 120  # characters of a name made from a text
PREFIX = "error:"
OWN_NAME = re.compile(r"(?:error|fix|tool|session):\S+", re.IGNORECASE)
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
# What differs each time the same error occurs: uuids, addresses, moments, long numbers.
VARYING = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b0x[0-9a-f]+\b"
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d{6,}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Outcome:
    """What came of an action: `failure` with an error, `fixed` by a fix, or `success` of an error's fix later on.

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
class Named:
    """A name, and the text that it was made from, "" where that says no more."""

    name: str
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.name)


@dataclass(frozen=True)
class Told:
    """An outcome as it is stored; what was not told has an empty name."""

    kind: Kind
    error: Named
    tool: Named
    session: Named
    fix: Named
    context: str
    metadata: Metadata


def told(outcome: Outcome) -> Told:
    """The outcome with clean names. Raises BadInput where a part is missing or cannot be stored."""
    check_properties(outcome.metadata, "the outcome")
    found = Told(
        outcome.kind,
        error_name(_plain(outcome.error, "error")),
        Named(clean_line(outcome.tool, "tool")) if outcome.tool.strip() else Named(""),
        Named(clean_line(outcome.session, "session")) if outcome.session.strip() else Named(""),
        fix_name(_plain(outcome.fix, "fix")),
        _plain(outcome.context, "context"),
        outcome.metadata,
    )
    if not found.error and (outcome.kind != "success" or not found.fix):
        raise BadInput("The error is empty.", "Give its text, or its name as in error:timeout.")
    if outcome.kind == "fixed" and not found.fix:
        raise BadInput("The fix is empty.", "Say what resolved the error.")
    if outcome.kind == "failure" and found.fix:
        raise BadInput("A failure has no fix.", "Say fixed if the fix resolved the error, or leave the fix out.")
    return found


def error_name(text: str) -> Named:
    """The name of an error: the caller's own, as in error:timeout, else error: and what the first line says.

    Of a Python traceback that is the last line. What differs each time, as addresses and moments, is left out.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return Named("")
    said = lines[-1] if TRACEBACK.match(lines[0]) else lines[0]
    if not OWN_NAME.fullmatch(said):
        said = VARYING.sub("…", said)
        said = said if said.lower().startswith(PREFIX) else PREFIX + said
    return _named(said, text, lines)


def fix_name(text: str) -> Named:
    """The name of a fix: its first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return _named(lines[0], text, lines) if lines else Named("")


def _named(said: str, text: str, lines: Sequence[str]) -> Named:
    name = " ".join(said.split())
    if len(name) > LONGEST:
        name = name[:LONGEST].rsplit(" ", 1)[0].rstrip() + "…"
    says_more = len(lines) > 1 or name not in {text, PREFIX + text}
    return Named(name, text if says_more else "")


def _plain(text: str, what: str) -> str:
    """The text without colours and other control characters, which terminals put into errors."""
    return clean_text(ESCAPES.sub("", text.replace("\r\n", "\n")), what)
