"""What "both" and "they" stand for: the two names that the sentences in front name, if there are just two of a kind."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.parser import Token
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention

PLURAL = "plural"  # the kind of a `DraftMention` that stands for several names
MAX_JOINED = 6
_OPENING = re.compile(r"[\"'“*\x1f]{0,3}(?P<word>Both|They)(?: of them)?(?= (?!and\b|of\b|the\b)[a-z])")
_JOINED = re.compile(r"`?(?:,? (?:and|&) |, )(?:the )?`?")
_LEAD = re.compile(r"[\s\"'“(*\x1f`]*(?:(?:The|A|An|Our|the)\s)?\Z")


class _Said(NamedTuple):
    """What a sentence names: the names joined at its start, its persons, all its names, and where it ends."""

    subjects: Sequence[DraftMention]
    persons: Sequence[DraftMention]
    names: Sequence[DraftMention]
    end: int


def may_stand_for_several(prose: str, span: Span) -> bool:
    """Whether a sentence begins with a word for several names."""
    return _OPENING.match(prose, *span) is not None


def as_they(tokens: list[Token]) -> list[Token]:
    """The tokens of a sentence, with "they" for a "both" that begins it, which is easier to parse."""
    if len(tokens) > 1 and tokens[0].text == "Both" and tokens[1].text.islower():
        tokens[0] = tokens[0]._replace(text="They")
    return tokens


class Plurals:
    """The names of the last two sentences of a paragraph."""

    def __init__(self) -> None:
        self._last: list[_Said] = []

    def opening(self, prose: str, span: Span) -> DraftMention | None:
        """The "both" or "they" that begins a sentence, as a mention of several names; None if it stands for none."""
        found = _OPENING.match(prose, *span)
        if found is None or not self._last or "\n" in prose[self._last[-1].end : span[0]]:
            return None
        start, end = found.span("word")
        mention = DraftMention(start, end, found["word"], None, PLURAL, 0.5)
        return mention if any(self._antecedents(mention, expected) for expected in (None, "Person")) else None

    def expand(self, drafts: Iterable[DraftTriple]) -> Iterator[DraftTriple]:
        """The triples, those of a plural mention once for each of the names that it stands for."""
        for draft in drafts:
            if PLURAL not in {draft.subject.kind, draft.object.kind}:
                yield draft
            elif draft.subject.kind == PLURAL:
                for one in self._antecedents(draft.subject, draft.subject.type):
                    yield draft._replace(subject=one._replace(type=one.type or draft.subject.type))

    def remember(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> None:
        """Note the names of a sentence."""
        if self._last and "\n" in prose[self._last[-1].end : span[0]]:
            self._last = []
        names = [one for one in mentions if one.kind not in {"date", "role", "url", "email", PLURAL}]
        persons = [one for one in names if one.type == "Person"]
        self._last = [*self._last[-1:], _Said(_joined(prose, span, names), persons, names, span[1])]

    def _antecedents(self, mention: DraftMention, expected: str | None) -> Sequence[DraftMention]:
        """The names that the mention stands for: persons where one is expected, and other names otherwise.

        These are the names joined by "and" at the start of the last sentence, or for "both" the two persons or the two
        subjects of the last two sentences; none where there are more.
        """
        last = self._last[-1]
        both = mention.name == "Both"
        candidates = [last.subjects] if len(last.subjects) > 1 else []
        if both and not candidates and len(self._last) == 2:
            first = self._last[0]
            subjects = [*first.subjects, *last.subjects]
            persons = _distinct([*first.persons, *last.persons])
            one_each = len(first.subjects) == len(last.subjects) == 1
            candidates.append(persons if expected == "Person" else subjects if one_each else [])
        for found in candidates:
            of_kind = all((one.type == "Person") == (expected == "Person") for one in found)
            if of_kind and len({one.name for one in found}) == len(found) > 1 and (len(found) == 2 or not both):
                return [
                    one._replace(start=mention.start, end=mention.end, kind="pronoun", confidence=0.5) for one in found
                ]
        return ()


def _joined(prose: str, span: Span, names: Sequence[DraftMention]) -> Sequence[DraftMention]:
    """The names at the start of a sentence that commas and "and" join."""
    if not names or _LEAD.match(prose[span[0] : names[0].start]) is None:
        return ()
    found = [names[0]]
    links = list[str]()
    for one in names[1 : MAX_JOINED + 1]:
        link = _JOINED.fullmatch(prose, found[-1].end, one.start)
        if link is None:
            break
        links.append(link[0])
        found.append(one)
    if links and not {"and", "&"} & set(links[-1].split()):
        return ()  # "In Oslo, Ann Lee" or a list that goes on
    return found


def _distinct(mentions: Iterable[DraftMention]) -> Sequence[DraftMention]:
    return list({one.name: one for one in mentions}.values())
