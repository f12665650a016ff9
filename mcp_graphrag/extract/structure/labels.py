"""Triples of labelled lines: "Owner: Platform Team" below a heading is about the entity of the heading."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from mcp_graphrag.english.lexicon import Cue, Lexicon, predicate_name
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import OCCURRED_ON, DraftTriple
from mcp_graphrag.extract.periods import EVENTS, period_in
from mcp_graphrag.extract.structure.cells import entities_in, items_of, triples_of_title
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.extract.structure.topics import Topic, Topics, is_meeting
from mcp_graphrag.extract.void_parts import is_taken_back
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import find_shapes
from mcp_graphrag.mentions.person_names import is_full_name, is_initial
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_header, type_of_shape
from mcp_graphrag.model import Chunk, Document

MAX_DATE_LENGTH = 60
MAX_TITLE_LENGTH = 40
MAX_SYSTEM_WORDS = 3
_DATES = frozenset({OCCURRED_ON, "due_on", "started_on", "ended_on", "created_on"})
_EVENTS = frozenset({"Incident"})
# Of an incident, and not of a sprint or a budget.
_REVIEW = re.compile(
    r"\b(?:incidents?|outages?|post-?\s?mortem|root cause|rca|retrospective|report|analysis)\b", re.IGNORECASE
)
# Labels of the id of what a document is about.
_OWN_IDS = frozenset({"incident", "incident id", "incident number", "incident no", "ticket", "ticket id", "id", "case"})
_HOLDERS = frozenset({None, "Team", "Person", "Organization"})
# Of which types the topic of a label may be; of any type for other predicates.
_TOPIC_TYPES: Mapping[str, Set[str | None]] = {
    "owns": _HOLDERS,  # an incident owns no services
    "manages": _HOLDERS,
    "leads": _HOLDERS,
    "resolved_by": {"Incident", "Ticket", "Event", "Risk"},  # "Fix: …" below another is an entry of a changelog
}
_OF_TEAMS = frozenset({"member_of", "led_by", "owns"})
# What a label states of the meeting that the document is about.
_OF_MEETINGS = frozenset({"attended_by", "missed_by", "chaired_by"})
# What a label near the start of a document without another topic states of the document.
_OF_DOCUMENTS = frozenset({"decided_by", "replaces"})
_NO_PERSONS = frozenset({"chair", "guests", "others", "observers", "everyone", "team", "all"})
_LINE = re.compile(r"^(?P<indent>[ \t]*)(?P<bullet>[-*+•][ \t]+)?(?P<said>[^\n]*)$", re.MULTILINE)
_CUES_OF_LISTS = ("attend", "present", "participant", "absent", "apologies", "regrets", "chair")
_YEAR = re.compile(r"\d{4}")
_SYSTEM = re.compile(r"[a-z0-9][-_./][A-Za-z0-9]|\w[A-Z]|\(\)")
_CHAIR = re.compile(r"\s*\((?:the )?chair(?:man|woman|person)?\)", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\([^()]{1,60}\)\Z")
_CERTAIN = frozenset({"id", "code", "snake", "camel", "dotted", "path", "call", "hyphenated"})
# Labels of what a page of a reference lists: "procedure: list-copy".
_LISTED = frozenset({"procedure", "function", "macro", "syntax", "variable", "constant", "method", "class", "command"})
_NO_PROPERTIES = WORDS.note_labels | WORDS.section_titles | WORDS.cell_values | _LISTED
_FILE = re.compile(r"[\w-]{1,80}\.[a-z]\w{0,4}")
_OF_PERSONS = ("er", "or", "ist", "lead", "head", "contact", "chief", "sponsor", "counsel", "deputy", "buddy")
_NO_NOUN_ENDS = ("ing", "ed", "ly", "s")
# Behind a value these may say that it is not so, or no longer: "Owner: Ann Lee. She has left."
_CHANGES = re.compile(
    r"\b(?:no|not|never|left|leav\w+|until|till|former\w*|previous\w*|was|were|mov(?:es?|ed|ing)|retir\w+|replac\w+|succe\w+"
    r"|took|takes?|taking|hand\w*|end\w*|stop\w*|gone|resign\w*|vacan\w+|tb[acd]|acting|interim|now|current\w*|soon|will"
    r"|old|ex|instead|wrong|outdated|from)\b|n['’]t\b",
    re.IGNORECASE,
)
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,200}@[^<>\s]{1,200}>")


NEAR_START = 600  # characters of a document among which a line may be about the document
_STATES = frozenset({"status", "severity", "priority"})
_STATE = re.compile(r"(?:\d|\.?[A-Za-z][\w.-]{1,24}(?: [a-z][\w-]{1,20}){0,2})")
_NO_STATES = frozenset(
    "tbd tba todo unknown none null n/a na yes no see ok various any all not optional required default true"  # noqa: SIM905
    " false".split()
)


class Labels:
    """The labelled lines of a document; they are about the nearest heading above them, if that names an entity."""

    def __init__(self, document: Document, usage: WordUsage, lexicon: Lexicon) -> None:
        self._topics = Topics(document, usage)
        self._usage, self._lexicon = usage, lexicon
        self._own: Topic | None = None  # what the labels of the section `_own_path` are about, by its id
        self._own_path: tuple[str, ...] = ()

    def read(self, chunk: Chunk, labels: Iterable[tuple[str, Span, Span]]) -> Iterator[Line]:
        """The labelled lines of a chunk that say something of an entity."""
        labels = list(labels)
        self._find_own_id(chunk, labels)
        for label, head, value in labels:
            found = self._read(chunk, label, head, value)
            if found is not None and not is_taken_back(chunk.text, found.span):
                yield found

    def _find_own_id(self, chunk: Chunk, labels: Sequence[tuple[str, Span, Span]]) -> None:
        """Find the id that a document gives near its start to what it is about: "Incident ID: INC-42"."""
        for label, head, value in labels:
            start, end = strip_span(chunk.text, value)
            shape = next(find_shapes(chunk.text, start, end), None)
            is_whole = shape is not None and shape.kind == "id" and (shape.start, shape.end) == (start, end)
            if label.casefold() in _OWN_IDS and is_whole and chunk.start + head[0] <= NEAR_START:
                type_ = "Incident" if "incident" in label.casefold() else type_of_shape(chunk.text[start:end], "id", "")
                self._own = Topic(DraftMention(0, 0, chunk.text[start:end], type_, "topic", 0.8))
                self._own_path = self._topics.path(chunk, head[0])
                return

    def _own_topic(self, chunk: Chunk, offset: int) -> Topic | None:
        """What has an id of its own in the section of a place."""
        return self._own if self._own is not None and self._topics.path(chunk, offset) == self._own_path else None

    def _read(self, chunk: Chunk, label: str, head: Span, value: Span) -> Line | None:
        if label.casefold() == "index" or _MESSAGE_ID.match(chunk.text, *value):
            return None  # of a patch, of a mail
        cue = self._lexicon.header(label, None)
        if cue is not None and cue.predicate in _OF_MEETINGS:
            return self._of_meeting(chunk.text, cue, value, (head[0], value[1]))
        topic = self._topics.at(chunk, head[0], of_team=cue is not None and cue.predicate in _OF_TEAMS)
        own = self._own_topic(chunk, head[0])
        if label.casefold() in _STATES:
            is_near = chunk.start + head[0] <= NEAR_START
            title = self._topics.document_title() if topic is None and is_near else None
            return self._of_state(chunk.text, own or topic or (Topic(title) if title else None), label, (head, value))
        if own is not None:
            return self._of_topic(chunk.text, own, label, (head, value))
        if cue is not None and cue.predicate == OCCURRED_ON and (topic is None or _is_titled(topic)):
            named = topic.mention if topic is not None and topic.mention.type == "Document" else None
            return self._of_document(chunk, named, (head, value))
        may_be_title = topic is None or (_is_titled(topic) and cue is not None and cue.predicate == "decided_by")
        if cue is not None and cue.predicate in _OF_DOCUMENTS and may_be_title:
            title = self._topics.document_title() if chunk.start + head[0] <= NEAR_START else None
            topic = Topic(title) if title is not None else topic
        if topic is None and cue is None and _is_of_person(label) and chunk.start + head[0] <= NEAR_START:
            title = self._topics.document_title()  # "Incident commander: Ann Lee" below the title of a report
            topic = Topic(title) if title is not None else None
        return self._of_topic(chunk.text, topic, label, (head, value)) if topic is not None else None

    def _of_state(self, text: str, topic: Topic | None, label: str, line: tuple[Span, Span]) -> Line | None:
        """How something stands, in a word or three: "Severity: SEV2"."""
        start, end = strip_span(text, line[1])
        said = text[start:end]
        is_state = _STATE.fullmatch(said) is not None and said.split()[0].casefold() not in _NO_STATES
        if topic is None or topic.mention.type == "Person" or not is_state:
            return None
        state = DraftMention(start, end, said, None, "value", 0.8)
        draft = DraftTriple(topic.mention, f"has_{label.casefold()}", state, label, "line")
        return Line([state], [draft], (line[0][0], end), {})

    def _of_topic(self, text: str, topic: Topic, label: str, spans: tuple[Span, Span]) -> Line | None:
        head, value = spans
        cue = self._lexicon.header(label, topic.mention.type)
        if cue is None:
            return self._of_property(text, topic.mention, label, spans)
        if not _fits(cue, topic.mention):
            return None
        if cue.predicate in _DATES and not (
            cue.predicate == OCCURRED_ON and self._is_event_dated(topic.mention, label)
        ):
            topic.dates[label.casefold()] = text[slice(*strip_span(text, value))][:MAX_DATE_LENGTH]
            return None
        mentions, drafts = self._triples(text, topic.mention, label, cue, value)
        return Line(mentions, drafts, (head[0], value[1]), topic.dates)

    def _is_event_dated(self, topic: DraftMention, label: str) -> bool:
        """Whether a label gives the date of an event; "Date" of a review of it is that of the review."""
        title = self._topics.document_title()
        is_of_review = label.casefold() == "date" and title is not None and _REVIEW.search(title.name) is not None
        return topic.type in _EVENTS and not is_of_review

    def _triples(
        self, text: str, topic: DraftMention, label: str, cue: Cue, value: Span
    ) -> tuple[Sequence[DraftMention], Sequence[DraftTriple]]:
        """The mentions of a labelled line, and its triples about the topic."""
        mentions, drafts = list[DraftMention](), list[DraftTriple]()
        value = _first_sentence(text, value)
        # Each item has brackets of its own.
        for part in items_of(text, value) if "(" in text[slice(*value)] else [value]:
            period = period_in(text, part)
            named = (part[0], period.span[0]) if period is not None and cue.predicate not in EVENTS else part
            found = entities_in(text, named, type_of_header(label), self._usage.people)
            said = [one for one in found if _is_name(text, one)]
            mentions += said
            drafts += triples_of_title(text, label, cue, topic, said, period)
        return mentions, [
            draft._replace(predicate=cue.date) if "date" in {draft.subject.kind, draft.object.kind} else draft
            for draft in drafts
        ]

    def system(self, chunk: Chunk, offset: int) -> DraftMention | None:
        """What a place of a chunk is about, if its name can only be that of a system or the like."""
        found = self.topic(chunk, offset)
        return found if found is not None and _is_system(found) else None

    def document_title(self) -> DraftMention | None:
        """The document by its title; None where that is no name of its own."""
        return self._topics.document_title()

    def topic(self, chunk: Chunk, offset: int) -> DraftMention | None:
        """What a place of a chunk is about."""
        found = self._topics.at(chunk, offset)
        return found.mention if found is not None else None

    def read_lists(self, chunk: Chunk) -> Iterator[Line]:
        """Who attended, by a list below a heading or a line such as "Present"."""
        cue = self._lexicon.header(chunk.headings[-1], None) if chunk.headings else None
        folded = chunk.text.casefold() if cue is None else ""
        if cue is None and not any(word in folded for word in _CUES_OF_LISTS):
            return  # sooner
        for found in _LINE.finditer(chunk.text):
            title = found["said"].strip(" *_#:")
            if found["bullet"] is None and title:
                cue = self._lexicon.header(title, None) if len(title) <= MAX_TITLE_LENGTH else None
            elif found["bullet"] is not None and not found["indent"] and cue is not None:
                if cue.predicate not in _OF_MEETINGS:
                    continue
                line = self._of_meeting(chunk.text, cue, found.span("said"), found.span())
                if line is not None:
                    yield line

    def _of_meeting(self, text: str, cue: Cue, value: Span, span: Span) -> Line | None:
        """Who attended the meeting that the document is about, and who chaired it."""
        title = self._topics.document_title()
        if title is None:
            return None
        mentions: list[DraftMention] = []
        drafts: list[DraftTriple] = []
        for item in items_of(text, value):
            for one in entities_in(text, item, "Person", self._usage.people):
                if one.type == "Person" and one.name[0].isupper() and one.name.casefold() not in _NO_PERSONS:
                    mentions.append(one)
                    drafts.append(DraftTriple(title, cue.predicate, one, cue.predicate, "label"))
                    if _CHAIR.match(text, one.end, item[1]):
                        drafts.append(DraftTriple(title, "chaired_by", one, "chair", "label"))
        return Line(mentions, drafts, span, {})

    def _of_document(self, chunk: Chunk, topic: DraftMention | None, spans: tuple[Span, Span]) -> Line | None:
        """The date that a document gives itself near its start."""
        head, value = spans
        start, end = strip_span(chunk.text, value)
        title = topic or self._topics.document_title()
        date = next(find_shapes(chunk.text, start, end), None)
        is_whole = date is not None and date.kind == "date" and (date.start, date.end) == (start, end)
        if title is None or date is None or not is_whole or chunk.start + start > NEAR_START:
            return None
        if _YEAR.search(chunk.text, start, end) is None:
            return None
        on = DraftMention(start, end, chunk.text[start:end], "Date", "date", 0.9)
        predicate = OCCURRED_ON if is_meeting(title.name) and _REVIEW.search(title.name) is None else "document_date"
        return Line([on], [DraftTriple(title, predicate, on, "date", "label")], (head[0], value[1]), {})

    def _of_property(self, text: str, topic: DraftMention, label: str, spans: tuple[Span, Span]) -> Line | None:
        """What a label states that is a noun of its own: "Source file: mod_actions.c", "Incident lead: Ana Silva"."""
        head, value = spans
        if not is_property_label(label):
            return None
        (start, end) = strip_span(text, value)
        is_of_person = _is_of_person(label)
        aside = _ASIDE.search(text, start, end) if is_of_person else None
        end = aside.start() if aside is not None else end  # "Sponsor: Ann Lee (COO)"
        found = list(entities_in(text, (start, end), None, self._usage.people))
        if is_of_person:
            found = [one._replace(type="Person") if _may_be_person(one) else one for one in found]
        if len(found) != 1 or not self._is_certain(text, found[0], (start, end)):
            return None
        if found[0].type == "Person" and not is_of_person:
            return None
        # The form of a class is that of many values.
        found = [one._replace(type=None) if one.type == "Class" else one for one in found]
        predicate = predicate_name(label.casefold().split())
        return Line(found, [DraftTriple(topic, predicate, found[0], label, "label")], (head[0], value[1]), {})

    def _is_certain(self, text: str, found: DraftMention, value: Span) -> bool:
        """Whether a value is one name and nothing else: a person, or an identifier by its form."""
        rest = text[value[0] : found.start] + text[found.end : value[1]]
        if any(map(str.isalnum, rest)):
            return False
        if found.type == "Person":
            is_known = is_full_name(found.name) or self._usage.people.full_name(found.name) is not None
            return is_known or " " in found.name
        if _FILE.fullmatch(found.name):
            return True
        shape = next(find_shapes(text, found.start, found.end), None)
        is_whole = shape is not None and (shape.start, shape.end) == (found.start, found.end)
        return found.name in self._usage.hyphenated or (is_whole and shape is not None and shape.kind in _CERTAIN)


def _first_sentence(text: str, value: Span) -> Span:
    """The value of a label without the sentences behind it: "Maintainers: Ann Lee and Bob Ray. Bob joined in 2024."."""
    start, end = strip_span(text, value)
    first = next(sentence_spans(text[start:end], is_initial), (0, 0))
    stop = start + first[1]
    is_more = start < stop < end and text[stop - 1] == "." and _CHANGES.search(text, stop, end) is None
    return (start, stop - 1) if is_more else value


def is_sure_label(label: str) -> bool:
    """Whether the words can only be the label of a value: "Severity", "Incident commander", "Incident ID"."""
    last = label.casefold().split()[-1:]
    is_of_person = type_of_header(label) == "Person" or (bool(last) and WORDS.last_word.get(last[0]) == "Role")
    return label.casefold() in _OWN_IDS | _STATES or (is_of_person and is_property_label(label))


def is_property_label(label: str) -> bool:
    """Whether a label may be a noun for a property: "Source File", but not "See also", "Note" or "Assigned"."""
    words = label.casefold().split()
    closed = WORDS.prepositions | WORDS.pronouns | WORDS.determiners | WORDS.auxiliaries | WORDS.negations
    return (
        1 <= len(words) <= 3
        and label.casefold() not in _NO_PROPERTIES
        and all(word.isalpha() and word not in closed for word in words)
        and len(words[-1]) > 2
        and (not words[-1].endswith(_NO_NOUN_ENDS) or words[-1].endswith("ss"))
        and words[0] not in WORDS.imperatives
    )


def _is_of_person(label: str) -> bool:
    """Whether a label says what a person is: "Incident commander", "Sponsor"."""
    word = label.casefold().split()[-1]
    return type_of_header(label) == "Person" or WORDS.last_word.get(word) == "Role" or word.endswith(_OF_PERSONS)


def _may_be_person(mention: DraftMention) -> bool:
    """Whether a name behind a label for a person has the form of one, though its words are in no list."""
    words = mention.name.split()
    is_plain = all(word.istitle() and word.isalpha() and not GAZETTEER.is_common(word) for word in words)
    is_group = WORDS.last_word.get(words[-1].casefold()) is not None
    return mention.type is None and len(words) in {2, 3} and is_plain and not is_group


def _is_titled(topic: Topic) -> bool:
    """Whether a topic is a document, or the title of one in several words, and so no system or incident."""
    mention = topic.mention
    return mention.type == "Document" or (mention.type is None and len(mention.name.split()) > MAX_SYSTEM_WORDS)


def _is_system(topic: DraftMention) -> bool:
    """Whether a heading can only be a name, by its type or form: "mail-api" and "ADFS", but not "Alerts"."""
    return topic.type not in {None, "Person", "Document", "Date"} or (
        " " not in topic.name and _SYSTEM.search(topic.name) is not None
    )


def _fits(cue: Cue, topic: DraftMention) -> bool:
    """Whether what the label asserts can be said of the topic."""
    return topic.type in _TOPIC_TYPES.get(cue.predicate, {topic.type})


def _is_name(text: str, entity: DraftMention) -> bool:
    """Whether the value is a name rather than the start of a sentence."""
    name = entity.name
    following = text[entity.end : entity.end + 1]
    return len(name.split()) <= 5 and (any(map(str.isupper, name)) or following in {"`", ""} or not name.isalpha())
