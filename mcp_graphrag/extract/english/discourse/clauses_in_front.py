"""What the clause in front of a pronoun, or the sentence before it, says of whom the pronoun may stand for."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_software
from mcp_graphrag.mentions.find_mentions import DraftMention

# In front of the subject of a sentence; behind a quotation that of "said" is whom the next sentence is about.
SUBJECT_LEAD = re.compile(
    r"(?:\s*[\"“][^\"“”]{1,400}[\"”],?\s(?:said|says|added|wrote|explained)(?=\s))?"
    r"[\s\"'“(*\x1f]*(?:(?:The|A|An|Our|This|the|a|an|our|this)\s)?\Z"
)
_CLAUSE_LEAD = re.compile(r"[\s\"'“(*\x1f]*(?:After|As|Since)\s(?:the\s)?\Z")
_VERB_BEHIND = re.compile(r"\s[a-z]")
_BY_PERSONS = frozenset({"manages", "owns", "oversees", "coordinates", "leads", "heads"})
_COUPLES = frozenset({"spouse", "husband", "wife", "married_to", "engaged_to", "fiance", "fiancee", "partner_of"})
_PERSON_OBJECTS = frozenset({"managed_by", "owned_by", "maintained_by", "operated_by", "led_by"})
_SOFTWARE = (
    "module package library program tool utility command plugin project daemon extension script crate gem framework"
)
OWN_SOFTWARE = frozenset(f"this {noun}" for noun in (*_SOFTWARE.split(), "toolkit", "application"))
COMPANY = ("company", "firm", "business")  # nouns that may stand for one
_OF_COMPANIES = frozenset(
    {"based_in", "headquartered_in", "has_offices_in", "founded_by", "ceo", "acquired_by", "acquires", "subsidiary"}
)
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "…")
_IT = re.compile(r"[Ii]t\b(?<!\w.t)")
# Names of works and groups are described too, and a "he" behind them is somebody else.
_NO_PERSON_LIST = (
    "film movie song album book novel series show play opera band group single game magazine newspaper city town"
    " village country river mountain island building church"
)
NO_PERSONS = frozenset(_NO_PERSON_LIST.split())
# What a noun that describes a person says of "he" and "she": "Ida is his sister. He …" is of somebody else.
GENDERS = {
    **dict.fromkeys(
        ("sister", "mother", "wife", "daughter", "aunt", "niece", "grandmother", "widow", "actress"), "she"
    ),
    **dict.fromkeys(("brother", "father", "husband", "son", "uncle", "nephew", "grandfather", "widower"), "he"),
}
# What an article said before it was corrected.
_REPORT = re.compile(
    r"[\W_]*(?:(?:correction|clarification|corrigendum|erratum)\W+)?(?:an?|the|this|our|yesterday['’]s)\s[^.;:]{0,60}?\b"
    r"(?:article|story|report|post|page|piece|column|text|version|issue|edition|newsletter)\b[^.;:]{0,60}?\b"
    r"(?:said|stated|reported|wrote|claimed|read|listed|misstated)\s+that\s",
    re.IGNORECASE,
)

_DESCRIPTION = re.compile(
    r"(?:,? (?:Jr\.?|Sr\.?|I{2,3}|IV))?\s?(?:\([^()]{0,160}\)\s?)?(?:,[^,.;]{0,60},\s)?(?:is|was|are|were)"
    r" (?:an?|the|one of the|his|her|their) (?P<words>[^.,;:()]{3,90})"
)
_BIRTH = re.compile(r"\s?(?:\([^()]{0,160}\)\s?)?(?:,[^,.;]{0,60},)?\s(?:was|is) born\b")
_PHRASE_END = re.compile(
    r" (?:in|of|by|on|at|for|from|that|which|who|with|and|to|located|based|written|directed|released) "
)


def is_described(prose: str, span: Span) -> bool:
    """Whether a description or a birth stands behind a name: "(born 1970) is a painter", ", the painter, was born"."""
    return (_DESCRIPTION.match(prose, *span) or _BIRTH.match(prose, *span)) is not None


def described_noun(prose: str, span: Span) -> str | None:
    """The noun of the description behind a name, None if there is none: "scheduler" of "is a scheduler in Rust"."""
    description = _DESCRIPTION.match(prose, *span)
    if description is None:
        return None
    words = _PHRASE_END.split(f"{description['words']} ", maxsplit=1)[0].split()
    return words[-1] if words and words[-1].isalpha() and words[-1].islower() else None


def behind_report(prose: str, span: Span) -> int:
    """The offset behind "Our article of 3 May said that" at the start of a sentence, else that of the sentence."""
    report = _REPORT.match(prose, *span)
    return report.end() if report is not None else span[0]


def has_it(prose: str, span: Span) -> bool:
    """Whether a sentence has the word "it"."""
    return _IT.search(prose, *span) is not None


def is_definition(prose: str, span: Span, mentions: Sequence[DraftMention]) -> bool:
    """Whether a paragraph is no sentence but an identifier with what belongs to it: "class io.TextIOBase"."""
    return bool(mentions) and is_software(mentions[0]) and not prose[slice(*span)].rstrip().endswith(_SENTENCE_ENDS)


def is_clause(prose: str, span: Span, before: Sequence[DraftMention]) -> bool:
    """Whether the words in front of a pronoun are a clause with a subject of its own: "After Ann Lee won it, she"."""
    return (
        bool(before)
        and _CLAUSE_LEAD.match(prose[span[0] : before[0].start]) is not None
        and before[0].kind != "date"
        and _VERB_BEHIND.match(prose, before[0].end) is not None
    )


def acts_as_person(subject: DraftMention, drafts: Sequence[DraftTriple]) -> bool:
    """Whether the sentence says of the subject what mostly persons and teams do."""
    return any(
        (draft.predicate in _BY_PERSONS and draft.subject == subject)
        or (draft.predicate in _PERSON_OBJECTS and draft.object == subject)
        for draft in drafts
    )


def is_company(subject: DraftMention, mentions: Sequence[DraftMention], drafts: Sequence[DraftTriple]) -> bool:
    """Whether the sentence says of the subject what only a company has or does, and names no other one."""
    others = [one for one in mentions if one.name != subject.name and one.type in {None, "Organization"}]
    is_told = any(one.subject.name == subject.name and one.predicate in _OF_COMPANIES for one in drafts)
    return is_told and not others and subject.type in {None, "Organization"}


def partners(drafts: Iterable[DraftTriple]) -> Iterator[tuple[str, str]]:
    """The names of two persons who are or were a couple, in both orders."""
    for draft in drafts:
        if draft.predicate in _COUPLES:
            yield draft.subject.name, draft.object.name
            yield draft.object.name, draft.subject.name
