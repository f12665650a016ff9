"""Speaker turns of chats and minutes: "Ana: …", "[10:31] bob> …", "**Ana**: …"."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mcp_graphrag.english.lexicon import load_lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import POSSESSIVE, PRONOUN
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_full_name, is_given_name

MIN_TURNS = 2  # of a speaker who is not known to be a person, in a chat without times
MIN_SHARE = 0.3  # of the lines of a chat without times that start a turn
_TIME = r"(?:\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?\]?[ \t]*[-–—,]?[ \t]*)"
_SPEAKER = r"(?:[^\W\d_][\w.'’-]{0,30})(?:[ ][^\W\d_][\w.'’-]{0,30}){0,3}"
TURN = re.compile(
    rf"^[ \t>]*(?:[-*+][ \t]+)?(?P<time>{_TIME})?(?:[*_]{{1,3}})?<?(?P<name>@?{_SPEAKER})>?(?:[*_]{{1,3}})?"
    r"[ \t]*(?:\([^()\n]{1,30}\)[ \t]*)?(?:[*_]{1,3})?(?P<mark>[:：]|>|(?<=>))(?:[*_]{1,3})?(?:[ \t]+|(?<=：))(?=\S)",
    re.MULTILINE,
)
_FIRST_PERSON = re.compile(r"(?<![\w'’.-])(?:I|[Mm]e|[Mm]y|i(?=[ '’]))(?![\w.-])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Turn(NamedTuple):
    """The start of a speaker turn: the name and its span, and where the words begin."""

    name: str
    start: int
    end: int
    words: int


def find_turns(text: str) -> list[Turn]:
    """The speaker turns of a text, in order; none if it is no chat.

    A line with a time in front of its speaker is a turn. Without times, a text is a chat if many of its lines start
    with a person or with a capitalised name that comes back.
    """
    if not any(mark in text for mark in (": ", "> ", ":** ", "：")):
        return []
    found = [match for match in TURN.finditer(text) if _may_speak(match)]
    counts = Counter(match["name"] for match in found if match["name"][0].isupper() and not match["name"].isupper())
    named = [match for match in found if _is_speaker(match["name"], counts)]
    lines = sum(1 for line in text.splitlines() if line.strip())
    is_chat = len({match["name"] for match in named}) >= 2 and len(named) >= MIN_SHARE * lines
    return [
        Turn(_speaker_name(match["name"]), *match.span("name"), match.end())
        for match in found
        if match["time"] or (is_chat and match in named)
    ]


def speakers(turns: Sequence[Turn]) -> Iterator[DraftMention]:
    """The mentions of the speakers at the start of their turns."""
    for turn in turns:
        if turn.start >= 0:
            yield DraftMention(turn.start, turn.end, turn.name, "Person", "name", 0.8)


def first_person(prose: str, span: Span, turns: Sequence[Turn]) -> Iterator[DraftMention]:
    """The words "I", "me" and "my" of a sentence as mentions of who speaks.

    Behind what looks like the start of a turn and is none of `turns`, nobody known does.
    """
    speaking = next((turn for turn in reversed(turns) if turn.words <= span[0]), None)
    if speaking is not None and not any(map(_may_speak, TURN.finditer(prose, max(speaking.words, 0), span[1]))):
        for word in _FIRST_PERSON.finditer(prose, *span):
            kind = POSSESSIVE if word[0].casefold() == "my" else PRONOUN
            yield DraftMention(*word.span(), speaking.name, "Person", kind, 0.5)


def _speaker_name(said: str) -> str:
    """The name of a speaker as people write it: "Ann Poe" for "AnnPoe"."""
    name = said.lstrip("@")
    return " ".join(_CAMEL.split(name)) if " " not in name and name[:1].isupper() else name


def _may_speak(match: re.Match[str]) -> bool:
    """Whether the word in front of the colon is a name and no label: "Decision:", "Time:", "Note:"."""
    name = match["name"].lstrip("@")
    if match["mark"] == ">" and not match["time"] and "<" not in match[0]:
        return False
    words = name.split()
    if len(words) == 1 and (words[0].casefold() in WORDS.header or words[0].casefold() in WORDS.note_labels):
        return False
    if all(WORDS.is_stop(word) for word in words) or name.casefold() in WORDS.note_labels:
        return False
    capitalised = all(word[0].isupper() for word in words)
    return capitalised or (len(words) == 1 and name[0].islower())


def _is_speaker(name: str, counts: Mapping[str, int]) -> bool:
    """Whether a name is of a person, or comes back and is no label or ordinary word."""
    is_person = is_full_name(_speaker_name(name)) or is_given_name(name)
    is_ordinary = any(map(GAZETTEER.is_common, name.split())) or load_lexicon().header(name, None) is not None
    return is_person or (counts[name] >= MIN_TURNS and not is_ordinary)
