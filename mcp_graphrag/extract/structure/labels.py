"""Triples of labelled lines: "Owner: Platform Team" below a heading is about the entity of the heading."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from mcp_graphrag.english.lexicon import Cue, Lexicon, predicate_name
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.english.values import read_value
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import OCCURRED_ON, DraftTriple, Line
from mcp_graphrag.extract.periods import EVENTS, period_in
from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.extract.structure.cells import bare_span, entities_in, items_of, triples_of_title
from mcp_graphrag.extract.structure.topics import BULLETS, Topic, Topics
from mcp_graphrag.extract.void_parts import is_taken_back
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_initial
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_header
from mcp_graphrag.model import CandidateValue, Chunk, Document

MAX_DATE_LENGTH = 60
MAX_TITLE_LENGTH = 40
MAX_SYSTEM_WORDS = 3
_DATES = frozenset({OCCURRED_ON, "due_on", "started_on", "ended_on", "created_on"})
_HOLDERS = frozenset({None, "Team", "Person", "Organization"})
# Of which types the topic of a label may be; of any type for other predicates.
_TOPIC_TYPES: Mapping[str, Set[str | None]] = {
    "owns": _HOLDERS,  # an incident owns no services
    "manages": _HOLDERS,
    "leads": _HOLDERS,
    "chaired_by": {"Organization", "Team"},
    **dict.fromkeys(("attended_by", "missed_by"), frozenset[str | None]()),
    "resolved_by": {"Incident", "Ticket", "Event", "Risk"},  # "Fix: …" below another is an entry of a changelog
}
_OF_MEETINGS = frozenset({"attended_by", "missed_by", "chaired_by"})  # what a label states of a meeting
_NO_PERSONS = frozenset({"chair", "guests", "others", "observers", "everyone", "team", "all"})
_CUES_OF_LISTS = ("attend", "present", "participant", "absent", "apologies", "regrets", "chair")
# Labels of what a page of a reference lists: "procedure: list-copy".
_LISTED = frozenset({"procedure", "function", "macro", "syntax", "variable", "constant", "method", "class", "command"})
_NO_PROPERTIES = WORDS.note_labels | WORDS.section_titles | WORDS.cell_values | _LISTED | {"index"}
_NO_NOUN_ENDS = ("ing", "ed", "ly", "s")


class Labels:
    """The labelled lines of a document; they are about the nearest heading above them, if that names an entity."""

    def __init__(self, document: Document, usage: WordUsage, lexicon: Lexicon) -> None:
        self._topics = Topics(document, usage)
        self._usage, self._lexicon = usage, lexicon

    def read(self, chunk: Chunk, labels: Iterable[tuple[str, Span, Span]]) -> Iterator[Line]:
        """The labelled lines of a chunk that say something of an entity."""
        for label, head, value in labels:
            found = self._read(chunk, label, head, value)
            if found is not None and not is_taken_back(chunk.text, found.span):
                yield found

    def _read(self, chunk: Chunk, label: str, head: Span, value: Span) -> Line | None:
        cue = self._lexicon.header(label, None)
        found = self._of_meeting(chunk, cue, value, (head[0], value[1]))
        if found is not None:
            return found
        topic = self._topics.at(chunk, head[0])
        if cue is not None and cue.predicate == OCCURRED_ON and (topic is None or _is_titled(topic)):
            return None  # of the document itself
        return self._of_topic(chunk.text, topic, label, (head, value)) if topic is not None else None

    def _of_topic(self, text: str, topic: Topic, label: str, spans: tuple[Span, Span]) -> Line | None:
        head, value = spans
        cue = self._lexicon.header(label, topic.mention.type)
        start, end = strip_span(text, value)
        ends = [stop for _, stop in sentence_spans(text[start:end], is_initial)]
        if any(text[start + stop - 1] == "." for stop in ends[:-1]):
            return None  # "Owner: Ann Lee. She has left."
        if cue is None:
            return _of_value(text, topic.mention, label, spans)
        if topic.mention.type not in _TOPIC_TYPES.get(cue.predicate, {topic.mention.type}):
            return None
        if cue.predicate in _DATES and not (cue.predicate == OCCURRED_ON and topic.mention.type == "Incident"):
            topic.dates[label.casefold()] = text[start:end][:MAX_DATE_LENGTH]
            return None
        mentions, drafts = self._triples(text, topic.mention, label, cue, value)
        return Line(mentions, drafts, (head[0], value[1]), topic.dates)

    def _triples(
        self, text: str, topic: DraftMention, label: str, cue: Cue, value: Span
    ) -> tuple[Sequence[DraftMention], Sequence[DraftTriple]]:
        """The mentions of a labelled line, and its triples about the topic."""
        mentions, drafts = list[DraftMention](), list[DraftTriple]()
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

    def read_lists(self, chunk: Chunk) -> Iterator[Line]:
        """Who attended, by a list below a heading or a line such as "Present"."""
        cue = self._lexicon.header(chunk.headings[-1], None) if chunk.headings else None
        folded = chunk.text.casefold() if cue is None else ""
        if cue is None and not any(word in folded for word in _CUES_OF_LISTS):
            return  # sooner
        start = 0
        for line in chunk.text.split("\n"):
            title = line.strip(" *_#:")
            if title and not line.lstrip().startswith(BULLETS):
                cue = self._lexicon.header(title, None) if len(title) <= MAX_TITLE_LENGTH else None
            elif line.startswith(BULLETS):
                span = (start, start + len(line))
                found = self._of_meeting(chunk, cue, (start + 2, span[1]), span)
                yield from [found] if found is not None else []
            start += len(line) + 1

    def _of_meeting(self, chunk: Chunk, cue: Cue | None, value: Span, span: Span) -> Line | None:
        """Who attended the meeting that the lines are of, and who chaired it."""
        if cue is None or cue.predicate not in _OF_MEETINGS or (title := self._topics.meeting(chunk, span[0])) is None:
            return None
        mentions, drafts = list[DraftMention](), list[DraftTriple]()
        for item in items_of(chunk.text, value):
            for one in entities_in(chunk.text, item, "Person", self._usage.people):
                if one.type == "Person" and one.name[0].isupper() and one.name.casefold() not in _NO_PERSONS:
                    mentions.append(one)
                    drafts.append(DraftTriple(title, cue.predicate, one, cue.predicate, "label"))
                    if chunk.text[one.end : item[1]].strip().lower() in {"(chair)", "(the chair)", "(chairperson)"}:
                        drafts.append(DraftTriple(title, "chaired_by", one, "chair", "label"))
        return Line(mentions, drafts, span, {})


def _of_value(text: str, topic: DraftMention, label: str, spans: tuple[Span, Span]) -> Line | None:
    """The number or date that a label says of the topic."""
    head, value = spans
    start, end = bare_span(text, value)
    predicate, said = predicate_name(label.casefold().split()), text[start:end]
    number, _, moment = read_value(said)
    if not is_property_label(label) or (number is None and moment is None):
        return None
    stated = CandidateValue(topic.name, predicate, said, start, end, topic.type, label, confidence_of("label"))
    return Line([], [], (head[0], value[1]), {}, [stated])


def is_sure_label(label: str) -> bool:
    """Whether the words can only be the label of a person: "Incident commander"."""
    last = label.casefold().split()[-1:]
    is_of_person = type_of_header(label) == "Person" or (bool(last) and WORDS.last_word.get(last[0]) == "Role")
    return is_of_person and is_property_label(label)


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


def _is_titled(topic: Topic) -> bool:
    """Whether a topic is a document, or the title of one in several words, and so no system or incident."""
    mention = topic.mention
    return mention.type == "Document" or (mention.type is None and len(mention.name.split()) > MAX_SYSTEM_WORDS)


def _is_name(text: str, entity: DraftMention) -> bool:
    """Whether the value is a name rather than the start of a sentence."""
    name = entity.name
    following = text[entity.end : entity.end + 1]
    return len(name.split()) <= 5 and (any(map(str.isupper, name)) or following in {"`", ""} or not name.isalpha())
