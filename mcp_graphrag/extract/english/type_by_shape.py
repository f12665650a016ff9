"""The type of a name or identifier, by its own form and by the words around it."""

import re

from mcp_graphrag.extract.english.gazetteer import GAZETTEER
from mcp_graphrag.extract.english.person_names import is_full_name
from mcp_graphrag.extract.english.word_lists import WORDS

COST_CENTER_LABELS = frozenset({"cost center", "cost centre"})
_VERSIONED = re.compile(
    r"(.{2,80}?) (?:version |release |revision |ver\. |rev\. )?[vVrR]?\d+(?:\.\d+){0,3}"
    r"(?:-[\w.-]+)?(?:[ -](?:alpha|beta|rc)[\d.-]*)?\Z"
)
_INITIALS = re.compile(r"(?:[A-Z]\.[ \xa0]?){1,3}[ \xa0]?[A-Z][\w’'-]{2,}\Z")
_PERSON_AFTER = re.compile(
    r",? (?:who|whose)\b|,? (?:said|wrote|joined|resigned|married|reports to|was born|died|graduated)\b"
)
_HONORIFIC_BEFORE = re.compile(r"\b([A-Z][a-z]{1,9})\.?[ \xa0]\Z")
_EVENTS = frozenset({"war", "battle", "siege", "invasion", "treaty", "order", "revolution", "feast", "death", "murder"})
_REGION = re.compile(
    r"(?:us|eu|ap|ca|sa|af|me|il|cn|asia|europe|australia|northamerica|southamerica)-(?:gov-)?"
    r"(?:(?:north|south|east|west|central)+)(?:-\d|\d)[a-f]?\Z"
)
_HOST_PART = re.compile(r"(?:node|host|server|srv|web|app|db|worker|vm|prod|stg|staging|dev|k8s|rack|gw|lb|proxy|cache)\Z")
_ID_TYPES = {
    "INC": "Incident", "SEV": "Incident", "OUTAGE": "Incident", "ADR": "Document", "RFC": "Document", "PEP": "Document",
    "CVE": "Vulnerability", "TICKET": "Ticket", "TKT": "Ticket", "BUG": "Ticket", "ISSUE": "Ticket", "TASK": "Ticket",
    "JIRA": "Ticket", "REQ": "Ticket", "CHG": "Ticket", "PROB": "Ticket", "EPIC": "Ticket", "STORY": "Ticket",
}  # fmt: skip
_LABEL_TYPES = {
    "incident": "Incident", "outage": "Incident", "ticket": "Ticket", "issue": "Ticket", "bug": "Ticket",
    "task": "Ticket", "story": "Ticket", "epic": "Ticket", "pr": "Ticket", "change": "Ticket", "case": "Ticket",
    "problem": "Incident", "alert": "Incident",
}  # fmt: skip
_IN_MONTH = re.compile(r"\b(?:in|since|until|by|of|from|during|before|after|last|next|this|to)\s+\Z", re.IGNORECASE)
_BY_SHAPE = {
    "date": "Date",
    "call": "Function",
    "version": "Technology",
    "url": "Document",
    "host": "Host",
    "event": None,
    "quoted": None,
    "email": None,
    "channel": None,
    "slashed": None,
}
_TYPED_PREFIX = re.compile(r"(error|fix|tool|session|observation|reflection|learning):")
_FILE = re.compile(
    r"\.(py|pyi|js|mjs|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cc|cpp|cs|sh|sql|md|rst|txt|pdf|docx|html"
    r"|ya?ml|json|toml|ini|cfg|conf|csv|lock|log|xml|env)\Z"
)
_SOURCE_FILES = frozenset("py pyi js mjs ts tsx jsx go rs rb java kt c h cc cpp cs sh sql".split())
_DOCUMENT_FILES = frozenset("md rst txt pdf docx html".split())
_SERVICE_PARTS = frozenset("api svc service gateway backend frontend microservice daemon".split())
# Software by its name in lower case, as parts of names have it: "postgres-main".
SOFTWARE = {name.casefold(): type_ for name, type_ in WORDS.exact.items() if len(name) > 2 and name.isalpha()}
_ERROR = re.compile(r"[A-Z]\w*(?:Error|Exception)\Z")
_MODULE = re.compile(r"[a-z_][a-z0-9_]*(?:(?:\.|::)[a-z_][a-z0-9_]*)+\Z")
_CLASS = re.compile(r"(?:[A-Z][a-z0-9]+){2,}\Z")


def type_of_name(name: str, before: str, after: str) -> str | None:
    """The type of a name in prose, None if unknown; `before` and `after` are a few characters around it."""
    known = "Location" if name in GAZETTEER.places else WORDS.exact.get(name)
    versioned = _VERSIONED.match(name) if known is None else None
    if versioned is not None:
        known = _type_of_versioned(versioned[1], name)
    if known is not None:
        return known
    parts = name.split()
    last, first = parts[-1].casefold().rstrip("."), parts[0].casefold().rstrip(".")
    if (
        first in {"vp", "svp", "evp", "head", "chief"}
        or (parts[0] in WORDS.role_acronyms and parts[1:2] == ["of"])
        or (first == "director" and len(parts) > 1)
    ):
        return "Role"
    if first in _EVENTS and len(parts) > 1:
        return None
    if last in WORDS.last_word:
        type_ = WORDS.last_word[last]
        return type_ if len(parts) > 1 or type_ == "Role" else None
    if len(parts) > 1 and first in WORDS.first_word:
        return WORDS.first_word[first]
    if " of " in name:
        return _type_of_head(name, parts)
    if is_full_name(name):
        return "Person"
    if name in WORDS.weekdays or (name in WORDS.months and _IN_MONTH.search(before)):
        return "Date"
    return _type_by_context(name, len(parts), before, after)


def _type_of_head(name: str, parts: list[str]) -> str | None:
    """The type of the noun in front of "of": "Royal Society of Chemistry"."""
    head = WORDS.last_word.get(name.partition(" of ")[0].split()[-1].casefold())
    return head if head in {"Organization", "Location"} and parts[-1][0].isupper() else None


def _type_of_versioned(name: str, versioned: str) -> str | None:
    """The type of a name with a version, by the name without it."""
    parts = name.split()
    by_word = WORDS.last_word.get(parts[-1].casefold()) if len(parts) > 1 else None
    by_first = WORDS.first_word.get(parts[0].casefold()) if by_word is None else None
    number = versioned[len(name) :]
    return WORDS.exact.get(name) or by_word or by_first or ("Technology" if "." in number else None)


def _type_by_context(name: str, word_count: int, before: str, after: str) -> str | None:
    title = _HONORIFIC_BEFORE.search(before)
    if title is not None and title[1].casefold() in WORDS.honorifics:
        return "Person"
    if word_count > 1 and _INITIALS.search(name):
        return "Person"
    if _ERROR.match(name):
        return "Error"
    if 2 <= word_count <= 3 and _PERSON_AFTER.match(after) and not any(map(str.isdigit, name)):
        return "Person"
    return None


def type_of_shape(name: str, kind: str, before: str) -> str | None:
    """The type of what has a `Shape` of that kind, None if unknown; `before` is the label in front of an id."""
    if kind in _BY_SHAPE:
        return _BY_SHAPE[kind]
    if kind == "id":
        is_cost_center = name.startswith("CC-") or before.casefold() in COST_CENTER_LABELS
        return "Cost Center" if is_cost_center else _LABEL_TYPES.get(before.casefold()) or _type_of_id(name)
    if kind in {"hyphenated", "hyphenated name"}:
        return _type_of_hyphenated(name)
    file = _FILE.search(name) if kind in {"path", "dotted", "code"} else None
    if file is not None:
        return "Module" if file[1] in _SOURCE_FILES else "Document" if file[1] in _DOCUMENT_FILES else None
    return WORDS.exact.get(name) or _type_of_identifier(name)


def _type_of_id(name: str) -> str | None:
    return _ID_TYPES.get(name.partition("-")[0])


def _type_of_hyphenated(name: str) -> str | None:
    """The type of a name such as "eu-west-1", "web-01" or "checkout-api"."""
    if _REGION.match(name):
        return "Location"
    parts = name.split("-")
    if parts[-1].isdigit():
        return "Host" if any(map(_HOST_PART.match, parts)) else None
    if parts[-1] in WORDS.software_suffixes:
        return "Database" if parts[-1] in {"db", "database"} else "Service" if parts[-1] in _SERVICE_PARTS else None
    types = {type_ for part in parts if (type_ := SOFTWARE.get(part)) is not None}
    return "Database" if types == {"Database"} else None


def _type_of_identifier(name: str) -> str | None:
    prefix = _TYPED_PREFIX.match(name)
    if prefix is not None:
        return prefix[1].capitalize()
    if name.endswith("()"):
        return "Function"
    if _ERROR.match(name):
        return "Error"
    if _MODULE.match(name):
        return "Module"
    return "Class" if _CLASS.match(name) else None


def type_of_header(title: str) -> str | None:
    """The type of the entities in a column or behind a label of that title, None if unknown."""
    return WORDS.header.get(title.casefold().strip())
