"""What a client found in a chunk, item by item: what the chunk bears out, and what it does not, with the reason."""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from mcp_graphrag.clean_input import MAX_NAME, MAX_PREDICATE, clean_line
from mcp_graphrag.edit.find_quote import find_quote, nearest_name, nearest_sentence
from mcp_graphrag.edit.findings_lines import Dropped, EntityFound, Findings, line_of, triple_in_words
from mcp_graphrag.edit.normalize_candidates import normalize_predicates, placeholders_of, with_event_date
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.model import Candidate, Entity, Extraction, Mention, StoredChunk
from mcp_graphrag.ontology.map_predicates import asserted_of, canonical_predicate, canonical_type, denial_of, misfit
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_MENTIONS = 50  # of one entity in a chunk
NOT_QUOTED = "quote not in the chunk"
NOT_NAMED = "an end is not named in the document"
MIN_NEAR = 0.6  # of a predicate to a known one


@dataclass
class CheckedFindings:
    """What is to be stored of the findings in a chunk, in the vocabulary of the ontology, and what is not."""

    citation: str
    extraction: Extraction
    dropped: list[Dropped] = field(default_factory=list[Dropped])


@dataclass(frozen=True)
class Around:
    """What findings may refer to besides a chunk.

    The text of its document, entities by "#" and their id, and the normal forms of names that the graph knows.
    """

    document: Callable[[], str] = lambda: ""
    known: Collection[str] = ()
    numbered: Mapping[str, Entity] = field(default_factory=dict[str, Entity])


def check_findings(
    chunk: StoredChunk, found: Findings, ontology: Ontology, around: Around, *, strict: bool
) -> CheckedFindings:
    """The items that the chunk bears out. With `strict`, those outside the ontology are dropped too.

    The chunk must have the quote of a triple. Its ends must be named among the entities, in the chunk, or in the
    document, its title and headings included; one of them may be known to the graph instead.
    """
    return _Check(chunk, found.citation, ontology, around, strict=strict).of(found)


class _Check:
    """The check of one chunk's findings."""

    def __init__(self, chunk: StoredChunk, citation: str, ontology: Ontology, around: Around, *, strict: bool) -> None:
        self._chunk, self._citation, self._ontology, self._strict = chunk, citation, ontology, strict
        self._headings = "\n".join([chunk.document.title, *chunk.headings, chunk.context])
        self._around = around
        self._aliases: dict[str, Sequence[str]] = {}  # of the entities that were given by number
        self._named: dict[str, Named] = {}  # the entities by their name as given and by its normal form
        self._mentions: list[Mention] = []
        self._dropped: list[Dropped] = []
        self._line = 0

    def of(self, found: Findings) -> CheckedFindings:
        lines = found.lines or [0] * (len(found.entities) + len(found.triples))
        for self._line, entity in zip(lines, found.entities, strict=False):
            self._add(entity)
        given = [self._by_name(each) for each in found.triples]
        unnamed = placeholders_of(given)
        triples: list[Candidate] = []
        for position, (self._line, each) in enumerate(zip(lines[len(found.entities) :], given, strict=True)):
            if position in unnamed:
                self._drop(triple_in_words(each), "an end names nothing", unnamed[position])
            else:
                triples += self._triple(each)
        reasons = Counter(each.reason for each in self._dropped)
        return CheckedFindings(self._citation, Extraction(self._mentions, triples, dict(reasons)), self._dropped)

    def _by_name(self, given: Candidate) -> Candidate:
        """The triple with the names and types of entities that it gives by number."""
        fields: dict[str, Any] = {}
        for end in ("subject", "object"):
            entity = self._around.numbered.get(getattr(given, end).strip())
            if entity is not None:
                self._aliases[entity.name] = entity.aliases
                fields |= {end: entity.name, f"{end}_type": entity.type or getattr(given, f"{end}_type")}
        return replace(given, **fields) if fields else given

    def _add(self, entity: EntityFound) -> None:
        """Take an entity with its mentions; one that only its document names has none."""
        try:
            name = clean_line(entity.name, "name", limit=MAX_NAME)
            type_ = clean_line(entity.type, "type", limit=MAX_PREDICATE) if entity.type.strip() else None
        except BadInput as error:
            self._drop(entity.name, "invalid name or type", str(error))
            return
        text = self._chunk.text
        spans = self._spans(name) or (spans_of(entity.text, text) if entity.text else [])
        if is_placeholder(name):
            self._drop(name, "names nothing")
        elif type_ and self._strict and type_key(type_) not in self._ontology.types:
            self._drop(f"{name} ({type_})", "type outside the ontology", "Use a type of the vocabulary.")
        elif not spans and not self._is_named_around(name):
            near = nearest_name(name, text)
            hint = f"The chunk has '{near}'." if near else "Give as text the words that the chunk has for it."
            self._drop(name, "name not in the chunk", hint)
        else:
            self._take(self._as_given(name, type_), spans)

    def _spans(self, name: str) -> list[tuple[int, int]]:
        """Where the chunk has a name, or another name of an entity that was given by number."""
        names = (name, *self._aliases.get(name, ()))
        return [span for each in names for span in spans_of(each, self._chunk.text)]

    def _is_named_around(self, name: str) -> bool:
        """Whether the title, a heading or another part of the document has a name."""
        around = f"{self._headings}\n{self._around.document()}"
        return any(spans_of(each, around) for each in (name, *self._aliases.get(name, ())))

    def _take(self, named: Named, spans: Sequence[tuple[int, int]]) -> None:
        self._named.setdefault(named[0], named)
        self._named.setdefault(normal_form(named[0]), named)
        self._mentions += [Mention(*named, start, end) for start, end in spans[:MAX_MENTIONS]]

    def _triple(self, given: Candidate) -> Sequence[Candidate]:
        item = triple_in_words(given)
        try:
            subject, object_ = (
                clean_line(each, what, limit=MAX_NAME)
                for each, what in ((given.subject, "subject"), (given.object, "object"))
            )
            predicate = clean_line(given.predicate, "predicate", limit=MAX_PREDICATE)
        except BadInput as error:
            return self._drop(item, "invalid name or predicate", str(error))
        if wrong := _wrong(given, subject, predicate, object_):
            return self._drop(item, *wrong)
        quoted = self._quoted(given)
        if quoted is None:
            near = nearest_sentence(given.quote or "", self._chunk.text)
            mended = replace(given, quote=near) if near else None
            return self._drop(item, NOT_QUOTED, "Copy the words that state it from the chunk.", mended)
        ends = [self._end(subject, given.subject_type), self._end(object_, given.object_type)]
        if None in ends and any(ends):
            unnamed, type_ = ((subject, given.subject_type), (object_, given.object_type))[ends.index(None)]
            if normal_form(unnamed) in self._around.known:
                ends[ends.index(None)] = self._as_given(unnamed, type_)
        found = [end for end in ends if end is not None]
        if len(found) < len(ends):
            missing, which = (subject, "subject") if ends[0] is None else (object_, "object")
            near = nearest_name(missing, self._chunk.text)
            mended = replace(given, **{which: near}) if near else None
            return self._drop(item, NOT_NAMED, f"Name '{missing}' as the text does.", mended)
        (subject, subject_type), (object_, object_type) = found
        named = with_event_date(replace(quoted, subject=subject, predicate=predicate, object=object_))
        typed = replace(named, subject_type=subject_type, object_type=object_type)
        normal = normalize_predicates(Extraction(triples=[typed]), self._ontology, strict=self._strict)
        for reason in normal.dropped:
            hint = "Use a predicate of the vocabulary, between the types that it is for."
            self._drop(item, reason, hint, self._fitting(typed))
        for end in found if normal.triples else ():
            if end[0] not in self._named:  # the findings leave out that the chunk names it
                self._take(end, self._spans(end[0]))
        return normal.triples

    def _fitting(self, triple: Candidate) -> Candidate | None:
        """The triple with the nearest known predicate or with its ends swapped, where that fits the ontology."""
        denied = asserted_of(canonical_predicate(triple.predicate))
        asserted = denied or canonical_predicate(triple.predicate)
        near = difflib.get_close_matches(asserted, self._ontology.predicates, n=2, cutoff=MIN_NEAR)
        others = [replace(triple, predicate=denial_of(each) if denied else each) for each in near]
        others += map(_swapped, [*others])
        for each in others:
            if not misfit(self._ontology, each.subject_type or "", each.predicate, each.object_type or ""):
                return each
        return None

    def _quoted(self, triple: Candidate) -> Candidate | None:
        """The triple with its quote as the chunk has it, and the place of that; None where the chunk has no such words.

        See `find_quote` for what may differ.
        """
        quote = (triple.quote or "").strip()
        if span := find_quote(quote, self._chunk.text):
            return replace(triple, quote=self._chunk.text[slice(*span)], start=span[0], end=span[1])
        inside = quote and quote in self._chunk.context
        return replace(triple, quote=quote, start=None, end=None) if inside else None

    def _end(self, name: str, type_: str | None) -> Named | None:
        """A name with the type that the findings give it, None for one that neither they nor the document have."""
        known = self._named.get(name) or self._named.get(normal_form(name))
        if known is not None:
            return known
        is_named = self._spans(name) or self._is_named_around(name)
        return self._as_given(name, type_) if is_named else None

    def _as_given(self, name: str, type_: str | None) -> Named:
        return name, canonical_type(type_, self._ontology) if type_ else None

    def _drop(self, item: str, reason: str, hint: str = "", mended: Candidate | None = None) -> list[Any]:
        """Nothing, which is what is left of the item."""
        shown = f"line {self._line}" if self._line else " ".join(item.split())[:MAX_NAME]
        self._dropped.append(Dropped(self._citation, shown, reason, hint, line_of(mended) if mended else ""))
        return []


def _swapped(triple: Candidate) -> Candidate:
    ends = {"subject": triple.object, "subject_type": triple.object_type}
    return replace(triple, **ends, object=triple.subject, object_type=triple.subject_type)


def _wrong(given: Candidate, subject: str, predicate: str, object_: str) -> tuple[str, str] | None:
    """What is wrong with a triple by itself, and what would mend it."""
    if not canonical_predicate(predicate):
        return "invalid name or predicate", "A predicate has letters, as in depends_on."
    if not 0 <= given.confidence <= 1:
        return "confidence out of range", "It is a number from 0 to 1."
    if given.valid_from and given.valid_to and given.valid_from >= given.valid_to:
        return "valid_from is not before valid_to", "Swap them, or leave one out."
    if normal_form(subject) == normal_form(object_):
        return "subject and object are one", "A triple is about two things."
    return None


def spans_of(name: str, text: str) -> list[tuple[int, int]]:
    """Where a text has a name: as whole words, whatever their case and the white space between them.

    The underscores of markup are no part of a word, those of an identifier are: "_Moss_", "`Moss`_", not "moss_size".
    """
    pattern = _pattern(name)
    return [found.span() for found in pattern.finditer(text)] if pattern else []


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str] | None:
    words = name.split()
    if not words:
        return None
    head = r"(?<![^\W_])(?<![^\W_]_)" if words[0][0].isalnum() else ""
    tail = r"(?!_*[^\W_])" if words[-1][-1].isalnum() else ""
    return re.compile(head + r"\s+".join(map(re.escape, words)) + tail, re.IGNORECASE)
