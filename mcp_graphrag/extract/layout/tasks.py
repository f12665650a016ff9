"""Action items: who has something to do, on which system or ticket, and by when."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.mentions.find_mentions import DraftMention, shapes_of
from mcp_graphrag.mentions.identifiers import find_shapes
from mcp_graphrag.mentions.known_names import KNOWN
from mcp_graphrag.mentions.person_names import is_full_name, is_given_name
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_shape
from mcp_graphrag.model import Chunk

HAS_TASK = "has_task_on"  # of an open item
WORKED = "worked_on"  # of one that is done
MAX_TASK_LENGTH = 160
ACTIONS = re.compile(
    r"(?:agreed |open |new )?(?:action(?:s|[ -](?:items?|points?))?|next steps?|follow[ -]?ups?|to[ -]?dos?|tasks|ais?)"
    r"(?: (?:agreed|assigned|items|actions))?",
    re.IGNORECASE,
)
# A text with none of these in any case has no action items.
_CUES = ("action", "next step", "follow", "todo", "to do", "to-do", "task", "[] ", "[ ] ", "[x] ")
_AI = re.compile(r"ai(?<!\wai)s?\b")
_ITEM = re.compile(
    r"^(?P<indent>[ \t]*)(?P<bullet>(?:[-*+•]|\d{1,2}[.)])[ \t]+)?(?P<box>\[[ xX]?\][ \t]+)?"
    r"(?P<label>[*_]{0,2}(?:action(?: item)?|ai|to-?do|next step|follow-?up)[*_]{0,2}:[*_]{0,2}[ \t]+)?"
    r"(?P<said>\S[^\n]*)$",
    re.MULTILINE | re.IGNORECASE,
)
_NAME = r"(?P<name>[^\W\d_a-z][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}?)"
_ASSIGNED = re.compile(
    rf"@?[*_]{{0,2}}{_NAME}[*_]{{0,2}}"
    r"(?::[*_]{0,2}[ \t]+|[ \t]+(?:→|->|—|–|-)[ \t]+(?=[a-z])|[ \t]+(?:to|will)[ \t]+(?=[a-z])"
    r"|[ \t]+(?=(?!(?:is|was|has|does|says|thinks|wants|needs|asks)\b)[a-z]{2,}s\b))"
)
_BEHIND = re.compile(
    rf"(?:[ \t]+(?:—|–|-|→|->)[ \t]+|[ \t]+\((?:owner:? )?)@?{_NAME}(?=\)|,|;|[ \t]*$|[ \t]*\()[^\n]{{0,40}}$"
)
_DUE = re.compile(r"\b(?:by|due(?: on| by)?|until|before|deadline:?)[ \t]+(?:the[ \t]+)?", re.IGNORECASE)
_DONE = re.compile(r"\[[xX]\]|\b(?:done|completed|finished)\b", re.IGNORECASE)
_DROPPED = re.compile(r"~~|\b(?:not done|dropped|cancelled|canceled|not finished|not completed)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:not|nothing|no longer|if|whether|maybe|might|possibly|consider)\b|\?\s*$", re.IGNORECASE)
# What is said to others is on no system.
_TALKS = re.compile(
    r"\W*(?:ask|book|call|check with|contact|discuss|email|inform|invite|mail|meet|message|notify|ping|remind|schedule"
    r"|speak|talk|tell|thank)\b",
    re.IGNORECASE,
)
_OF_SYSTEMS = frozenset({"hyphenated", "hyphenated name", "snake", "camel", "dotted", "call", "path", "code", KNOWN})
_NOT_SYSTEMS = frozenset({"Person", "Team", "Organization", "Location", "Role", "Date", "Document"})


class Task(NamedTuple):
    """Who is to do something, and the spans of the name and of what is to be done."""

    person: DraftMention
    said: Span


def task_lines(chunk: Chunk, usage: WordUsage) -> Iterator[Line]:
    """The action items of a chunk that have one assignee, and a ticket or a system, open or done but not dropped."""
    for task, span in assigned_items(chunk, usage):
        item = chunk.text[slice(*span)]
        if _DROPPED.search(item) is None:
            line = task_line(chunk.text, task, span, usage)
            if line is not None and _DONE.search(item) is None:
                yield line
            elif line is not None:
                done = [draft for draft in line.drafts if draft.predicate == HAS_TASK]
                yield line._replace(drafts=[draft._replace(predicate=WORKED) for draft in done])


def assigned_items(chunk: Chunk, usage: WordUsage) -> Iterator[tuple[Task, Span]]:
    """The action items of a chunk that have one assignee, with the spans of their lines, done or not."""
    listed = bool(chunk.headings) and ACTIONS.fullmatch(chunk.headings[-1].strip(" :")) is not None
    folded = chunk.text.casefold()
    if not listed and not any(cue in folded for cue in _CUES) and _AI.search(folded) is None:
        return  # sooner
    for item in _ITEM.finditer(chunk.text):
        said = item["said"].strip(" *_:#")
        if item["bullet"] is None and item["label"] is None:
            listed = ACTIONS.fullmatch(said) is not None if said else listed
        elif listed or item["box"] or item["label"]:
            task = _assigned(chunk.text, item.span("said"), usage)
            if task is not None:
                yield task, item.span()


def task_line(text: str, task: Task, span: Span, usage: WordUsage) -> Line | None:
    """What an action item states; None if it is on no ticket or system."""
    said = text[slice(*task.said)]
    if _DENIED.search(said):
        return None
    drafts = list(_triples(text, task, usage))
    metadata = {"task": " ".join(said.split())[:MAX_TASK_LENGTH]} | _due(text, task.said)
    return Line([task.person, *_named(drafts, task.person)], drafts, span, metadata) if drafts else None


def person_at(text: str, span: Span, usage: WordUsage) -> DraftMention | None:
    """The person whose name, full or given, is exactly this part of a text."""
    said = " ".join(text[slice(*span)].split())
    name = usage.people.full_name(said) or said
    is_person = is_full_name(name) or usage.known_type(name) == "Person" or is_given_name(name)
    return DraftMention(*span, name, "Person", "name", 0.9) if is_person else None


def _assigned(text: str, span: Span, usage: WordUsage) -> Task | None:
    front = _ASSIGNED.match(text, *span)
    if front is not None:
        person = person_at(text, front.span("name"), usage)
        return Task(person, (front.end(), span[1])) if person is not None else None
    behind = _BEHIND.search(text, *span)
    person = person_at(text, behind.span("name"), usage) if behind is not None else None
    return Task(person, (span[0], behind.start())) if person is not None and behind is not None else None


def _triples(text: str, task: Task, usage: WordUsage) -> Iterator[DraftTriple]:
    """Who has the ticket; without a ticket, the first system that the task names."""
    start, end = task.said
    shapes = shapes_of(text[start:end], usage)
    tickets = [shape for shape in shapes if shape.kind == "id"]
    for shape in tickets:
        ticket = _mention(text, (start + shape.start, start + shape.end), "id", usage)
        yield DraftTriple(ticket, "assigned_to", task.person, "action", "line")
    systems = [
        one
        for shape in shapes
        if shape.kind in _OF_SYSTEMS
        and (one := _mention(text, (start + shape.start, start + shape.end), shape.kind, usage)).type
        not in _NOT_SYSTEMS
    ]
    if systems and not tickets and _TALKS.match(text, start, end) is None:
        yield DraftTriple(task.person, HAS_TASK, systems[0], "action", "line")


def _mention(text: str, span: Span, kind: str, usage: WordUsage) -> DraftMention:
    name = text[slice(*span)]
    return DraftMention(*span, name, usage.known_type(name) or type_of_shape(name, kind, ""), kind, 0.9)


def _named(drafts: Sequence[DraftTriple], person: DraftMention) -> Iterator[DraftMention]:
    return (end for draft in drafts for end in (draft.subject, draft.object) if end != person)


def _due(text: str, span: Span) -> dict[str, str]:
    for lead in _DUE.finditer(text, *span):
        date = next((one for one in find_shapes(text, lead.end(), span[1]) if one.kind == "date"), None)
        if date is not None and date.start == lead.end():
            return {"due": text[date.start : date.end]}
    return {}
