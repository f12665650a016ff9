"""What an office file says of itself: title, author and dates."""

import re

from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.checked_zip import CheckedZip

_PART = "docProps/core.xml"
_NAMES = {
    "title": "title", "creator": "author", "subject": "subject", "keywords": "keywords", "description": "description",
    "created": "date", "modified": "updated",
}  # fmt: skip
# Of the templates that python-docx and python-pptx begin each file with; they say nothing of the file.
_OF_TEMPLATES = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z", "2013-01-27T09:15:58Z"})
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T[\d:.]+(?:Z|[+-]\d\d:\d\d)?")


def core_properties(archive: CheckedZip) -> dict[str, str]:
    """The properties by the names that metadata has for them; those without a value of their own are left out."""
    if not archive.has(_PART):
        return {}
    found: dict[str, str] = {}
    for element in archive.xml(_PART):
        name = _NAMES.get(element.tag.rpartition("}")[2])
        value = " ".join(normalize_characters(element.text or "").split())
        if name is not None and value and value not in _OF_TEMPLATES:
            moment = _MOMENT.fullmatch(value)
            found[name] = moment[1] if moment is not None else value
    return found
