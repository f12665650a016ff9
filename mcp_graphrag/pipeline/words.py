"""Names, texts and properties that a caller gives, in the form in which they are stored."""

import json
import re

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Metadata
from mcp_graphrag.pipeline.triples import CONTROL, LONGEST_NAME
from mcp_graphrag.store.documents import to_json

LONGEST_TEXT = 20_000
LONGEST_KEY = 200
NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def check_properties(properties: Metadata, name: str) -> None:
    """Raise BadInput for properties of an entity that cannot be stored."""
    for key in properties:
        if not key.strip() or len(key) > LONGEST_KEY or CONTROL.search(key):
            raise BadInput(
                f"A property of {name} has the key '{key[:40]}'.",
                f"A key is one line of 1 to {LONGEST_KEY} characters.",
            )
    properties_json(properties, name)


def properties_json(properties: Metadata, name: str) -> str:
    """The properties of an entity as they are stored. Raises BadInput for a number that JSON has not, or too much."""
    try:
        json.dumps(properties, allow_nan=False, default=str)
    except ValueError as error:
        raise BadInput(f"A property of {name} is no number that JSON has.", "Write it as text.") from error
    written = to_json(properties)
    if len(written) > LONGEST_TEXT:
        raise BadInput(
            f"The properties of {name} have {len(written)} characters; the most is {LONGEST_TEXT}.",
            "Ingest long texts as documents.",
        )
    return written


def clean_line(text: str, what: str, longest: int = LONGEST_NAME) -> str:
    """A name as it is stored: one line, single spaces. Raises BadInput saying `what` is wrong."""
    if CONTROL.search(text):
        raise BadInput(f"The {what} has control characters.", "Remove them; it is one line of text.")
    cleaned = " ".join(text.split())
    if not cleaned:
        raise BadInput(f"The {what} is empty.", "Give it in a word or a few.")
    if len(cleaned) > longest:
        raise BadInput(f"The {what} has {len(cleaned)} characters; the most is {longest}.", "Shorten it.")
    return cleaned


def clean_text(text: str, what: str) -> str:
    """A text as it is stored. Raises BadInput saying `what` is wrong."""
    if NO_TEXT.search(text):
        raise BadInput(f"The {what} has control characters.", "Remove them.")
    if len(text) > LONGEST_TEXT:
        raise BadInput(
            f"The {what} has {len(text)} characters; the most is {LONGEST_TEXT}.", "Ingest long texts as documents."
        )
    return text.strip()
