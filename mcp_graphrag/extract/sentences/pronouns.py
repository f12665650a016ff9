"""The antecedents of the pronouns of a text, where only one is possible: "He", "she", "it" and "its"."""

import re
from collections.abc import Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import POSSESSIVE, PRONOUN, DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.type_by_shape import described_as, may_be_person

_OPENING = re.compile(
    r"(?:[\"'“*\x1f]{0,3})(?:(?:In|On|After|During|At|From|By|Since|Then|Later|Also|As)\b[^,.;]{0,70}, "
    r"|(?:In|On|After|From|Since|Until|Before)\s(?:[\w-]+\s){0,2}\d{4},?\s)?"
    r"(?P<word>(?:He|She|It|he|she|it|His|Her|Its|his|her|its)\b|(?:The|This|the|this) (?P<noun>[a-z]{3,30})\b"
    r"(?! (?:that|which|who|of|named|called|titled|[a-z]{2,20}(?:ed|en) by)\b))"
)
_WITHIN = re.compile(r"\b(?:he|she|his|her)\b")
_LEAD = re.compile(
    r"[\s\W\d_]*(?:(?:The|In|On|After|By|Since|During|Also|Then)\b[^,;]{0,60},?\s)?(?:[Tt]he\s|[Aa]n?\s)?\W*"
)
_EXCHANGES = frozenset({"replaces", "replaced_by", "renamed_to", "succeeded_by", "merged_into"})
_NOT_NAMES = frozenset({"date", "role", "url", "email"})
_FORMS = {"his": "he", "her": "she", "its": "it"}


def may_refer(prose: str, span: Span) -> bool:
    """Whether a sentence has a pronoun that may stand for a name."""
    return _OPENING.match(prose, *span) is not None or _WITHIN.search(prose, *span) is not None


class Pronouns:
    """The subject of the last sentence, one per document.

    Across paragraphs only what the title or the heading above names is known; a person only by the pronoun that the
    text has used before.
    """

    def __init__(self, title: str) -> None:
        self._title = title.casefold()
        self._topic: DraftMention | None = None
        self._genders: dict[str, str] = {}
        self._persons: set[str] = set()
        self._kinds: dict[str, DraftMention] = {}  # by the noun that says what a name is: "the film"
        self._section: tuple[int, DraftMention] | None = None
        self.start_paragraph()

    def start_paragraph(self, level: int = 0) -> None:
        """Forget all but what the section or the document is about; `level` is that of a heading that begins."""
        if level and self._section is not None and level <= self._section[0]:
            self._section = None
        self._level = level
        topic = self._section[1] if self._section is not None else self._topic
        self._person = topic if topic is not None and self._is_person(topic) else None
        self._thing = topic if self._person is None else None
        self._is_far = True

    def resolve(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> list[DraftMention]:
        """The mentions of the sentence, with pronouns as mentions of their antecedents."""
        found = list(mentions)
        opening = _OPENING.match(prose, *span)
        said: dict[str, DraftMention | None] = {}  # a pronoun stands for one person all through a sentence
        places = [opening.span("word")] if opening is not None else []
        places += [within.span() for within in _WITHIN.finditer(prose, *span) if within.span() not in places]
        for start, end in places:
            word = prose[start:end].lower()
            is_first = opening is not None and start == opening.start("word")
            if is_first and opening is not None and opening["noun"]:
                antecedent = self._kinds.get(opening["noun"])
            else:
                form = _FORMS.get(word, word)
                if form not in said:
                    said[form] = self._antecedent(form, start, mentions, is_first=is_first)
                antecedent = said[form] if form != "it" or is_first else None
            if antecedent is not None and not any(one.start < end and start < one.end for one in mentions):
                kind = POSSESSIVE if word in _FORMS else PRONOUN
                found.append(antecedent._replace(start=start, end=end, kind=kind, confidence=0.5))
        return sorted(found, key=lambda one: (one.start, -one.end))

    def _antecedent(
        self, word: str, at: int, mentions: Sequence[DraftMention], *, is_first: bool
    ) -> DraftMention | None:
        """Whom or what a pronoun stands for: in the sentence the only person in front, else the subject before."""
        before = [one for one in mentions if one.end <= at and one.kind not in _NOT_NAMES]
        if word == "it":
            return self._thing if is_first and not before else None
        persons = {one.name: one for one in before if self._is_person(one)}
        if len(persons) > 1 or (persons and before[0].name not in persons):
            return None
        person = next(iter(persons.values()), self._person)
        if person is not None and person is self._person and self._is_far and person.name not in self._genders:
            return None
        if person is None or self._genders.setdefault(person.name, word) != word:
            return None
        return person

    def _is_person(self, mention: DraftMention) -> bool:
        return mention.type == "Person" or (mention.type is None and mention.name in self._persons)

    def remember(self, prose: str, span: Span, mentions: Sequence[DraftMention], drafts: Sequence[DraftTriple]) -> None:
        """Note the subject of a sentence, and who is a person by what the sentence states."""
        ends = [end for draft in drafts for end in (draft.subject, draft.object)]
        self._persons.update(one.name for one in (*mentions, *ends) if one.type == "Person")
        for draft in drafts:
            if draft.predicate == "is_a" and draft.object.kind == "kind":
                self._kinds[draft.object.name.split()[-1].lower()] = draft.subject._replace(kind="name")
        names = [one for one in mentions if one.kind not in _NOT_NAMES]
        if not names:
            return
        subject, self._is_far = names[0], False
        others = [one for one in names[1:] if one.name != subject.name]
        if subject.kind == POSSESSIVE and any(one.type in {None, "Person"} for one in others):
            self._person = None  # "His friend Odon came. He", which of them?
        if subject.kind in {PRONOUN, POSSESSIVE}:
            return  # the antecedent stays
        leads = _LEAD.fullmatch(prose, span[0], subject.start) is not None
        is_person = self._is_person(subject)
        noun = described_as(prose, subject.end)
        is_thing = any(one.predicate == "is_a" and one.subject.name == subject.name for one in drafts)
        if noun is not None and leads and not (is_person or WORDS.is_of_person(noun)):
            is_thing, self._kinds[noun] = True, subject
        rivals = any(self._is_person(one) for one in others)
        joined = len(names) > 1 and prose[names[0].end : names[1].start].strip() in {"and", ",", "&"}
        unsure = not leads or joined or subject.kind not in {"name", "code", "quoted"}
        self._person = subject if is_person and not rivals and not unsure else None
        self._thing = (
            subject if not is_person and not unsure and (is_thing or not self._may_be_person(subject)) else None
        )
        if any(one.predicate in _EXCHANGES for one in drafts):
            self._thing = None
        if self._level and len(names) == 1 and leads and (subject.type or subject.kind == "code"):
            self._section = self._level, subject
        if self._topic is None and leads and subject.name.casefold() in self._title and not joined:
            self._topic = subject._replace(type="Person") if is_person else subject

    @staticmethod
    def _may_be_person(mention: DraftMention) -> bool:
        """Whether a name without a type has the form of a person's, so that "it" would be a guess."""
        words = mention.name.split()
        return mention.type is None and 2 <= len(words) <= 3 and mention.name.istitle() and may_be_person(mention.name)
