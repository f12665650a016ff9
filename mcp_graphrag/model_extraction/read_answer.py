"""The validation of a model's answer, item by item: what the chunks do not bear out is dropped, counted by reason."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.extract import OVER_ENTITIES, OVER_TRIPLES
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.model import Candidate, Chunk, Extraction, Mention
from mcp_graphrag.ontology.map_predicates import misfit
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_MENTIONS = 20  # of one entity in one chunk
MAX_NAME = 200
MAX_DESCRIPTION = 300
MIN_WORD = 3  # letters of a word that tells a name


class BadAnswer(GraphragError):
    """An answer is not JSON of the schema."""


class Named(NamedTuple):
    """An entity of an answer, or one that was known before."""

    name: str
    type: str


@dataclass(frozen=True)
class Asked:
    """What a request was about: its chunks, the text before them, known names, and the limits of each chunk."""

    title: str
    before: str
    chunks: Sequence[Chunk]
    known: Sequence[Named] = ()
    max_entities: int = 30
    max_triples: int = 40


def read_answer(text: str, asked: Asked, ontology: Ontology) -> list[Extraction]:
    """One extraction for each chunk that was asked about. Raises BadAnswer if the text is not JSON of the schema."""
    try:
        answer = json.loads(text)
        entities, relationships = answer["entities"], answer["relationships"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadAnswer("The answer is not JSON of the schema.") from error
    if not (isinstance(entities, list) and isinstance(relationships, list)):
        raise BadAnswer("The answer is not JSON of the schema.")
    reading = _Reading(asked, ontology)
    for item in cast("list[Any]", entities):
        reading.count(reading.add_entity(item))
    for item in cast("list[Any]", relationships):
        reading.count(reading.add_relationship(item))
    return reading.extractions()


@dataclass
class _Reading:
    """The items of an answer that were accepted so far. The methods that add one answer why it is dropped, or ""."""

    asked: Asked
    ontology: Ontology
    entities: dict[str, Named] = field(default_factory=dict[str, Named])  # by normal form
    descriptions: dict[str, str] = field(default_factory=dict[str, str])
    triples: list[dict[tuple[str, str, str], Candidate]] = field(
        default_factory=list[dict[tuple[str, str, str], Candidate]]
    )
    dropped: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        self.triples = [{} for _ in self.asked.chunks]

    @cached_property
    def known(self) -> Mapping[str, Named]:
        """The known names by normal form."""
        return {normal_form(named.name): named for named in self.asked.known}

    @cached_property
    def shown(self) -> str:
        """All text that the model was shown."""
        parts = [self.asked.title, self.asked.before]
        parts += [part for chunk in self.asked.chunks for part in (*chunk.headings, chunk.context, chunk.text)]
        return "\n".join(parts)

    def count(self, reason: str) -> None:
        """Count an item that is dropped for a reason."""
        if reason:
            self.dropped[reason] += 1

    def add_entity(self, item: Any) -> str:
        """Accept an entity whose type is in force and whose name was shown."""
        name, type_ = _text_of(item, "name"), _text_of(item, "type")
        if not name or len(name) > MAX_NAME:
            return "no usable name"
        if type_key(type_) not in self.ontology.types:
            return "type outside the ontology"
        form = normal_form(name)
        if form in self.entities:
            return "" if self.entities[form].type == self.ontology.spelling(type_) else "name with two types"
        if form not in self.known and not _name_pattern(name).search(self.shown):
            return "name not in the text"
        self.entities[form] = Named(name, self.ontology.spelling(type_))
        self.descriptions[form] = _text_of(item, "description")
        return ""

    def add_relationship(self, item: Any) -> str:
        """Accept a relationship that the ontology allows and that a quote supports, for each chunk with the quote."""
        source, target = (self._end(_text_of(item, end)) for end in ("source", "target"))
        if source is None or target is None:
            return "end not among the entities"
        confidence: Any = cast("dict[str, Any]", item).get("confidence")
        predicate, quote = _text_of(item, "type"), _text_of(item, "quote")
        reason = _misstated(source, target, confidence) or misfit(self.ontology, source.type, predicate, target.type)
        if reason:
            return reason
        spans = [_pattern(quote).search(chunk.text) if quote else None for chunk in self.asked.chunks]
        if not any(spans):
            return "quote not in the chunk"
        if not any(_is_named(end.name, quote) for end in (source, target)):
            return "quote names neither end"
        wording = _pattern(_text_of(item, "description"))
        for span, triples in zip(spans, self.triples, strict=True):
            if span is None:
                continue
            surface = wording.search(span[0])
            candidate = Candidate(
                source.name,
                predicate,
                target.name,
                source.type,
                target.type,
                confidence=float(confidence),
                surface=surface[0] if surface and surface[0] else None,
                quote=span[0],
                start=span.start(),
                end=span.end(),
            )
            triples.setdefault((source.name, predicate, target.name), candidate)
        return ""

    def extractions(self) -> list[Extraction]:
        """What was accepted, by chunk; what was dropped is counted with the first."""
        made: list[Extraction] = []
        for chunk, triples in zip(self.asked.chunks, self.triples, strict=True):
            dropped = self.dropped if not made else Counter[str]()
            best = sorted(triples.values(), key=lambda triple: -triple.confidence)
            kept = best[: self.asked.max_triples]
            if len(best) > len(kept):
                dropped[OVER_TRIPLES] += len(best) - len(kept)
            made.append(self._extraction(chunk, kept, dropped))
        return made

    def _extraction(self, chunk: Chunk, triples: Sequence[Candidate], dropped: Counter[str]) -> Extraction:
        mentions: list[Mention] = []
        descriptions: dict[str, str] = {}
        named = 0
        for form, (name, type_) in self.entities.items():
            spans = list(_name_pattern(name).finditer(chunk.text))[:MAX_MENTIONS]
            if not spans:
                continue
            named += 1
            if named > self.asked.max_entities:
                dropped[OVER_ENTITIES] += 1
                continue
            mentions += [Mention(name, type_, span.start(), span.end()) for span in spans]
            said = _pattern(self.descriptions[form]).search(chunk.text)
            if said and said[0] and len(said[0]) <= MAX_DESCRIPTION:
                descriptions[name] = " ".join(said[0].split())
        return Extraction(mentions, triples, dict(dropped), descriptions=descriptions)

    def _end(self, name: str) -> Named | None:
        form = normal_form(name) if name else ""
        return self.entities.get(form) or self.known.get(form)


def _misstated(source: Named, target: Named, confidence: Any) -> str:
    """Why a relationship is no statement of two entities with a confidence, "" if it is."""
    if normal_form(source.name) == normal_form(target.name):
        return "an entity with itself"
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return "confidence outside 0 to 1"
    return ""


def _text_of(item: Any, key: str) -> str:
    value = cast("dict[str, Any]", item).get(key) if isinstance(item, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _pattern(text: str) -> re.Pattern[str]:
    """The text, however its words are separated."""
    return re.compile(r"\s+".join(re.escape(word) for word in text.split()))


def _name_pattern(name: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in name.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _is_named(name: str, quote: str) -> bool:
    """Whether a quote has a word of the name, or the whole of a name of short words."""
    if _name_pattern(name).search(quote):
        return True
    words = [word for word in re.findall(r"\w+", name) if len(word) >= MIN_WORD]
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", quote, re.IGNORECASE) for word in words)
