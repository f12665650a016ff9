"""The type of a name or identifier, by its own form and by the words around it."""

import re
from functools import lru_cache

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.lower_names import SOFTWARE
from mcp_graphrag.mentions.person_names import has_article, is_full_name, is_given_name

_VERSIONED = re.compile(
    r"(.{2,80}?) (?:version |release |revision |ver\. |rev\. )?[vVrR]?\d+(?:\.\d+){0,3}"
    r"(?:-[\w.-]+)?(?:[ -](?:alpha|beta|rc)[\d.-]*)?\Z"
)
_MODIFIER = r"(?:(?!(?:of|in|for|from|at|to|and|or|with|by|on|that|which|who|part)\b)[\w'’-]+[ ]){0,4}?"
_DESCRIBED = re.compile(
    rf"(?:[ ]\([^()]{{1,60}}\))?(?:,?[ ](?:is|was)|,)[ ](?:an?|the|one[ ]of[ ]the)[ ]{_MODIFIER}(?P<noun>[a-z][a-z-]+)"
    r"(?=[.,;:)]|[ ](?:of|in|for|from|at|to|and|or|with|by|on|that|which|who|whose|where|near|between|built|\w+ed)\b"
    r"|\Z)"
)
_KIND_BEHIND = re.compile(r"[ ](?P<noun>[a-z]{3,15})\b(?!-)")
_PLACES = frozenset({"city", "town", "village", "river", "island", "province", "district", "county"})
_TYPE_BEHIND = {
    "team": "Team", "squad": "Team", "guild": "Team", "service": "Service", "microservice": "Service",
    "database": "Database", "datastore": "Database", "library": "Library", "framework": "Framework",
    "river": "Location", "county": "Location", "province": "Location", "peninsula": "Location",
}  # fmt: skip
_NO_PERSON = ("the ", "The ", " a ", " an ")
_NUMBERED_DOCUMENT = re.compile(r"(?:RFC|ADR|PEP|ISO|IEEE|BCP|DIN|KIP|JEP|CEP)[ -]?\d[\w.:-]*\Z")
# "RFC" without a number, and "OIDs": one of many.
_KIND = re.compile(r"(?:.* )?(?:RFC|ADR|PEP|BCP|KIP|JEP|CEP|CVE|[A-Z]{2,}s)\Z")
_OF_AWARDS = frozenset({"best", "outstanding", "favorite", "favourite"})
# "Serverless is an application model": persons only by more than the noun.
_OFTEN_THINGS = frozenset({"model", "host", "driver", "player", "editor", "runner", "fighter", "racer"})
_NETWORKS = frozenset({"port", "mount"})
_HEADS = frozenset({"head", "chief", "director", "vice", "manager", "member"})
_EVENTS = frozenset({"war", "battle", "siege", "invasion", "treaty", "order", "revolution", "feast", "death", "murder"})
_ID_TYPES = {
    "INC": "Incident", "SEV": "Incident", "OUTAGE": "Incident", "ADR": "Document", "RFC": "Document", "PEP": "Document",
    "CVE": "Vulnerability", "TICKET": "Ticket", "TKT": "Ticket", "BUG": "Ticket", "ISSUE": "Ticket", "TASK": "Ticket",
    "JIRA": "Ticket", "REQ": "Ticket", "CHG": "Ticket", "PROB": "Ticket", "EPIC": "Ticket", "STORY": "Ticket",
}  # fmt: skip
_BY_SHAPE = {"date": "Date", "call": "Function", "version": "Technology", "url": "Document", "host": "Host"}
_UNTYPED = frozenset({"event", "quoted", "email", "channel", "slashed"})
_CONSTRUCTOR = re.compile(r"(?:\A|\.)[A-Z]\w*[a-z]\w*\(\)\Z")
_FILE = re.compile(
    r"\.(?:(?P<source>py|pyi|js|mjs|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cc|cpp|cs|sh|sql)|(?P<document>md|rst|txt|pdf|docx|html)"
    r"|ya?ml|json|toml|ini|cfg|conf|csv|lock|log|xml|env|xlsx|pptx|png|jpe?g|gif|svg|zip|gz|exe|so)\Z"
)
_SOFTWARE_NOUNS = frozenset(
    {"server", "client", "tool", "toolkit", "package", "module", "plugin", "extension", "program", "application", "app"}
    | {"language", "compiler", "interpreter", "parser", "browser", "editor", "protocol", "format", "api", "sdk", "cli"}
    | {"engine", "platform", "system", "project", "wrapper", "interface"}
)
_SERVICE_PARTS = frozenset(["api", "svc", "service", "gateway", "backend", "frontend", "microservice", "daemon"])
# Names with these words at the end are of parts of organizations and what they do.
_NO_PERSONS = frozenset(
    """
    division department directorate unit office bureau branch section board council committee commission initiative
    project programme program task force squad crew desk group guild chapter taskforce workstream portfolio account
    robotics optics logistics analytics dynamics electronics aerospace biotech pharma software hardware networks
    """.split()  # noqa: SIM905
)


def type_of_name(name: str, before: str, after: str) -> str | None:
    """The type of a name in prose, None if unknown; `before` and `after` are a few characters around it."""
    by_form = _type_by_form(name)
    if by_form == "Person" and has_article(before, len(before)):
        return None
    return by_form or _type_by_context(name, name.count(" ") + 1, before, after)


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
    return type_ == "Role" and first in _OF_AWARDS


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
    if described is not None and described["noun"] in _SOFTWARE_NOUNS:
        return None  # "Daphne is a web server"
    if described is not None and (type_ := _type_of_noun(described["noun"])) is not None:
        return type_
    kind = _KIND_BEHIND.match(after)
    if kind is not None and kind["noun"] in _TYPE_BEHIND:
        return _TYPE_BEHIND[kind["noun"]]
    if before.endswith(" of ") and before.split()[-2:-1] and before.split()[-2] in _PLACES:
        return "Location"
    if _is_error(name):
        return "Error"
    return "Person" if _is_person(name, word_count, before) else None


def described_as(prose: str, end: int) -> str | None:
    """The noun that describes what stands in front of an offset: "ship" for " was a merchant ship of A"."""
    described = _DESCRIBED.match(prose, end)
    return None if described is None else described["noun"]


def _is_person(name: str, word_count: int, before: str) -> bool:
    if word_count == 1 and is_given_name(name):
        return not before.endswith(_NO_PERSON)  # "the Freja" is a ship
    title = before.split()[-1:] if before[-1:] in {" ", "\xa0"} else []
    return bool(title) and title[0].istitle() and title[0].rstrip(".").casefold() in WORDS.honorifics


def type_of_shape(name: str, kind: str) -> str | None:
    """The type of what has a `Shape` of that kind, None if unknown."""
    if kind == "call" and _CONSTRUCTOR.search(name):
        return None  # a class or a function, by the language
    if kind in _BY_SHAPE or kind in _UNTYPED:
        return _BY_SHAPE.get(kind)
    if kind == "id":
        return _ID_TYPES.get(name.partition("-")[0])
    if kind in {"hyphenated", "hyphenated name"}:
        return _type_of_hyphenated(name)
    file = _FILE.search(name) if kind in {"path", "dotted", "code"} else None
    if file is not None:
        return "Module" if file["source"] else "Document" if file["document"] else None
    return WORDS.exact.get(name) or _type_of_identifier(name)


def _type_of_hyphenated(name: str) -> str | None:
    """The type of a name such as "checkout-api"."""
    parts = name.split("-")
    if parts[-1] in WORDS.software_suffixes:
        return "Database" if parts[-1] in {"db", "database"} else "Service" if parts[-1] in _SERVICE_PARTS else None
    types = {type_ for part in parts if (type_ := SOFTWARE.get(part)) is not None}
    return "Database" if types == {"Database"} else None


def _type_of_identifier(name: str) -> str | None:
    if name.endswith("()"):
        return None if _CONSTRUCTOR.search(name) else "Function"
    return "Error" if _is_error(name) else None


def _is_error(name: str) -> bool:
    return name[0].isupper() and name.isidentifier() and name.endswith(("Error", "Exception"))


def is_kind(name: str) -> bool:
    """Whether an acronym is of a kind of things, each with a number or name of its own: "PEP", "OIDs"."""
    return _KIND.match(name) is not None


def type_of_header(title: str) -> str | None:
    """The type of the entities in a column or behind a label of that title, None if unknown."""
    return WORDS.header.get(title.casefold().strip())


def may_be_person(name: str) -> bool:
    """Whether a name may be of a person, by its last word: no ordinary word, as in "Wanda Project", "Customer Care"."""
    words = name.split()
    if not name[:1].isalpha() or (name[0].islower() and len(words) < 2):
        return False  # "/dev/rtc", "libfoo"
    is_word = words[-1].casefold() in _NO_PERSONS or GAZETTEER.is_common(words[-1])
    return len(words) < 2 or not is_word or words[-1] in WORDS.surnames


def is_guess(name: str, type_: str) -> bool:
    """Whether only the last word of a name suggests its type: "Signal Mountain" need not be a place."""
    last = name.rpartition(" ")[2].casefold()
    return type_ == "Location" == WORDS.last_word.get(last) and name not in GAZETTEER.places
