"""Lines that say who a person is: "Ana Silva: platform lead", "- Tom Brandt (CTO, Acme Inc)"."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.unasserted.retractions import is_taken_back
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Chunk

MAX_ROLE_WORDS = 5
_LINE = re.compile(
    r"^[ \t>]*(?P<bullet>(?:[-*+•]|\d{1,2}[.)])[ \t]+)?"
    r"(?:[*_]{0,2}(?:From|To|Cc|Authors?|(?:Prepared|Written|Presented|Approved|Reviewed|Signed|Chaired) by|Speaker"
    r"|Contact|(?:[A-Z][a-z]+ )?(?:[Ss]ponsor|[Oo]wner|[Ll]ead|[Cc]hair|[Cc]ommander|[Cc]ontact|[Aa]pprover|[Hh]ost))"
    r"(?:[*_]{0,2}:[*_]{0,2})[ \t]+(?:(?:Dr|Prof|Mrs?|Ms)\.? )?)?"
    r"[*_]{0,3}(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3})"
    r"[*_]{0,3}(?:[*_]{0,3}:[*_]{0,3}[ \t]+|[ \t]+[-–—][ \t]+|,[ \t]+|[ \t]+\((?=[^()\n]{2,80}\)[ \t]*$))"
    r"(?P<said>[^\n:;.?!]{2,100})[.;]?[ \t]*$",
    re.MULTILINE,
)
_PART = re.compile(r"(?:[^,/()]|/(?=\w+ team))+")
_SPLIT = re.compile(r"\s+(?:at|for|in)\s+(?=[A-Z])|\s+of\s+(?=the\s+\w+\s+team\b)")
_ARTICLE = re.compile(r"(?:the|our|an?)\s+")
_MORE_ROLES = frozenset(
    {"lead", "head", "owner", "chair", "sre", "intern", "contractor", "designer", "tester", "deputy"}
)
_OVER = frozenset(
    {"former", "formerly", "ex", "until", "was", "acting", "interim", "outgoing", "incoming", "new", "not"}
)


def people_lines(chunk: Chunk, usage: WordUsage) -> Iterator[Line]:
    """The lines of a chunk that are a full name and a role, with the team or company behind the role."""
    for found in _LINE.finditer(chunk.text):
        name = found["name"]
        if not (is_full_name(name) or usage.known_type(name) == "Person"):
            continue
        person = DraftMention(*found.span("name"), name, "Person", "name", 0.9)
        drafts = list(_roles(chunk.text, person, found.span("said"), usage))
        if drafts and not is_taken_back(chunk.text, found.span()):
            yield Line([person, *(draft.object for draft in drafts)], drafts, found.span(), {})


def _roles(text: str, person: DraftMention, said: Span, usage: WordUsage) -> Iterator[DraftTriple]:
    parts = [strip_span(text, part.span()) for part in _PART.finditer(text, *said)]
    pieces = [piece for part in parts for piece in _pieces(text, part)]
    if not pieces or not is_role(text[slice(*pieces[0])]):
        return
    start, end = parts[-1]
    if len(parts) > 1 and text[end : end + 1] == "." and text[start].islower() and not is_role(text[start:end]):
        return  # a sentence: "Ann Lee, CTO of Acme, met Bob Ray."
    for piece in pieces:
        article = _ARTICLE.match(text, *piece)
        start, end = (article.end() if article is not None else piece[0]), piece[1]
        name = " ".join(text[start:end].split())
        if is_role(name):
            role = DraftMention(start, end, name, "Role", "role", 0.9)
            yield DraftTriple(person, "has_role", role, "role", "line")
            continue
        type_ = usage.known_type(name) or type_of_name(name, "", "")
        if type_ in {"Team", "Organization"} and name[0].isupper():
            group = DraftMention(start, end, name, type_, "name", 0.9)
            predicate = "member_of" if type_ == "Team" else "affiliated_with"
            yield DraftTriple(person, predicate, group, type_.lower(), "line")


def _pieces(text: str, part: Span) -> Iterator[Span]:
    """A part, divided in front of the place of a role: "engineer at Acme"."""
    start, end = part
    for split in _SPLIT.finditer(text, start, end):
        yield start, split.start()
        start = split.end()
    yield start, end


def is_role(words: str) -> bool:
    """Whether the words are a role that somebody has now: "database lead", "VP of Engineering", "CTO"."""
    parts = words.replace("-", " ").casefold().split()
    if not 1 <= len(parts) <= MAX_ROLE_WORDS or not _OVER.isdisjoint(parts) or not words[0].isalpha():
        return False
    if WORDS.is_stop(parts[0]) and parts[0] not in WORDS.stop_only_first:
        return False  # "who became CTO"
    if not all(part.isalpha() or part == "&" for part in parts) or not WORDS.auxiliaries.isdisjoint(parts):
        return False
    head = re.split(r" (?:of|for) ", " ".join(parts), maxsplit=1)[0].split()[-1]
    return WORDS.last_word.get(head) == "Role" or head in _MORE_ROLES or words in WORDS.role_acronyms
