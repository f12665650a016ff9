"""The antecedents of pronouns and of "the service" at the start of a sentence, where they are unambiguous."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.discourse.clauses_in_front import (
    COMPANY,
    GENDERS,
    NO_PERSONS,
    OWN_SOFTWARE,
    SUBJECT_LEAD,
    acts_as_person,
    behind_report,
    described_noun,
    is_clause,
    is_company,
    is_definition,
    is_described,
    partners,
)
from mcp_graphrag.extract.english.discourse.definite_nouns import POSSESSIVE, PRONOUN, DefiniteNouns, has_definite
from mcp_graphrag.extract.english.discourse.plurals import PLURAL, Plurals, may_stand_for_several
from mcp_graphrag.extract.english.discourse.sections import Opening, Sections, is_title
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.mentions.find_mentions import DraftMention, in_text_order

_OPENING = re.compile(
    r"(?:[\"'“*\x1f]{0,3})(?:(?:In|On|After|During|At|From|By|Since|Then|Later|Also|As)\b[^,.;]{0,70}, "
    r"|(?:In|On|After|From|Since|Until|Till|Before)\s(?:[\w-]+\s){0,2}\d{4},?\s)?"
    r"(?P<word>(?:He|She|It|They|he|she|it|they|His|Her|Its|Their|his|her|its|their)\b"
    r"|(?:The|This|the|this) (?P<noun>[a-z]{3,30})\b"
    # Which one of several is another: "the studio named Moss", "the studio designed by Ann Lee".
    r"(?! (?:that|which|who|of|(?:re)?named|called|titled|dubbed|[a-z]{2,20}(?:ed|en|own|uilt) by)\b))"
)
_OF_PERSONS = ("ist", "ian", "man", "woman", "ess", "smith")
_HE = re.compile(r"(?:he\b(?<!\whe)|she\b(?<!\wshe))")  # the letters first, which `re` searches for fastest
_IT_AS_OBJECT = re.compile(r"it\b(?<=[a-z] it)(?![’'-])")
_LEADING = re.compile(r"\b(?:leads?|heads?|manages?|oversees?|led|headed|managed|oversaw) \Z")
_NOT_NAMES = frozenset({"date", "role", "url", "email"})
_POSSESSIVES = {"his": "he", "her": "she", "its": "it", "their": "they"}
_EXCHANGES = frozenset({"replaces", "succeeded_by"})  # after "A was replaced by B", "it" may be either


class _Talk(NamedTuple):
    """Whom and what a sentence leaves for a pronoun in the next one."""

    person: DraftMention | None = None
    thing: DraftMention | None = None
    rivals: bool = False
    described: DraftMention | None = None


def may_refer(prose: str, span: Span) -> bool:
    """Whether a sentence has a pronoun or a noun that may stand for a name."""
    return (
        _OPENING.match(prose, *span) is not None
        or may_stand_for_several(prose, span)
        or _HE.search(prose, *span) is not None
        or _IT_AS_OBJECT.search(prose, *span) is not None
        or has_definite(prose, span)
    )


class Discourse:
    """The subjects of the sentences so far. Make one per document, and tell it where a chunk and a sentence start.

    A document is about what one of its titles and the subject of its first description name, and a section about what
    its heading names; `own` is the software that it describes. If that is a person, "he" and "she" stand for that
    person until a sentence names another one.
    Across the break of a paragraph a pronoun stands only for what the section or the document is about, or for the only
    subject so far.
    """

    def __init__(self, titles: Iterable[str] = (), own: str | None = None) -> None:
        self._own = {each: DraftMention(0, 0, own, None, "name", 0.9) for each in OWN_SOFTWARE} if own else {}
        self._titles = [words for title in titles if (words := title.casefold().replace(",", " ").split())]
        self._persons: set[str] = set()
        self._genders: dict[str, str] = {}
        self._topic: DraftMention | None = None
        self._is_alone = False  # no other person was named since the topic was a subject
        self._sections = Sections()
        self._is_below_heading = False  # no paragraph has begun since the last heading
        self._has_definitions = False  # the section has lines that define something else than it is about
        self._subjects: set[str] = set()
        self._only: DraftMention | None = None  # the subject of all sentences so far
        self._definites = DefiniteNouns()
        self._led_in: _Talk | None = None  # in front of the list that the sentence is in
        self._is_in_list = False
        self.start_chunk()

    def start_chunk(self) -> None:
        """Forget all but what the document is about."""
        self._person: DraftMention | None = None
        self._thing: DraftMention | None = None
        self._rivals = False  # the last sentence named other things than its subject
        self._described: DraftMention | None = None  # in the last sentence, without another name
        self._nouns: dict[str, DraftMention] = {}
        self._is_item = False  # the sentence begins an item of a list
        self._opening: DraftMention | None = None  # the pronoun behind the opening words of a sentence
        self._is_heading = False
        self.plurals = Plurals()

    def start_sentence(self, opening: Opening, prose: str, span: Span, mentions: Sequence[DraftMention]) -> None:
        """Note what the next sentence begins."""
        self._is_heading = opening.level > 0
        if opening.level:
            self._is_in_list = self._has_definitions = False
            self._definites.start_heading(opening.level, prose[slice(*span)])
            names = [one for one in mentions if one.kind not in _NOT_NAMES]
            self._sections.start(opening.level, prose, span, names)
        elif opening.is_item:
            if not self._is_in_list:
                talk = _Talk(self._person, self._thing, self._rivals, self._described)
                self._led_in = talk if opening.is_led_in else None
            self._is_in_list = True
            self._set_talk(self._led_in or self._talk_of_paragraph())
        elif opening.is_paragraph:
            self._is_in_list = False
            self._has_definitions |= is_definition(prose, span, mentions)
            self._set_talk(_Talk() if self._has_definitions else self._talk_of_paragraph())
        self._is_below_heading = self._is_heading

    def _set_talk(self, talk: _Talk) -> None:
        self._person, self._thing, self._rivals, self._described = talk

    def _talk_of_paragraph(self) -> _Talk:
        """Whom and what a pronoun at the start of a paragraph may stand for."""
        topic, section = self._topic, self._sections.name
        described = self._described if topic is None or self._described == topic else None
        if topic is None and not self._sections:
            if self._only is None:
                return _Talk()
            if self._is_person(self._only):
                return _Talk(person=self._only if self._only == self._person else None, described=described)
            return _Talk(thing=self._only, described=described)
        persons = [one for one in (section, topic) if one is not None and self._is_known_person(one)]
        person = next((one for one in persons if self._is_only_person(one)), None)
        thing = section if self._sections else topic
        if thing is not None and (self._is_known_person(thing) or not self._is_name(thing)):
            thing = None
        return _Talk(person, thing, described=described)

    def _is_known_person(self, mention: DraftMention) -> bool:
        return self._is_person(mention) or mention.name in self._genders

    def _is_only_person(self, person: DraftMention) -> bool:
        """Whether "he" and "she" tell a person from all who were named in between, or nobody was."""
        is_topic = self._topic is not None and person.name == self._topic.name
        return person.name in self._genders or (self._is_alone if is_topic else self._is_below_heading)

    def _is_name(self, thing: DraftMention) -> bool:
        """Whether the words of a heading are a name: by their form, or as the subject of a sentence."""
        return bool(thing.type or thing.name in self._subjects or (self._is_below_heading and not is_title(thing.name)))

    def start_item(self, topic: DraftMention | None) -> None:
        """Let "it" be what a list is about in the sentence that begins an item of it, and nothing if that is None."""
        self._is_item = topic is not None
        self._thing = topic
        self._rivals = False

    def resolve(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> list[DraftMention]:
        """The mentions of the sentence, with pronouns as mentions of their antecedents."""
        mentions = self._with_opening(prose, span, mentions)
        found = list(self._its(prose, span, mentions))
        for pronoun in _HE.finditer(prose, *span):
            before = [mention for mention in mentions if mention.start < pronoun.start()]
            lead = before[0] if before and SUBJECT_LEAD.match(prose[span[0] : before[0].start]) else None
            is_lead = lead is not None and lead.kind in {"name", PRONOUN} and self._may_be_person(lead)
            is_open = lead is not None and lead.kind == "name" and lead.type is None and not is_lead
            is_open |= is_lead and lead is not None and self._may_be_work(lead)
            # "Ida married Ove, and he died": which of them?
            rivals = lead is not None and any(self._is_other_person(lead, one) for one in before)
            is_open |= rivals and lead is not None and self._genders.get(lead.name) != pronoun[0]
            if is_lead and lead is not None and not is_open:
                antecedent = lead
                self._genders.setdefault(lead.name, pronoun[0])
            else:
                antecedent = None if is_open else self._of_gender(pronoun[0])
            if antecedent is not None:
                found.append(
                    antecedent._replace(start=pronoun.start(), end=pronoun.end(), kind=PRONOUN, confidence=0.5)
                )
        found += self._definites.resolve(prose, span, mentions)
        taken = {mention.start for mention in mentions}
        return sorted([*mentions, *(each for each in found if each.start not in taken)], key=in_text_order)

    def _its(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> Iterator[DraftMention]:
        """The "it" that a person does something to, as in "Ann Lee leads it", if the last sentence names one thing."""
        names = [mention for mention in mentions if mention.kind not in _NOT_NAMES]
        thing = self._thing
        if (
            thing is None
            or not names
            or names[0].name == thing.name
            or SUBJECT_LEAD.match(prose[span[0] : names[0].start]) is None
        ):
            return
        found = _IT_AS_OBJECT.search(prose, *span)
        if found is None or not (self._is_item or self._is_person(names[0])) or names[0].end > found.start():
            return
        is_led = thing.type == "Team" and _LEADING.search(prose, span[0], found.start()) is not None
        others = [one for one in names[1:] if one.start < found.start()]
        if not others and (is_led or not self._rivals):
            yield thing._replace(start=found.start(), end=found.end(), kind=PRONOUN, confidence=0.5)

    def _with_opening(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> Sequence[DraftMention]:
        """The mentions with the pronoun or noun that opens the sentence, if it has an antecedent."""
        self._opening = None
        plural = self.plurals.opening(prose, span)
        if plural is not None:
            return [plural, *(mention for mention in mentions if mention.start >= plural.end)]
        opening = _OPENING.match(prose, *span)
        start, end = opening.span("word") if opening is not None else (0, 0)
        if opening is None or any(mention.start < end and start < mention.end for mention in mentions):
            return mentions
        word = opening["word"].lower()
        before = [mention for mention in mentions if mention.end <= start]
        antecedent = (
            self._of_clause(before, word)
            if is_clause(prose, span, before)
            else self._antecedent(_POSSESSIVES.get(word, word), opening["noun"]) or self._own.get(word)
        )
        if antecedent is None:
            return mentions
        kind = POSSESSIVE if word in _POSSESSIVES else PRONOUN
        self._opening = antecedent._replace(start=start, end=end, kind=kind, confidence=0.5)
        return [*before, self._opening, *(mention for mention in mentions if mention.start >= end)]

    def _of_clause(self, before: Sequence[DraftMention], word: str) -> DraftMention | None:
        """The one person that a clause in front of "he" is about: "After Ann Lee won it, she …"."""
        persons = [mention for mention in before if self._may_be_person(mention)]
        is_he = _POSSESSIVES.get(word, word) in WORDS.he
        return persons[0] if is_he and persons == [before[0]] else None

    def _antecedent(self, word: str, noun: str | None) -> DraftMention | None:
        if noun is not None:
            return self._nouns.get(noun)
        if word in WORDS.he:
            return self._of_gender(word) or self._of_description(word)
        if word in WORDS.it:
            return None if self._thing is None or self._is_person(self._thing) else self._thing
        is_group = self._thing is not None and self._thing.type in {"Team", "Organization"}
        return self._thing if is_group else None

    def _of_gender(self, word: str) -> DraftMention | None:
        """The person that "he" or "she" stands for, unless the other of these stood for that one before."""
        topic = self._topic
        is_topic = topic is not None and self._is_alone and (self._is_person(topic) or topic.name in self._genders)
        person = self._person or (topic if is_topic else None)
        if person is None or self._genders.setdefault(person.name, word) != word:
            return None
        return person

    def _of_description(self, word: str) -> DraftMention | None:
        """Who the last sentence describes and names alone, without a word for persons: "Ann Oy was a cornerback."."""
        described = self._described
        if described is None or self._genders.setdefault(described.name, word) != word:
            return None
        self._persons.add(described.name)
        return described._replace(type="Person")

    def _is_person(self, mention: DraftMention) -> bool:
        return mention.type == "Person" or (mention.type is None and mention.name in self._persons)

    def _may_be_work(self, lead: DraftMention) -> bool:
        """Whether a lead has only the form of a person's name, where somebody else is known: "The Tidal Year"."""
        known = [one for one in (self._person, self._topic) if one is not None and self._is_known_person(one)]
        return not self._is_known_person(lead) and any(one.name != lead.name for one in known)

    def _may_be_person(self, mention: DraftMention) -> bool:
        """Whether "he" behind a subject may be that: a person, or a name of two or three words without a type."""
        words = mention.name.split()
        return self._is_person(mention) or (mention.type is None and 2 <= len(words) <= 3 and mention.name.istitle())

    def remember(
        self, prose: str, span: Span, mentions: Sequence[DraftMention], drafts: Sequence[DraftTriple] = ()
    ) -> None:
        """Note the subject of the sentence as an antecedent, and the nouns that describe it.

        A person is who has that type, also in the triples of the sentence, or is described as one.
        """
        self.plurals.remember(prose, span, mentions)
        self._definites.remember(prose, span, mentions)
        self._is_item = False
        report = behind_report(prose, span)
        first = max(report, self._opening.start if self._opening is not None else 0)
        mentions = [mention for mention in mentions if mention.start >= first]
        ends = [end for draft in drafts for end in (draft.subject, draft.object) if end.kind == "name"]
        self._persons.update(mention.name for mention in (*mentions, *ends) if mention.type == "Person")
        for one, other in partners(drafts):
            if one in self._genders:
                self._genders.setdefault(other, "he" if self._genders[one] == "she" else "she")
        self._described = None
        if not mentions:
            opening = _OPENING.match(prose, *span) if self._rivals else None
            if opening is not None and opening["noun"] in WORDS.kind_nouns:
                self._thing = None  # "A bought B. The company makes vans. It …": which of them?
            return
        subject = mentions[0]
        leads = SUBJECT_LEAD.match(prose[report : subject.start]) is not None
        self._note_topic(prose, span, subject if leads else None, mentions)
        if subject.kind == "name" and not self._is_heading:
            self._note_subject(subject)
        if subject.kind in {PRONOUN, PLURAL}:
            if self._person is not None and subject.name != self._person.name and self._is_person(subject):
                self._person = subject._replace(kind="name")
            return
        names = [one for one in mentions if one.kind not in {*_NOT_NAMES, POSSESSIVE}]
        self._rivals = any(one.name != subject.name and not self._is_person(one) for one in names)
        if not leads or subject.kind in {*_NOT_NAMES, POSSESSIVE}:
            self._forget(mentions)
        else:
            may_be_other = any(one.name != subject.name and self._may_be_person(one) for one in names)
            self._describe(prose, subject, span[1], is_alone=not may_be_other)
            self._note_antecedent(subject, prose, mentions, drafts)

    def _note_antecedent(
        self, subject: DraftMention, prose: str, mentions: Sequence[DraftMention], drafts: Sequence[DraftTriple]
    ) -> None:
        """Note whom or what the subject of a sentence lets a pronoun stand for."""
        if subject.type is None and subject.kind == "name" and " " in subject.name and not self._is_person(subject):
            self._person = None  # "he" may be this one
        several = len(mentions) > 1 and prose[subject.end : mentions[1].start].strip() == "and"
        may_be_person = subject.type is None and subject.kind == "name" and acts_as_person(subject, drafts)
        self._thing = None if several or may_be_person or self._is_person(subject) else subject
        if self._is_person(subject) and not several:
            self._person = subject
            if subject.name not in self._genders and any(self._is_other_person(subject, one) for one in mentions):
                self._person = None  # "Ann Lee thanked Eve Stone. She …": which of them?
        if self._thing is not None and is_company(subject, mentions, drafts):
            self._nouns.update(dict.fromkeys(COMPANY, subject))
        if any(draft.predicate in _EXCHANGES for draft in drafts):
            self._thing = self._only = None
        last = subject.name.split()[-1].lower()
        if subject.name != last and subject.kind == "name":
            self._nouns.setdefault(last, subject)

    def _note_topic(
        self, prose: str, span: Span, subject: DraftMention | None, mentions: Sequence[DraftMention]
    ) -> None:
        """Note what the document is about, and whether another person may be meant by "he" since it was a subject."""
        if subject is not None and subject.kind == "name":
            words = subject.name.casefold().split()
            is_titled = any(
                title[: len(words)] == words or (len(title) > 1 and (words[0], words[-1]) == (title[0], title[-1]))
                for title in self._titles
            )
            is_title = words in self._titles and not self._is_heading
            if self._topic is None and (is_title or (is_titled and is_described(prose, (subject.end, span[1])))):
                self._topic = subject
        topic = self._topic
        if topic is None:
            return
        is_other = self._is_other_person if mentions[0].kind != POSSESSIVE else self._may_be_other_person
        others = any(is_other(topic, one) for one in mentions)
        if subject is not None and subject.name == topic.name:
            self._is_alone = not others
        elif others or (subject is not None and self._may_be_person(subject)):
            self._is_alone = False

    def _note_subject(self, subject: DraftMention) -> None:
        is_same = self._subjects == {subject.name}
        self._only = (self._only if is_same else None) if self._subjects else subject
        self._subjects.add(subject.name)

    def _forget(self, mentions: Sequence[DraftMention]) -> None:
        """Forget whom or what another name of a sentence may take the place of as what is talked about."""
        others = [one for one in mentions if one.kind not in {*_NOT_NAMES, POSSESSIVE}]
        person, thing = self._person, self._thing
        if person is not None and any(one.name != person.name and self._may_be_person(one) for one in others):
            self._person = None
        if thing is not None and any(one.name != thing.name for one in others):
            self._thing = None

    def _is_other_person(self, subject: DraftMention, other: DraftMention) -> bool:
        return other.name != subject.name and other.kind == "name" and self._is_person(other)

    def _may_be_other_person(self, subject: DraftMention, other: DraftMention) -> bool:
        return other.name != subject.name and other.kind == "name" and self._may_be_person(other)

    def _may_be_described(self, subject: DraftMention, noun: str) -> bool:
        """Whether a name without a type may be of a person, by its form and the noun that describes it."""
        is_thing = WORDS.last_word.get(noun, "Role") not in {"Role", "Person"} or noun in NO_PERSONS
        return self._may_be_person(subject) and not is_thing

    def _describe(self, prose: str, subject: DraftMention, end: int, *, is_alone: bool) -> None:
        """Note the noun of a description: after "Nimbus is a scheduler", "the scheduler" is Nimbus."""
        noun = described_noun(prose, (subject.end, end))
        if noun is None:
            return
        self._nouns[noun] = subject
        if noun in GENDERS:
            self._genders.setdefault(subject.name, GENDERS[noun])
        if subject.type is None and is_alone and self._may_be_described(subject, noun):
            self._described = subject
        if noun in WORDS.persons or WORDS.last_word.get(noun) == "Role" or noun.endswith(_OF_PERSONS):
            self._persons.add(subject.name)
