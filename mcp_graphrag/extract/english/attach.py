"""Attachment of cue phrases along a sentence: which mentions are the subjects and the objects of a cue."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from mcp_graphrag.extract.english.between_mentions import Gap
from mcp_graphrag.extract.english.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import (
    OCCURRED_ON,
    DraftTriple,
    is_demonym,
    is_software,
    triples_of_cue,
    with_type,
)
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import OWN_OBJECT, RELATED_TO, Cue
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.spans import Span

_NEGATED_BEFORE = re.compile(r"\b(?:neither|no|not|without|never)[ \xa0]+(?:the[ \xa0]+)?\Z", re.IGNORECASE)
_PLACE_PREDICATES = frozenset({"located_in", "born_in", "died_in", "moved_to"})
_IN_LIST, _JOINED = frozenset({"list", "comma", "repeated"}), frozenset({"and", "or"})
_INSIDE = frozenset({"in", "at"})
_LINKING = frozenset({"in", "at", "on", "of", "from", "near", "for", "with", "to", "during"})
_PARTICIPLE = re.compile(r"(?!(?:debut|premier|occurr|air|starr|start|succeed)ed\Z)\w+(?:ed|en|wn|rn)\Z")
_IS_A = re.compile(r"\b(?:is|was|are|were)\s+(?:\w+ly\s+|also\s+)?(?:an?|the|one)\b")
_OTHER_NAME = re.compile(r"(?:[^a-z]|\b(?:also\s+)?known\s+as\b|\bor\b|\bjust\b)*+")
_OWNS = re.compile(r"['’]")
_NOUN_BEHIND = re.compile(r"[ \xa0]([a-z][a-z-]{2,30})\b")
_DETERMINER_BEFORE = re.compile(r"\b(?:the|an?|its|his|her|their|our|this|that)[ \xa0]+\Z", re.IGNORECASE)
# In "the Envoy service" the name and the noun are of one thing, in "the Envoy proposal" of two.
_SAME_THING = frozenset({"Service", "Database", "Framework", "Library", "Module", "Component", "Organization", "Team"})
# Who uses a cluster of a technology uses the technology.
_OF_SOFTWARE = frozenset(
    ["uses", "depends_on", "built_with", "connects_to", "reads_from", "writes_to", "stores_data_in", "publishes_to"]
)
_BUILT_WITH = frozenset({"Technology", "Database", "Framework", "Library"})
_PREPOSITION_TO_PREDICATE = {"in": "located_in", "at": "located_in", "by": "created_by"}


@dataclass
class _Assertion:
    """A cue with its subjects and its objects so far; `tail` are mentions behind prepositions that follow them.

    `apposed` is True for a noun behind a comma: "A, owner of B"; `relative` behind "which" or "who".
    """

    subjects: list[DraftMention]
    cue: Cue
    objects: list[DraftMention]
    confidence: float
    negated: bool = False
    apposed: bool = False
    when: str | None = None
    relative: bool = False
    tail: list[DraftMention] = field(default_factory=list[DraftMention])

    def triples(self) -> Iterator[DraftTriple]:
        """All pairs of a subject and an object."""
        cue = self.cue
        dates = [mention for mention in self.tail if mention.kind == "date"]
        when = dates[0].name if dates and cue.date == OCCURRED_ON else self.when
        for subject in self.subjects[:6]:
            for object_ in self.objects[:8]:
                for draft in triples_of_cue(subject, cue, object_, self.confidence):
                    yield draft._replace(when=when)
            for object_ in () if cue.swap else self.tail[:3]:
                yield from triples_of_cue(subject, cue, object_, round(self.confidence - 0.1, 2))
        if cue.swap and dates and cue.date != OCCURRED_ON:
            # "She founded Acme in 2014": the date is about Acme.
            yield DraftTriple(with_type(self.objects[0], cue.subject), cue.date, dates[0], " ".join(cue.words), 0.5)
        if cue.predicate in _PLACE_PREDICATES:
            places = [place for place in (self.objects[-1], *self.tail) if place.kind == "name"]
            for inner, outer in combinations(places[:4], 2):
                yield DraftTriple(with_type(inner, "Location"), "located_in", with_type(outer, "Location"), "in", 0.5)


def triples_of_cues(
    prose: str, span: Span, mentions: Sequence[DraftMention], gaps: Sequence[Gap]
) -> Iterator[DraftTriple]:
    """The triples that cues assert between the mentions of one sentence; `gaps` are between neighbours."""
    clause = _Clause(prose, span, mentions)
    for gap, mention in zip(_with_lists(gaps, mentions[1:]), mentions[1:], strict=True):
        yield from clause.step(gap, mention)
    for assertion in clause.assertions:
        assertion.objects = [
            mention for mention in assertion.objects if not _modifies_noun(prose, mention, assertion.cue)
        ]
        if assertion.objects and not assertion.negated:
            yield from assertion.triples()


def _with_lists(gaps: Sequence[Gap], mentions: Sequence[DraftMention]) -> list[Gap]:
    """The gaps with repeated prepositions read as parts of a list ("on A and on B", "to A, to B and to C") or not.

    `mentions` are those behind the gaps.
    """
    found: list[Gap] = []
    for index, (gap, mention) in enumerate(zip(gaps, mentions, strict=True)):
        if gap.link != "repeated":
            found.append(gap)
            continue
        joined = not _JOINED.isdisjoint(gap.before)
        first = next((other for other in reversed(gaps[:index]) if other.link not in _IN_LIST), Gap("none"))
        last = next((other for other in gaps[index:] if not _JOINED.isdisjoint(other.before)), Gap("none"))
        closed = last.link == "list" or (last.link == "repeated" and last.verb == gap.verb)
        if closed and _ends_in(first, gap.verb) and mention.kind != "date":
            found.append(replace(gap, link="list", verb=""))
        else:
            found.append(Gap("none") if joined else replace(gap, link="preposition"))
    return found


def _ends_in(gap: Gap, preposition: str) -> bool:
    """Whether the words between two mentions end in that preposition."""
    return (gap.cue.words[-1] if gap.cue is not None else gap.verb.rpartition(" ")[2]) == preposition


def _modifies_noun(prose: str, mention: DraftMention, cue: Cue) -> bool:
    """Whether the object is not the name but the noun behind it: "the Envoy proposal", but not "the Envoy service"."""
    noun = _NOUN_BEHIND.match(prose, mention.end)
    if mention.kind == "date" or noun is None or not _is_noun(noun[1]) or cue.predicate == "is_a":
        return False
    if (
        "Location" in {cue.object, mention.type}
        or cue.predicate == "located_in"
        or is_demonym(mention.name)
        or WORDS.last_word.get(noun[1]) in _SAME_THING
    ):
        return False
    if mention.type in _BUILT_WITH and cue.predicate in _OF_SOFTWARE:
        return False
    return _DETERMINER_BEFORE.search(prose, max(mention.start - 8, 0), mention.start) is not None


def _is_kind_of(noun: str, mention: DraftMention) -> bool:
    """Whether the noun behind a name says what the name is: "the Envoy service", but not "the Auth Service team"."""
    kind = WORDS.last_word.get(noun)
    fits = mention.type in {None, kind} or (is_software(mention) and kind not in {"Organization", "Team"})
    return kind in _SAME_THING and fits


def _is_noun(word: str) -> bool:
    closed = WORDS.stop | WORDS.prepositions | WORDS.auxiliaries | WORDS.negations | WORDS.boundaries
    return word not in closed and not WORDS.is_adverb(word) and not word.endswith(("ed", "ing", "self", "selves"))


def opens_with_adjunct(prose: str, span: Span, first: DraftMention) -> bool:
    """Whether the sentence starts with a preposition and the first mention: "At Acme, Ann leads …"."""
    lead = prose[span[0] : first.start].split()
    return bool(lead) and lead[0].lower() in WORDS.openers


class _Clause:
    """The state of a clause while its mentions are read.

    `_main` are its subjects and `_last` the mentions of the last list, either of which the next cue may be about.
    `_open` is the assertion that the next mention may be an object of.
    """

    def __init__(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> None:
        first = mentions[0]
        self._prose = prose
        self.assertions: list[_Assertion] = []
        self._adjunct = opens_with_adjunct(prose, span, first)
        self._when = first.name if first.kind == "date" and first.start - span[0] < 12 else None
        self._begin(first)
        self._denied = _NEGATED_BEFORE.search(prose, span[0], first.start) is not None
        # "The outage in X was caused by …" is about the outage, and only perhaps about X.
        lead = [word for word in prose[span[0] : first.start].lower().split() if word not in WORDS.articles]
        self._indirect = not self._adjunct and len(lead) > 1 and lead[-1] in WORDS.prepositions

    def _begin(self, mention: DraftMention) -> None:
        self._main = [mention]
        self._last = [mention]
        self._open: _Assertion | None = None
        self._chained = self._listed = self._denied = self._indirect = False
        self._hops = 0
        self._previous_gap = Gap("none")

    def step(self, gap: Gap, mention: DraftMention) -> Iterator[DraftTriple]:
        """Read the next mention; the triples that no cue asserts are returned at once."""
        previous = self._last[-1]
        in_list = gap.link in {"list", "comma"}
        if mention.kind == PRONOUN or (self._adjunct and in_list):
            self._begin(mention)
            self._adjunct = False
        elif gap.link == "boundary":
            self._begin(mention)
        elif in_list:
            self._join(gap, mention)
        elif gap.link == "cue" and gap.cue is not None:
            self._assert(gap, gap.cue, mention)
        elif gap.link == "preposition":
            self._carry(gap, mention)
        elif gap.link == "noun":
            yield from self._without_cue(gap, mention)
            self._replace(previous, mention)
        else:
            if gap.cue is not None and not _OWNS.match(self._prose, mention.end):  # a possessive
                self.assertions.append(_Assertion([mention], gap.cue, [previous], gap.cue.confidence))
            yield from self._without_cue(gap, mention)
            self._open = None
            self._last = [mention]
            self._chained = self._chained or gap.link == "none"
        self._previous_gap = gap

    def _without_cue(self, gap: Gap, mention: DraftMention) -> Iterator[DraftTriple]:
        """The triples of a noun phrase or of a verb that the lexicon does not have."""
        subjects = self._last[-1:]
        if gap.link == "phrase":  # counts behind an "is a": "Munch was a Norwegian …"
            opened = self._open
            described = opened is not None and opened.cue.predicate == "is_a" and not opened.negated
            subjects = self._main if described else []
        elif gap.link == "verb":
            continued = gap.before[0] in {"and", ",", "then"} or self._previous_gap.link == "preposition"
            subjects = (self._main if continued else self._last)[:4]
        if gap.verb and (gap.link == "apposition" or not self._denied):
            for subject in subjects:
                if "date" not in {subject.kind, mention.kind} and (gap.link == "noun" or subject.name != mention.name):
                    yield _by_words(subject, gap, mention)

    def _replace(self, adjective: DraftMention, mention: DraftMention) -> None:
        """Put the name in place of its adjective: "the Norwegian painter Munch"."""
        for group in (self._main, self._last, self._open.objects if self._open is not None else []):
            if group and group[-1] is adjective:
                group[-1] = mention

    def _join(self, gap: Gap, mention: DraftMention) -> None:
        """Add the mention to a list: of the objects of the open assertion, or of subjects."""
        if mention.kind == "role" and "and" not in gap.before:
            self._last, self._hops = [mention], 1
            return
        if self._open is not None and self._open.apposed and (gap.link == "comma" or "," in gap.before):
            self._open = None
            self._main = [*self._main, mention] if gap.link == "list" else self._main
            self._last = self._main
            return
        if self._open is not None and self._open.relative and gap.before[:2] == [",", "and"] and not self._listed:
            # "directed A, which won B, and C": C is no object of the relative clause.
            self._open = replace(self._open, objects=list(self._open.objects), tail=[])
        previous = self._last[-1]
        continues = gap.link == "list" or self._listed or self._open is not None
        self._last = [*self._last, mention] if continues else [mention]
        self._listed = True
        if self._open is not None:
            is_date = mention.kind == "date" and self._open.objects[-1].kind != "date"
            (self._open.tail if is_date else self._open.objects).append(mention)
        elif self._main[-1] is previous:
            self._main.append(mention)
        elif not self._chained and self._hops == 0:
            self._main = list(self._last)

    def _carry(self, gap: Gap, mention: DraftMention) -> None:
        """Read a mention behind a preposition: it belongs to an assertion that carries on to it; others end."""
        self._hops += 1
        self._listed = False
        assertion = self._open
        linked = self._hops <= 2 and gap.verb in _LINKING
        if assertion is not None and gap.verb == "of":  # "the Bears of the Big League", but "Springfield of Oregon"
            linked = linked and assertion.cue.object == "Location"
        carries = assertion is not None and assertion.cue.carries
        if carries and assertion and assertion.cue.predicate in _PLACE_PREDICATES:
            carries = gap.verb in _INSIDE  # "born in Graz to Ann Lee"
        if assertion is not None and linked and (carries or mention.kind == "date"):
            assertion.tail.append(mention)
        else:
            self._open = None
        self._last = [mention]

    def _assert(self, gap: Gap, cue: Cue, mention: DraftMention) -> None:
        subjects = self._subjects(gap, cue)
        indirect = self._indirect and subjects == self._main
        doubtful = gap.loose or indirect
        # "The Envoy proposal was written by", "the last flight of Acme took place on"
        other = gap.loose and self._last[-1] in subjects and _has_noun(gap.before, self._last[-1])
        no_data = OWN_OBJECT in cue.words and not any(is_software(end) for end in (*subjects, mention))
        if other or no_data or (doubtful and cue.predicate == OCCURRED_ON):
            self._open, self._last = None, [mention]
            return
        if cue.predicate == "is_a":
            cue = self._qualifying(cue, mention)
        if indirect and cue.words[0] in WORDS.copulas:
            subjects = []  # "The wife of A was the painter B"
        assertion = _Assertion(
            subjects,
            cue,
            [mention],
            min(cue.confidence, 0.4) if doubtful else cue.confidence,
            negated=gap.negated or self._denied,
            apposed=cue.form == "noun" and gap.before[:1] == [","],
            when=self._when,
            relative=not WORDS.relatives.isdisjoint(gap.before),
        )
        self.assertions.append(assertion)
        self._open, self._last, self._hops, self._listed = assertion, [mention], 0, False

    def _qualifying(self, cue: Cue, mention: DraftMention) -> Cue:
        """The cue "is a", or another where the name only qualifies a noun: "is a Redis cluster" means uses Redis."""
        noun = _NOUN_BEHIND.match(self._prose, mention.end)
        if noun is None or noun[1] in WORDS.stop or noun[1] in WORDS.prepositions or is_demonym(mention.name):
            return cue
        predicate = "uses" if mention.type in _BUILT_WITH else RELATED_TO
        return replace(cue, words=(*cue.words, OWN_OBJECT, noun[1]), predicate=predicate)

    def _subjects(self, gap: Gap, cue: Cue) -> list[DraftMention]:
        """The subjects of a cue: the nearest mention behind "which" and before "owned by", else those of the clause."""
        opened = self._open
        if cue.form == "owned":
            return self._owners(gap)
        if not WORDS.relatives.isdisjoint(gap.before) or (opened is None and not self._chained and self._hops == 0):
            chosen = self._last
        elif (
            not gap.before and opened is not None and self._opens_clause(opened) and cue.form in {"verb", "participle"}
        ):
            # "A calls B and C calls D", "A met B and his wife C met D": C opens a clause of its own.
            if len(opened.objects) > 1 and opened.objects[-1] is self._last[-1]:
                opened.objects.pop()
            chosen = self._main = [self._last[-1]]
        elif not gap.before and cue.form not in {"verb", "participle"}:
            chosen = self._last[-1:]
        elif list(gap.before) == [","] and _is_reduced_relative(cue):
            chosen = self._described(cue)
        elif gap.before[:1] == [","] and cue.form == "noun":
            of_person = cue.subject == "Person" and opened is not None and opened.cue.carries
            chosen = self._main if of_person else self._last[-1:]
        else:
            chosen = self._main
        if any(mention.kind == "date" for mention in chosen):
            return [mention for mention in chosen if mention.kind != "date"] or self._main
        return chosen

    def _opens_clause(self, opened: _Assertion) -> bool:
        """Whether the last mention may be the subject of a clause of its own: it ends a list, or has an owner."""
        return self._listed or opened.cue.form == "owned"

    def _owners(self, gap: Gap) -> list[DraftMention]:
        """What a possessive stands for: the name in front of it; none where that may be a thing that "he" is not."""
        last, opened = self._last[-1], self._open
        if last.kind == "date":
            return self._main
        if (
            opened is not None
            and opened.cue.form in {"verb", "participle"}
            and not {"his", "her"}.isdisjoint(gap.before)
        ):
            is_person = (last.type or (opened.cue.subject if opened.cue.swap else opened.cue.object)) == "Person"
            return [last] if is_person or last is self._main[-1] else []
        return [last]

    def _described(self, cue: Cue) -> list[DraftMention]:
        """The subject of a reduced relative: the object of a verb in front of it, or of "is a" the subject; else none.

        "Ann wrote Ferns, published in 1849", "Ferns is a book by Ann, published in 1849".
        """
        last, opened = self._last[-1], self._open
        if last is self._main[-1]:
            return [last]
        expected = opened.cue.object if opened is not None and not opened.cue.swap else None
        types = {last.type or expected, cue.subject} - {None}
        active = opened is not None and opened.cue.form in {"verb", "participle"}
        if opened is not None and active and not opened.cue.words[0].endswith("ing"):
            linked = self._hops == 0 and self._previous_gap.link in {"cue", "list", "comma", "noun"}
            return [last] if linked and last.kind != "date" and len(types) < 2 else []
        of_person = opened is not None and (opened.cue.form == "noun" or expected == "Person")
        between_persons = cue.subject == "Person" and of_person and last.type in {None, "Person"}
        between = self._prose[self._main[-1].end : last.start]
        series = opened is not None and opened.cue.form == cue.form == "passive"
        is_main = series or (not between_persons and _IS_A.search(between) is not None)
        return self._main if is_main or _OTHER_NAME.fullmatch(between) is not None else []


def _is_reduced_relative(cue: Cue) -> bool:
    """Whether the cue is a participle that is no past tense: "born in", "founded by"."""
    return cue.form == "passive" or (cue.form == "phrase" and _PARTICIPLE.match(cue.words[0]) is not None)


def _has_noun(words: Sequence[str], mention: DraftMention) -> bool:
    """Whether the words behind a name start with a noun that it modifies: "proposal was", but not "greets and"."""
    noun = words[0]
    may_be_verb = noun.endswith("s") and WORDS.auxiliaries.isdisjoint(words[1:2])
    return noun.isalpha() and _is_noun(noun) and not _is_kind_of(noun, mention) and not may_be_verb


def _by_words(a: DraftMention, gap: Gap, b: DraftMention) -> DraftTriple:
    """The triple of two mentions with other words than a cue between them."""
    last = gap.verb.rsplit(maxsplit=1)[-1]
    if gap.link == "verb":
        return DraftTriple(a, RELATED_TO, b, gap.verb, 0.4)
    if gap.link != "noun":  # "Ada, an engine by Acme" and "Acme's engine Ada"
        predicate = _PREPOSITION_TO_PREDICATE.get(last, RELATED_TO)
        return DraftTriple(a, predicate, b, gap.verb, 0.4 if gap.verb == "'s" else 0.5)
    if is_demonym(a.name):  # "Norwegian painter Munch"
        return DraftTriple(b, "nationality", a, gap.verb, 0.5)
    if WORDS.last_word.get(last) == "Role":  # "Acme engineer Ann Lee"
        return DraftTriple(with_type(b, "Person"), "affiliated_with", a, gap.verb, 0.6)
    return DraftTriple(b, RELATED_TO, a, gap.verb, 0.4)
