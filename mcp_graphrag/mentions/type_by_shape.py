"""The type of a name or identifier, by its own form and by the words around it."""

import re
from functools import lru_cache

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.guessed_types import is_named_thing
from mcp_graphrag.mentions.hyphenated_names import SOFTWARE
from mcp_graphrag.mentions.person_names import has_article, is_full_name, is_given_name

COST_CENTER_LABELS = frozenset({"cost center", "cost centre"})
_VERSIONED = re.compile(
    r"(.{2,80}?) (?:version |release |revision |ver\. |rev\. )?[vVrR]?\d+(?:\.\d+){0,3}"
    r"(?:-[\w.-]+)?(?:[ -](?:alpha|beta|rc)[\d.-]*)?\Z"
)
_INITIALS = re.compile(r"(?:[A-Z]\.[ \xa0]?){1,3}[ \xa0]?[A-Z][\w’'-]{2,}\Z")
_PERSON_AFTER = re.compile(r",? (?:who|whose)\b|,? (?:said|wrote|joined|resigned|married|was born|died|graduated)\b")
_MODIFIER = r"(?:(?!(?:of|in|for|from|at|to|and|or|with|by|on|that|which|who|part)\b)[\w'’-]+[ ]){0,4}?"
_DESCRIBED = re.compile(
    rf"(?:[ ]\([^()]{{1,60}}\))?(?:,?[ ](?:is|was)|,)[ ](?:an?|the|one[ ]of[ ]the)[ ]{_MODIFIER}(?P<noun>[a-z][a-z-]+)"
    r"(?=[.,;:)]|[ ](?:of|in|for|from|at|to|and|or|with|by|on|that|which|who|whose|where|located|based|near|between)\b"
    r"|\Z)"
)
_KIND_BEHIND = re.compile(r"[ ](?P<noun>[a-z]{3,15})\b(?!-)")
# Software has a state and a port too.
_KIND_BEFORE = re.compile(r"\bthe (?P<noun>city|town|village|river|island|province|district|county) of \Z")
_TYPE_BEHIND = {
    "team": "Team", "squad": "Team", "guild": "Team", "service": "Service", "microservice": "Service",
    "database": "Database", "datastore": "Database", "library": "Library", "framework": "Framework",
    "river": "Location", "county": "Location", "province": "Location", "peninsula": "Location",
}  # fmt: skip
_ANY_BEFORE = re.compile(r"\b(?:an?|any|each|every|one|another|no)[ \xa0]+\Z", re.IGNORECASE)
_PLACED = re.compile(
    r"\b(?:in|at|near|around|through|across|into|outside|inside|of|ship|album|film|novel)[ \xa0]+(?:the[ \xa0]+)?\Z"
)
_NO_PERSON = ("the ", "The ", " a ", " an ")
_HONORIFIC_BEFORE = re.compile(r"\b([A-Z][a-z]{1,9})\.?[ \xa0]\Z")
_NUMBERED_DOCUMENT = re.compile(r"(?:RFC|ADR|PEP|ISO|IEEE|BCP|DIN|KIP|JEP|CEP)[ -]?\d[\w.:-]*\Z")
# "RFC" without a number, and "OIDs": one of many.
_KIND = re.compile(r"(?:.* )?(?:RFC|ADR|PEP|BCP|KIP|JEP|CEP|CVE|[A-Z]{2,}s)\Z")
_OF_AWARDS = frozenset({"best", "outstanding", "favorite", "favourite"})
# What software manages, or a person: "RedHat Package Manager", "Resource Manager".
_EDITED = frozenset({"bitmap", "code", "graphics", "hex", "image", "map", "text", "vector"})
_MANAGED = frozenset(
    "package file window session display password boot volume memory device desktop network task download plugin tag"  # noqa: SIM905
    " extension cluster resource queue service version dependency process transaction lock cache storage disk font"
    " library module configuration certificate secret job thread connection power update input layout state".split()
)
# "Serverless is an application model": persons only by more than the noun.
_OFTEN_THINGS = frozenset({"model", "host", "driver", "player", "editor", "runner", "fighter", "racer"})
_NETWORKS = frozenset({"port", "mount"})
_HEADS = frozenset({"head", "chief", "director", "vice", "manager", "member"})
_EVENTS = frozenset({"war", "battle", "siege", "invasion", "treaty", "order", "revolution", "feast", "death", "murder"})
_REGION = re.compile(
    r"(?:us|eu|ap|ca|sa|af|me|il|cn|asia|europe|australia|northamerica|southamerica)-(?:gov-)?"
    r"(?:(?:north|south|east|west|central)+)(?:-\d|\d)[a-f]?\Z"
)
_HOST_PART = re.compile(
    r"(?:node|host|server|srv|web|app|db|worker|vm|prod|stg|staging|dev|k8s|rack|gw|lb|proxy|cache)\Z"
)
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
_CONSTRUCTOR = re.compile(r"(?:\A|\.)[A-Z]\w*[a-z]\w*\(\)\Z")
_FILE = re.compile(
    r"\.(?:(?P<source>py|pyi|js|mjs|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cc|cpp|cs|sh|sql)|(?P<document>md|rst|txt|pdf|docx|html)"
    r"|ya?ml|json|toml|ini|cfg|conf|csv|lock|log|xml|env|xlsx|pptx|png|jpe?g|gif|svg|zip|gz|exe|so)\Z"
)
_TYPED_PREFIX = re.compile(r"(error|fix|tool|session|observation|reflection|learning):")
_SOFTWARE_NOUNS = frozenset(
    {"server", "client", "tool", "toolkit", "package", "module", "plugin", "extension", "program", "application", "app"}
    | {"language", "compiler", "interpreter", "parser", "browser", "editor", "protocol", "format", "api", "sdk", "cli"}
    | {"engine", "platform", "system", "project", "wrapper", "interface"}
)
_SERVICE_PARTS = frozenset(["api", "svc", "service", "gateway", "backend", "frontend", "microservice", "daemon"])
_ERROR = re.compile(r"[A-Z]\w*(?:Error|Exception)\Z")
_MODULE = re.compile(r"[a-z_][a-z0-9_]*(?:::[a-z_][a-z0-9_]*)+\Z")


def type_of_name(name: str, before: str, after: str) -> str | None:
    """The type of a name in prose, None if unknown; `before` and `after` are a few characters around it."""
    by_form = _type_by_form(name)
    if by_form == "Person" and (is_named_thing(before, after) or has_article(before, len(before))):
        return None
    if by_form is not None:
        return by_form
    if name in WORDS.months and _IN_MONTH.search(before):
        return "Date"
    return _type_by_context(name, name.count(" ") + 1, before, after)


@lru_cache(maxsize=8192)
def _type_by_form(name: str) -> str | None:
    if name in WORDS.weekdays:
        return "Date"
    if _NUMBERED_DOCUMENT.match(name):
        return "Document"
    known = "Location" if name in GAZETTEER.places else WORDS.exact.get(name)
    versioned = _VERSIONED.match(name) if known is None else None
    if versioned is not None:
        known = _type_of_versioned(versioned[1], name)
    return known or _type_by_words(name, name.split())


def _type_by_words(name: str, parts: list[str]) -> str | None:
    last, first = parts[-1].casefold().rstrip("."), parts[0].casefold().rstrip(".")
    heads = parts[1:2] == ["of"] and (first in _HEADS or WORDS.last_word.get(first) == "Role")
    leads = last == "lead" and len(parts) > 1 and not is_full_name(name)  # "Team Lead"
    if first in {"vp", "svp", "evp"} or leads or heads or last.endswith("-in-chief"):
        return "Role"
    by_word = WORDS.last_word.get(last) or (WORDS.first_word.get(first) if len(parts) > 1 else None)
    if by_word is not None and _misleads(by_word, parts):
        return None
    if " of " in name and by_word not in {"Organization", "Location", "Role", "Team"}:
        return _type_of_head(name, parts) if first not in _EVENTS else None
    if first in _EVENTS or by_word is not None:
        return by_word if first not in _EVENTS and (len(parts) > 1 or by_word == "Role") else None
    return "Person" if is_full_name(name) else None


def _misleads(type_: str, parts: list[str]) -> bool:
    """Whether the word that suggests a type means something else.

    "Best Director", "Port 80", "Mount Points", "a load balancing group", "MX Records".
    """
    first, last = parts[0].casefold(), parts[-1].casefold()
    if type_ == "Location":
        return first in _NETWORKS and (parts[1].isdigit() or GAZETTEER.is_common(parts[1]))
    if type_ == "Organization":
        of_what = all(word.isupper() or GAZETTEER.is_common(word) for word in parts[:-1])
        return parts[-1][0].islower() or (last == "records" and of_what)
    return type_ == "Role" and (first in _OF_AWARDS or is_managing_software(" ".join(parts)))


def _type_of_noun(noun: str) -> str | None:
    """The type of what is described by the noun, such as "database"; None for one such as "maker"."""
    if (noun in WORDS.persons and noun not in _OFTEN_THINGS) or (noun.endswith("ist") and WORDS.is_of_person(noun)):
        return "Person"
    return WORDS.kind_nouns.get(noun)


def _type_of_head(name: str, parts: list[str]) -> str | None:
    """The type of the noun in front of "of": "Royal Society of Chemistry"."""
    head = WORDS.last_word.get(name.partition(" of ")[0].split()[-1].casefold())
    return head if head in {"Organization", "Location"} and parts[-1][0].isupper() else None


def _type_of_versioned(name: str, versioned: str) -> str | None:
    """The type of a name with a version, by the name without it."""
    parts = name.split()
    by_word = WORDS.last_word.get(parts[-1].casefold()) if len(parts) > 1 else None
    first = parts[0].casefold()
    by_first = WORDS.first_word.get(first) if by_word is None and first not in _NETWORKS else None
    number = versioned[len(name) :]
    return WORDS.exact.get(name) or by_word or by_first or ("Technology" if "." in number else None)


def _type_by_context(name: str, word_count: int, before: str, after: str) -> str | None:
    described = _DESCRIBED.match(after) if after[:1] in " ," else None
    if described is not None and (described["noun"] in _SOFTWARE_NOUNS or is_managing_software(described[0])):
        return None  # "Daphne is a web server", "Corepack is a package manager"
    if described is not None and (type_ := _type_of_noun(described["noun"])) is not None:
        return type_
    kind = _KIND_BEHIND.match(after)
    if kind is not None and kind["noun"] in _TYPE_BEHIND and _ANY_BEFORE.search(before) is None:
        return _TYPE_BEHIND[kind["noun"]]
    if before.endswith(" of ") and _KIND_BEFORE.search(before) is not None:
        return "Location"
    if _ERROR.match(name):
        return "Error"
    return "Person" if _is_person(name, word_count, before, after) else None


def is_managing_software(words: str) -> bool:
    """Whether words end with what manages packages, windows and the like, or a person who does, or edits texts."""
    parts = words.casefold().split()
    of = {"manager": _MANAGED, "editor": _EDITED}.get(parts[-1]) if len(parts) > 1 else None
    return of is not None and parts[-2] in of


def described_as(prose: str, end: int) -> str | None:
    """The noun that describes what stands in front of an offset: "ship" for " was a merchant ship of A"."""
    described = _DESCRIBED.match(prose, end)
    return None if described is None else described["noun"]


def _is_person(name: str, word_count: int, before: str, after: str) -> bool:
    if word_count == 1 and is_given_name(name) and _PLACED.search(before) is None:
        return not (is_named_thing(before, after) or before.endswith(_NO_PERSON))  # "the Freja" is a ship
    title = _HONORIFIC_BEFORE.search(before)
    if title is not None and title[1].casefold() in WORDS.honorifics:
        return True
    if word_count > 1 and _INITIALS.search(name):
        return not GAZETTEER.is_common(name.rpartition(" ")[2])  # "G. Preserve the notices" is an item of a list
    return (
        2 <= word_count <= 3
        and not before.endswith("not ")  # "it was A, not B, who"
        and _PERSON_AFTER.match(after) is not None
        and not any(map(str.isdigit, name))
        and not all(map(GAZETTEER.is_common, name.split()))
        and (not GAZETTEER.is_common(last := name.rpartition(" ")[2]) or last in WORDS.surnames)  # "Oslo Post wrote"
    )


def type_of_shape(name: str, kind: str, before: str) -> str | None:
    """The type of what has a `Shape` of that kind, None if unknown; `before` is the label in front of an id."""
    if kind == "call" and _CONSTRUCTOR.search(name):
        return None  # a class or a function, by the language
    if kind in _BY_SHAPE:
        return _BY_SHAPE[kind]
    if kind == "id":
        is_cost_center = name.startswith("CC-") or before.casefold() in COST_CENTER_LABELS
        return "Cost Center" if is_cost_center else _LABEL_TYPES.get(before.casefold()) or _type_of_id(name)
    if kind in {"hyphenated", "hyphenated name"}:
        return _type_of_hyphenated(name)
    file = _FILE.search(name) if kind in {"path", "dotted", "code"} else None
    if file is not None:
        return "Module" if file["source"] else "Document" if file["document"] else None
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
        return None if _CONSTRUCTOR.search(name) else "Function"
    if _ERROR.match(name):
        return "Error"
    return "Module" if _MODULE.match(name) else None


def is_kind(name: str) -> bool:
    """Whether an acronym is of a kind of things, each with a number or name of its own: "PEP", "OIDs"."""
    return _KIND.match(name) is not None


def type_of_header(title: str) -> str | None:
    """The type of the entities in a column or behind a label of that title, None if unknown."""
    return WORDS.header.get(title.casefold().strip())
