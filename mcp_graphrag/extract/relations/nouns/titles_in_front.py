"""The role in front of a person who opens a sentence by saying or doing something: "Foreign Minister Ann Lee says"."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

MAX_LENGTH = 80  # characters of the words in front
_WORDS = re.compile(r"\W{0,3}(?:[Tt]he )?(?P<role>[A-Z][\w&’'-]*(?: (?:[A-Z][\w&-]*|[a-z]{3,}(?:-[a-z]+)*)){0,6}) \Z")
_GOES_ON = re.compile(
    r"\s+(?:(?:also|now|today|yesterday|later) )?(?:says?|said|tells?|told|adds?|added|warn(?:s|ed)|announce[sd]"
    r"|confirm(?:s|ed)|believes|thinks|den(?:ies|ied)|argue[sd]|insist(?:s|ed)|explain(?:s|ed)|has|is|will)\b"
)
_ROLES = frozenset(
    {"spokesman", "spokeswoman", "spokesperson", "chairman", "chairwoman", "umpire", "officer", "executive"}
)
# Words that say that the role is over or not yet taken, and words that open a sentence without being part of a role.
_OTHER = (
    frozenset({"former", "ex", "acting", "outgoing", "incoming", "then", "late", "would-be", "self-styled", "fellow"})
    | frozenset({"when", "while", "as", "if", "although", "but", "and", "because", "since", "after", "before", "where"})
    | frozenset(
        {"yesterday", "today", "meanwhile", "earlier", "later", "now", "last", "this", "however", "every", "no"}
    )
)


def titles_in_front(prose: str, span: Span, mentions: Sequence[DraftMention]) -> Iterator[DraftTriple]:
    """The role of the first person of a sentence, by the words between its start and the name."""
    person = next((one for one in mentions if one.type == "Person" and one.kind == "name"), None)
    if person is None or " " not in person.name or not 2 < person.start - span[0] <= MAX_LENGTH:
        return
    found = _WORDS.fullmatch(prose, span[0], person.start)
    if found is None or _GOES_ON.match(prose, person.end, span[1]) is None:
        return
    if any(one.kind in {"role", "date"} or one.type == "Person" for one in mentions if one.end <= person.start):
        return
    words = found["role"].split()
    start = found.start("role")
    owned = next((at for at, word in enumerate(words) if word.endswith(("'s", "’s"))), -1) + 1
    start, words = start + sum(len(word) + 1 for word in words[:owned]), words[owned:]
    if not words:
        return
    if len(words) > 1 and words[1].islower() and not GAZETTEER.is_common(words[0]):
        start += len(words[0]) + 1  # the group or nation: "Acme chief executive"
        words = words[1:]
    role = DraftMention(start, person.start - 1, " ".join(words), "Role", "role", 0.9)
    if _is_role(words):
        yield DraftTriple(person, "has_role", role, "title", "noun")


def _is_role(words: Sequence[str]) -> bool:
    last = words[-1].casefold()
    closed = WORDS.prepositions | WORDS.pronouns | WORDS.determiners | WORDS.auxiliaries | WORDS.negations | _OTHER
    return (
        (WORDS.last_word.get(last) == "Role" or last in _ROLES)
        and closed.isdisjoint(word.casefold() for word in words)
        and not any(word.islower() and word.endswith(("ing", "ed", "ly")) for word in words[:-1])
    )
