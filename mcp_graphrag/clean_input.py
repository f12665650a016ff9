"""Names, texts, reasons, dates and numbers from callers: checked, and in the form in which they are stored."""

import re
from datetime import datetime
from pathlib import Path

from mcp_graphrag.errors import BadInput

MAX_NAME = 500
MAX_PREDICATE = 100
MAX_TEXT = 20_000
MAX_REASON = 2_000
MAX_SHOWN_PATH = 80
ONE_LINE, SHORTEN = "Remove them; it is one line of text.", "Shorten it."
# Not allowed in a single line: control characters, line ends, lone surrogates, and marks that change the direction of
# writing.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
# A text of several lines may have tabs, line breaks and words in another direction.
CONTROL_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# As of `s3://bucket/a` and `md:a`; one letter is a Windows drive.
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")


def local_path(given: str) -> Path:
    """The path of a file, `~` as the home folder. Raises BadInput for an address such as `s3://bucket/a`."""
    if SCHEME.match(given):
        raise BadInput(
            f"'{given[:MAX_SHOWN_PATH]}' is an address: a graph is a file of this machine.",
            "Name a file, such as graph.duckdb, or with a colon in its name by its whole path.",
        )
    return Path(given).expanduser()


def check_line(text: str, what: str, *, limit: int) -> None:
    """Raise BadInput, naming `what`, for a text that is too long or not one line."""
    check_length(text, what, limit)
    if CONTROL.search(text):
        raise BadInput(f"The {what} has control characters.", ONE_LINE)


def clean_line(
    text: str,
    what: str,
    *,
    limit: int = MAX_NAME,
    if_empty: str = "Give it one word or a few.",
    if_long: str = SHORTEN,
) -> str:
    """A name as it is stored: one line, single spaces.

    Raises BadInput, naming `what`, with the hint `if_empty` or `if_long` where the text is so.
    """
    if CONTROL.search(text.replace("\t", " ")):
        raise BadInput(f"The {what} has control characters.", ONE_LINE)
    cleaned = " ".join(text.split())
    if not cleaned:
        raise BadInput(f"The {what} is empty.", if_empty)
    check_length(cleaned, what, limit, if_long)
    return cleaned


def clean_text(text: str, what: str) -> str:
    """A text of several lines as it is stored. Raises BadInput, naming `what`."""
    if CONTROL_IN_TEXT.search(text):
        raise BadInput(f"The {what} has control characters.", "Remove them.")
    check_length(text, what, MAX_TEXT, "Ingest long texts as documents.")
    return text.strip()


def clean_reason(reason: str) -> str:
    """A reason as it is stored, on one line; "" for none. Raises BadInput."""
    cleaned = " ".join(reason.split())
    check_line(cleaned, "reason", limit=MAX_REASON)
    return cleaned


def parse_time(text: str, what: str) -> datetime:
    """A moment as naive UTC from ISO 8601: 2024, 2024-05, 2024-05-17, 2024-05-17T10:00:00+02:00.

    Raises BadInput, naming `what`.
    """
    text = text.strip()
    short = YEAR_OR_MONTH.fullmatch(text)
    try:
        if short:
            return datetime(int(short[1]), int(short[2] or 1), 1)  # noqa: DTZ001
        moment = datetime.fromisoformat(text)
        offset = moment.utcoffset()
        return (moment - offset if offset else moment).replace(tzinfo=None)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{what} is '{text[:40]}', which is no date.", "Write it as 2024-05-17 or 2024-05-17T10:00."
        ) from error


def check_range(name: str, value: float, minimum: float, maximum: float | None = None) -> None:
    """Raise BadInput, naming the argument, for a value below `minimum` or above `maximum`."""
    if not (minimum <= value and (maximum is None or value <= maximum)):
        limits = f"at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise BadInput(f"{name} is {value}.", f"It is {limits}.")


def check_length(text: str, what: str, limit: int, hint: str = SHORTEN) -> None:
    """Raise BadInput, naming `what`, for a text of more characters than the limit."""
    if len(text) > limit:
        raise BadInput(f"The {what} has {len(text)} characters; the most is {limit}.", hint)
