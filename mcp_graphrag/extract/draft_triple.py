"""Triples between two mentions of a sentence or line, before they are candidates with a quote."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.rule_precision import Rule
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.type_by_shape import may_be_person
from mcp_graphrag.model import CandidateValue

# Those that do not end like "Norwegian", "Turkish", "Chinese", "Icelandic" or "French".
_OTHER_DEMONYM_LIST = (
    "Afghan African-American Argentine Azerbaijani Bangladeshi Bengali Breton Burkinabe Croat Cypriot Czech"
    " Emirati Filipino Greek Iraqi Israeli Kazakh Kuwaiti Kyrgyz Lao Malagasy Manx Monegasque Nepali Omani"
    " Pakistani Philippine Punjabi Qatari Roman Saudi Serb Slovak Somali Swiss Tajik Texan Thai Tibetan Turk Uzbek"
    " Welsh Yemeni"
)
_OTHER_DEMONYMS = frozenset(_OTHER_DEMONYM_LIST.split())
_FIRST_OF_TWO = frozenset({"Afro", "Anglo", "Austro", "Franco", "Greco", "Indo", "Italo", "Luso", "Sino"})
_DEMONYM_ENDINGS = ("ian", "ean", "can", "ish", "ese", "ic", "ch")
_IDENTIFIER = re.compile(r"[._(:]|[a-z][A-Z]")
# Predicates that hold of software only; of others the same verbs mean something else: "imports oil".
_CODE_PREDICATES = frozenset({"defined_in", "imports", "raises", "catches", "returns"})
_CODE_KINDS = frozenset({"code", "path", "call", "scoped", "dotted", "snake", "camel", "hyphenated"})
_CODE_TYPES = frozenset({"Module", "Class", "Function", "Method", "Library", "Framework", "Technology", "Error"})
_SYSTEM_TYPES = frozenset({"Service", "Database", "Component"})
_OF_HOLDERS = frozenset({"operated_by", "headed_by", "led_by", "managed_by", "owned_by", "maintained_by"})
_NOT_HOLDERS = frozenset({"Class", "Function", "Method", "Error", "Date"})
_NOT_PLACES = frozenset({"Class", "Function", "Method", "Error", "Role", "Date"})
_LICENCE = re.compile(
    r"licen[cs]e|\b(?:[AL]?GPL|BSD|MIT|ISC|MPL|EPL|CDDL|Apache|CC|CC0|Creative Commons|Public Domain|EUPL)",
    re.IGNORECASE,
)
OCCURRED_ON = "occurred_on"
PRONOUN, POSSESSIVE = "pronoun", "possessive"  # kinds of a mention that stands for its antecedent
SAME_AS = "same_as"


class DraftTriple(NamedTuple):
    """Two mentions, a predicate, its words in the text (`surface`), the rule that read it, and what else is stated.

    `when` are words for a time. The triple holds from `valid_from` (inclusive) to
    `valid_to` (exclusive), None where the clause does not date it; one that `is_over` ended at no known date.
    `certainty`, from 0 to 1, is that of the least certain arc of the parse that it is read from, None without a parse.
    """

    subject: DraftMention
    predicate: str
    object: DraftMention
    surface: str
    rule: Rule
    when: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    is_over: bool = False
    certainty: float | None = None


def with_type(mention: DraftMention, expected: str | None) -> DraftMention:
    """The mention, with the expected type if it has none and its name may be of that.

    An identifier is neither a person nor a place.
    """
    if expected in {"Person", "Location"} and mention.kind in _CODE_KINDS and _IDENTIFIER.search(mention.name):
        return mention
    fits = mention.type is None and expected and (expected != "Person" or may_be_person(mention.name))
    return mention._replace(type=expected) if fits else mention


def is_software(mention: DraftMention) -> bool:
    """Whether the mention is of software by its type or its form."""
    is_lower = mention.type is None and mention.kind == "name" and mention.name[0].islower() and " " not in mention.name
    return is_lower or mention.kind in _CODE_KINDS or mention.type in _CODE_TYPES | _SYSTEM_TYPES


_COMPASS = frozenset(f"{one}{end}" for one in ("North", "South", "East", "West") for end in ("", "ern"))


def is_demonym(name: str) -> bool:
    """Whether the name is of the people of a country: "Norwegian", "Turkish", "Greek"."""
    first, space, second = name.partition(" ")
    if space and first in _COMPASS:  # "West Australian"
        return is_demonym(second)
    first, hyphen, second = name.partition("-")
    if hyphen:  # "German-American"
        return first in _FIRST_OF_TWO or (is_demonym(first) and is_demonym(second))
    has_form = name[:1].isupper() and name.isalpha() and name.endswith(_DEMONYM_ENDINGS)
    return name in _OTHER_DEMONYMS or name in GAZETTEER.nationalities or has_form


def predicate_of(predicate: str, subject: DraftMention, object_: DraftMention) -> str | None:
    """The predicate of a cue, made specific by the types of the two mentions; None where these do not fit it."""
    is_role = object_.type == "Role"
    if predicate == "has_role" and not is_role:
        return "affiliated_with" if object_.type in {"Organization", "Team"} else None
    if predicate == "is_a" and (is_role or is_demonym(object_.name)):
        return "has_role" if is_role else "nationality"
    not_a_place = predicate == "located_in" and object_.type in _NOT_PLACES
    not_a_place |= predicate == "founding_place" and (
        object_.kind == "quoted" or object_.type not in {None, "Location"}
    )
    not_code = predicate in _CODE_PREDICATES and not any(
        mention.kind in _CODE_KINDS or mention.type in _CODE_TYPES for mention in (subject, object_)
    )
    no_traveller = predicate == "travelled_to" and (is_software(subject) or subject.kind.startswith("hyphenated"))
    no_traveller |= predicate in {"moved_to", "moved_from"} and object_.type == "Person"  # another manager
    no_member = predicate == "affiliated_with" and is_software(subject)  # "works with A"
    is_constant = "_" in object_.name and object_.name[0].isupper()
    no_holder = predicate in _OF_HOLDERS and (object_.type in _NOT_HOLDERS or is_constant)
    no_caller = predicate == "sends_requests_to" and subject.type == "Person"  # "talked to Acme"
    no_language = predicate == "written_in" and object_.type == "Module"  # a file
    no_language |= predicate in {"implemented_in", "written_in"} and subject.type == "Person"
    no_licence = predicate == "licensed_under" and _LICENCE.search(object_.name) is None
    no_end = no_traveller or no_member or no_holder or no_caller or no_language
    return None if no_licence or not_a_place or not_code or no_end else predicate


class Line(NamedTuple):
    """A line of layout with its mentions and triples, its span in the chunk, metadata of its triples, and values."""

    mentions: Sequence[DraftMention]
    drafts: Sequence[DraftTriple]
    span: Span
    metadata: Mapping[str, str]
    values: Sequence[CandidateValue] = ()
