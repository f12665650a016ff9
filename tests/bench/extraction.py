"""How much the lite extractor finds, and how fast: `python tests/bench/extraction.py DOCUMENTS.jsonl CORPUS.jsonl`.

DOCUMENTS has one object a line: text, title, entities [{name, aliases, type}] and relations [{source, target}], the
latter indexes of entities. An entity counts as found where one of its names is found exactly; a pair where a triple
links its two ends, either way round. Precision is a lower bound: what the gold does not list counts as wrong.
CORPUS has one chunk a line: id, title, text. A set that is absent is skipped.
"""

import json
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.model import Chunk, Document, Extraction

_DATED = re.compile(r".*\d{4}|^\d")
_ARTICLE = re.compile(r"^(the|a|an) ")


@dataclass
class Tally:
    """What was found of what there is, and what of it was right."""

    found: int = 0
    gold: int = 0
    right: int = 0
    claimed: int = 0

    @property
    def recall(self) -> float:
        """Of the gold, how much was found."""
        return self.found / max(self.gold, 1)

    @property
    def precision(self) -> float:
        """Of the claimed, how much was right."""
        return self.right / max(self.claimed, 1)

    def __str__(self) -> str:
        return f"recall {self.recall:.3f}, precision {self.precision:.3f} ({self.found} of {self.gold})"


def normal(name: str) -> str:
    """The name in lower case without article and punctuation."""
    return re.sub(r"\W+", " ", _ARTICLE.sub("", name.lower())).strip()


def extract(extractor: LiteExtractor, row: Mapping[str, Any]) -> Extraction:
    """What is found in a document of one chunk."""
    text: str = row["text"]
    document = Document(str(row.get("id", row["title"])), row["title"], text)
    return extractor.extract(document, [Chunk(0, 0, len(text), text)])[0]


def names_of(entity: Mapping[str, Any]) -> set[str]:
    """An entity's names in normal form."""
    return {normal(name) for name in (entity["name"], *entity["aliases"])}


def count_entities(entities: Sequence[Mapping[str, Any]], found: Iterable[str], tally: Tally) -> None:
    """Add one document's entities; numbers and times are not asked for."""
    mine = {normal(name) for name in found}
    every = set[str]().union(*map(names_of, entities))
    asked = [names_of(entity) for entity in entities if entity["type"] not in {"NUM", "TIME"}]
    claimed = {name for name in mine if name in every or not _DATED.match(name)}
    tally.gold += len(asked)
    hits = sum(not names.isdisjoint(mine) for names in asked)
    tally.found += hits
    wrong = len(claimed - every)
    tally.right += hits
    tally.claimed += hits + wrong


def nearest(name: str, known: Mapping[str, int]) -> int | None:
    """The gold entity of that name, or of the longest gold name that is a part of it."""
    if name in known:
        return known[name]
    parts = [other for other in known if len(other) > 3 and f" {other} " in f" {name} "]
    return known[max(parts, key=len)] if parts else None


def count_pairs(row: Mapping[str, Any], extraction: Extraction, tally: Tally) -> None:
    """Add one document's linked pairs; claimed are those both of whose ends are gold entities."""
    known: dict[str, int] = {}
    for index, entity in enumerate(row["entities"]):
        for name in (entity["name"], *entity["aliases"]):
            known.setdefault(normal(name), index)
    gold = {frozenset((relation["source"], relation["target"])) for relation in row["relations"]}
    linked: set[frozenset[int]] = set()
    for triple in extraction.triples:
        a, b = nearest(normal(triple.subject), known), nearest(normal(triple.object), known)
        if a is not None and b is not None and a != b:
            linked.add(frozenset((a, b)))
    tally.gold += len(gold)
    tally.found += len(gold & linked)
    tally.right += len(gold & linked)
    tally.claimed += len(linked)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def measure_quality(path: Path, extractor: LiteExtractor) -> tuple[Tally, Tally]:
    """Entities and pairs, over all documents."""
    entities, pairs = Tally(), Tally()
    for row in rows_of(path):
        extraction = extract(extractor, row)
        count_entities(row["entities"], {mention.name for mention in extraction.mentions}, entities)
        count_pairs(row, extraction, pairs)
    return entities, pairs


def measure_speed(path: Path) -> tuple[float, float, float]:
    """Words and chunks per second of CPU, and triples a chunk; the best of three rounds."""
    rows = rows_of(path)
    words = sum(len(row["text"].split()) for row in rows)
    extractor = LiteExtractor()
    best, triples = float("inf"), 0
    for _ in range(3):
        began = time.process_time()
        triples = sum(len(extract(extractor, row).triples) for row in rows)
        best = min(best, time.process_time() - began)
    return words / best, len(rows) / best, triples / len(rows)


def main(arguments: Sequence[str]) -> None:
    """Print the figures for the two files."""
    if len(arguments) != 2:
        sys.exit("usage: python tests/bench/extraction.py DOCUMENTS.jsonl CORPUS.jsonl")
    documents, corpus = map(Path, arguments)
    if documents.is_file():
        for title, extractor in (("no limits", LiteExtractor(10_000, 10_000)), ("default limits", LiteExtractor())):
            entities, pairs = measure_quality(documents, extractor)
            print(f"{title}: entities {entities}; pairs {pairs}")
    else:
        print(f"Skipped quality: {documents} is not there.")
    if corpus.is_file():
        words, chunks, triples = measure_speed(corpus)
        print(f"speed: {words:,.0f} words and {chunks:,.0f} chunks per CPU second, {triples:.1f} triples a chunk")
    else:
        print(f"Skipped speed: {corpus} is not there.")


if __name__ == "__main__":
    main(sys.argv[1:])
