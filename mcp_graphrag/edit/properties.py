"""Properties of entities: checked, and in the form in which they are stored."""

import json

from mcp_graphrag.clean_input import CONTROL, MAX_TEXT
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Metadata
from mcp_graphrag.store.rows.document_rows import to_json

MAX_KEY = 200


def check_properties(properties: Metadata, name: str) -> None:
    """Raise BadInput for properties of an entity that cannot be stored."""
    for key in properties:
        if not key.strip() or len(key) > MAX_KEY or CONTROL.search(key):
            raise BadInput(
                f"A property of {name} has the key '{key[:40]}'.",
                f"A key is one line of 1 to {MAX_KEY} characters.",
            )
    properties_json(properties, name)


def properties_json(properties: Metadata, name: str) -> str:
    """The properties of an entity as they are stored. Raises BadInput for NaN, infinity or too much text."""
    try:
        json.dumps(properties, allow_nan=False, default=str)
    except ValueError as error:
        raise BadInput(f"A property of {name} is no number that JSON has.", "Write it as text.") from error
    written = to_json(properties)
    if len(written) > MAX_TEXT:
        raise BadInput(
            f"The properties of {name} have {len(written)} characters; the most is {MAX_TEXT}.",
            "Ingest long texts as documents.",
        )
    return written
