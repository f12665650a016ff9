"""What a client found in a chunk, item by item: what the chunk bears out, and what it does not, with the reason."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from mcp_graphrag.clean_input import MAX_NAME, MAX_PREDICATE, clean_line
from mcp_graphrag.edit.normalize_candidates import normalize_predicates, placeholders_of, with_event_date
from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.model import Candidate, Extraction, Mention, StoredChunk
from mcp_graphrag.ontology.map_predicates import canonical_predicate, canonical_type
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_MENTIONS = 50  # of one entity in a chunk
QUOTATION = re.compile(r"\s*\n>[ ]?")  # between two lines of a chunk as answers show it


@dataclass(frozen=True)
class EntityFound:
    """An entity that a chunk is about; `text` is what the chunk calls it where that is not its name."""

    name: str
    type: str = ""
    text: str = ""


@dataclass(frozen=True)
class Findings:
    """What a client found in the chunk with this citation."""

    citation: str
    entities: Sequence[EntityFound] = ()
    triples: Sequence[Candidate] = ()


@dataclass(frozen=True)
class Dropped:
    """An item that is not stored: the citation of its chunk, the item in words, the reason, and what would mend it."""

    citation: str
    item: str
    reason: str
    hint: str = ""


@dataclass
class CheckedFindings:
    """What is to be stored of the findings in a chunk, in the vocabulary of the ontology, and what is not."""

    citation: str
    extraction: Extraction
    dropped: list[Dropped] = field(default_factory=list[Dropped])


def triple_in_words(triple: Candidate) -> str:
    """A triple on one line."""
    return f"{triple.subject} {triple.predicate} {triple.object}"


def check_findings(chunk: StoredChunk, found: Findings, ontology: Ontology, *, strict: bool) -> CheckedFindings:
    """The items that the chunk bears out. With `strict`, those outside the ontology are dropped too.

    The chunk must have the quote of a triple, and its ends must be among the entities or in the chunk. A name counts
    as in the chunk where the title of its document or a heading has it.
    """
    return _Check(chunk, found.citation, ontology, strict=strict).of(found)


class _Check:
    """The check of one chunk's findings."""

    def __init__(self, chunk: StoredChunk, citation: str, ontology: Ontology, *, strict: bool) -> None:
        self._chunk, self._citation, self._ontology, self._strict = chunk, citation, ontology, strict
        self._around = "\n".join([chunk.document.title, *chunk.headings, chunk.context])
        self._named: dict[str, Named] = {}  # the entities by their name as given and by its normal form
        self._mentions: list[Mention] = []
        self._dropped: list[Dropped] = []

    def of(self, found: Findings) -> CheckedFindings:
        for entity in found.entities:
            self._add(entity)
        unnamed = placeholders_of(found.triples)
        triples: list[Candidate] = []
        for position, given in enumerate(found.triples):
            if position in unnamed:
                self._drop(triple_in_words(given), "an end names nothing", unnamed[position])
            else:
                triples += self._triple(given)
        reasons = Counter(each.reason for each in self._dropped)
        return CheckedFindings(self._citation, Extraction(self._mentions, triples, dict(reasons)), self._dropped)

    def _add(self, entity: EntityFound) -> None:
        """Take an entity with its mentions; one that only the title or a heading names has none."""
        try:
            name = clean_line(entity.name, "name", limit=MAX_NAME)
            type_ = clean_line(entity.type, "type", limit=MAX_PREDICATE) if entity.type.strip() else None
        except BadInput as error:
            self._drop(entity.name, "invalid name or type", str(error))
            return
        text = self._chunk.text
        spans = spans_of(name, text) or (spans_of(entity.text, text) if entity.text else [])
        if is_placeholder(name):
            self._drop(name, "names nothing")
        elif type_ and self._strict and type_key(type_) not in self._ontology.types:
            self._drop(f"{name} ({type_})", "type outside the ontology", "Use a type of the vocabulary.")
        elif not spans and not spans_of(name, self._around):
            hint = "Copy the name from the chunk, or give as text the words that the chunk has for it."
            self._drop(name, "name not in the chunk", hint)
        else:
            self._take((name, canonical_type(type_, self._ontology) if type_ else None), spans)

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
            hint = "Copy the words that state it from the chunk, as they stand there."
            return self._drop(item, "quote not in the chunk", hint)
        ends = [self._end(name) for name in (subject, object_)]
        found = [end for end in ends if end is not None]
        if len(found) < len(ends):
            missing = subject if ends[0] is None else object_
            hint = f"Add {missing} to the entities, or name it as the chunk does."
            return self._drop(item, "an end is neither among the entities nor in the chunk", hint)
        (subject, subject_type), (object_, object_type) = found
        named = with_event_date(replace(quoted, subject=subject, predicate=predicate, object=object_))
        typed = replace(named, subject_type=subject_type, object_type=object_type)
        normal = normalize_predicates(Extraction(triples=[typed]), self._ontology, strict=self._strict)
        for reason in normal.dropped:
            self._drop(item, reason, "Use a predicate of the vocabulary, between the types that it is for.")
        for end in found if normal.triples else ():
            if end[0] not in self._named:  # the findings leave out that the chunk names it
                self._take(end, spans_of(end[0], self._chunk.text))
        return normal.triples

    def _quoted(self, triple: Candidate) -> Candidate | None:
        """The triple with its quote as the chunk has it, and the place of that; None where the chunk has no such words.

        White space may differ, and the signs of a quotation may stand before its lines.
        """
        quote = QUOTATION.sub("\n", (triple.quote or "").strip()).removeprefix("> ").strip()
        if not quote:
            return None
        text = self._chunk.text
        found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
        if found:
            return replace(triple, quote=found[0], start=found.start(), end=found.end())
        return replace(triple, quote=quote, start=None, end=None) if quote in self._chunk.context else None

    def _end(self, name: str) -> Named | None:
        """A name with the type that the findings give it, None for one that neither they nor the chunk have."""
        known = self._named.get(name) or self._named.get(normal_form(name))
        if known is not None:
            return known
        return (name, None) if spans_of(name, self._chunk.text) or spans_of(name, self._around) else None

    def _drop(self, item: str, reason: str, hint: str = "") -> list[Any]:
        """Nothing, which is what is left of the item."""
        self._dropped.append(Dropped(self._citation, " ".join(item.split())[:MAX_NAME], reason, hint))
        return []


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
