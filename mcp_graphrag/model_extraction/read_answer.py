"""The validation of a model's answer, item by item: what the chunks do not bear out is dropped, counted by reason."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from mcp_graphrag.extract import OVER_ENTITIES, OVER_TRIPLES
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.ingest.data.json_values import object_of, text_of
from mcp_graphrag.model import Candidate, Chunk, Extraction, Mention
from mcp_graphrag.model_extraction.ask_questions import BadAnswer
from mcp_graphrag.model_extraction.results import EdgeFound, Result
from mcp_graphrag.ontology.map_predicates import misfit
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.store.rows.chunk_edge_rows import MAX_DESCRIPTION as MAX_WORDS_OF_EDGE
from mcp_graphrag.store.rows.chunk_edge_rows import is_weight, relation_named
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_MENTIONS = 20  # of one entity in one chunk
MAX_NAME = 200
MAX_DESCRIPTION = 300
MIN_WORD = 3  # letters of a word that tells a name


class Named(NamedTuple):
    """An entity of an answer, or one that was known before."""

    name: str
    type: str


@dataclass(frozen=True)
class Asked:
    """What a request was about: its chunks, those before them, known names, and the limits of each chunk.

    `keys` are those of the last chunk before, "" for none, and of the chunks.
    """

    title: str
    before: Sequence[Chunk]
    chunks: Sequence[Chunk]
    keys: Sequence[str]
    known: Sequence[Named] = ()
    max_entities: int = 30
    max_triples: int = 40


def read_answer(text: str, asked: Asked, ontology: Ontology) -> list[Result]:
    """One result for each chunk that was asked about. Raises BadAnswer if the text is not JSON of the schema."""
    entities, relationships, edges = answer_lists(text, "entities", "relationships", "chunk_edges")
    reading = _Reading(asked, ontology)
    steps = (reading.add_entity, entities), (reading.add_relationship, relationships), (reading.add_edge, edges)
    for add, items in steps:
        for item in items:
            if reason := add(item):
                reading.dropped[reason] += 1
    return reading.results()


def answer_lists(text: str, *names: str) -> list[list[Any]]:
    """The lists with these names in an answer. Raises BadAnswer if the text is not JSON that has them."""
    try:
        answer = json.loads(text)
        lists = [answer[name] for name in names]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadAnswer("The answer is not JSON of the schema.") from error
    if not all(isinstance(each, list) for each in lists):
        raise BadAnswer("The answer is not JSON of the schema.")
    return lists


def edge_of(item: Any, texts: Sequence[str], keys: Sequence[str]) -> EdgeFound | str:
    """The edge of an item of an answer, whose ends are places in `texts` and `keys`; else why it is dropped.

    Its description is words of one of the two texts.
    """
    given = object_of(item)
    source, target = (_place(given.get(end), keys) for end in ("source", "target"))
    if source is None or target is None:
        return "end of a chunk edge not among the chunks"
    if keys[source] == keys[target]:
        return "chunk edge of a chunk with itself"
    relation, weight = relation_named(_text_of(item, "relation")), given.get("weight")
    if relation is None:
        return "relation outside those of chunk edges"
    if not is_weight(weight):
        return "weight outside 0 to 1"
    words = _pattern(_text_of(item, "quote"))
    spans = [found[0] for at in (source, target) if (found := words.search(texts[at])) and found[0]]
    if not spans:
        return "quote of a chunk edge not in its chunks"
    return EdgeFound(keys[source], keys[target], relation, weight, " ".join(spans[0].split())[:MAX_WORDS_OF_EDGE])


def _place(number: Any, keys: Sequence[str]) -> int | None:
    is_number = isinstance(number, int) and not isinstance(number, bool)
    return number if is_number and 0 <= number < len(keys) and keys[number] else None


@dataclass
class _Reading:
    """The items of an answer that were accepted so far. The methods that add one answer why it is dropped, or ""."""

    asked: Asked
    ontology: Ontology
    entities: dict[str, Named] = field(default_factory=dict[str, Named])  # by normal form
    descriptions: dict[str, str] = field(default_factory=dict[str, str])
    edges: list[EdgeFound] = field(default_factory=list[EdgeFound])
    triples: list[dict[tuple[str, str, str], Candidate]] = field(init=False)  # of each chunk
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
        parts = [self.asked.title, *(chunk.text for chunk in self.asked.before)]
        parts += [part for chunk in self.asked.chunks for part in (*chunk.headings, chunk.context, chunk.text)]
        return "\n".join(parts)

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
        confidence: Any = object_of(item).get("confidence")
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

    def add_edge(self, item: Any) -> str:
        """Accept an edge between chunks that have the words quoted for it."""
        before = self.asked.before[-1].text if self.asked.before else ""
        edge = edge_of(item, [before, *(chunk.text for chunk in self.asked.chunks)], self.asked.keys)
        if isinstance(edge, str):
            return edge
        self.edges.append(edge)
        return ""

    def results(self) -> list[Result]:
        """What was accepted, by chunk; what was dropped is counted with the first."""
        made: list[Result] = []
        own = self.asked.keys[1:]
        for chunk, key, triples in zip(self.asked.chunks, own, self.triples, strict=True):
            dropped = self.dropped if not made else Counter[str]()
            best = sorted(triples.values(), key=lambda triple: -triple.confidence)
            kept = best[: self.asked.max_triples]
            if len(best) > len(kept):
                dropped[OVER_TRIPLES] += len(best) - len(kept)
            # An edge from the chunk before, which is not asked about, stays with its target.
            edges = [edge for edge in self.edges if (edge.source if edge.source in own else edge.target) == key]
            made.append(Result(self._extraction(chunk, kept, dropped), edges))
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
    return text_of(object_of(item).get(key))


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
