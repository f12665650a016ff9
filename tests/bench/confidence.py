"""How often each rule of the extractor was right in judged triples, and how well that foretells other documents.

    python tests/bench/confidence.py DIR [DIR ...] [--judged FILE ...]

Each DIR is a sample: DIR/KIND has documents whose triples were judged. Prints the counts by rule and by certainty of
the parse, as they stand in `mcp_graphrag/extract/rule_precision.py`, and a table of reliability: for each confidence,
how many of the triples were right where the counts are those of the other samples. Two readings of a triple that
disagree count as half right. Without `--judged`, the judgements in `tests/bench/judged` count.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

from graph_sample import held_triples
from judgements import Item, Judgement, read_judgements
from measure import scratch_graph

from mcp_graphrag.extract import findings, lite_extractor
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.rule_precision import MEASURED, Judged, Precision, Rule, confidence_of
from mcp_graphrag.model import Candidate

JUDGED = Path(__file__).parent / "judged"
BUCKETS = (0.0, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.01)


@dataclass(frozen=True)
class Read:
    """A judged triple: which sample it is of, what read it, and how right it is, from 0 to 1."""

    sample: str
    rule: Rule
    certainty: float | None
    right: float


def key_of(item: Item, document: str) -> tuple[str, ...]:
    """What tells judged triples apart, whatever the kind of their documents was called."""
    return document, item.subject, item.predicate, item.object


def read_sample(folder: Path, judged: Mapping[tuple[str, ...], Judgement]) -> Iterator[Read]:
    """The judged triples that the documents of a sample give now, a graph for each kind."""
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        seen: dict[tuple[str, ...], DraftTriple] = {}
        with patch.object(lite_extractor, "as_candidates", _recording(seen)), scratch_graph() as graph:
            graph.ingest_files([kind], extract="lite")
            held = held_triples(graph, kind)
        for one in held:
            item = one.item
            verdict = judged.get(key_of(item, Path(item.document).name))
            draft = seen.get((item.subject, item.predicate, item.object))
            if verdict is not None and draft is not None:
                verdicts = [verdict.verdict, verdict.second or verdict.verdict]
                yield Read(str(folder), draft.rule, draft.certainty, verdicts.count("right") / 2)


def _recording(seen: dict[tuple[str, ...], DraftTriple]) -> Callable[..., Iterator[Candidate]]:
    """What makes candidates of drafts, and keeps the drafts by subject, predicate and object."""

    def as_candidates(drafts: Iterable[DraftTriple], *where: Any) -> Iterator[Candidate]:
        drafts = list(drafts)
        seen.update(((one.subject.name, one.predicate, one.object.name), one) for one in drafts)
        return findings.as_candidates(drafts, *where)

    return as_candidates


def counted(rows: Sequence[Read]) -> Precision:
    """How many were right and how many were judged, by rule and by certainty."""
    by_rule: dict[Rule, Judged] = {
        rule: _counts(one.right for one in rows if one.rule == rule) for rule in get_args(Rule)
    }
    by_certainty: dict[float, Judged] = {}
    least = 0.0
    for limit in MEASURED.by_certainty:
        inside = (one.right for one in rows if one.certainty is not None and least <= one.certainty < limit)
        by_certainty[limit] = _counts(inside)
        least = limit
    return Precision(by_rule, by_certainty)


def _counts(right: Iterable[float]) -> Judged:
    found = list(right)
    return Judged(round(sum(found)), len(found))


def foretold(rows: Sequence[Read]) -> Iterator[tuple[Read, float]]:
    """Each triple with its confidence by the counts of the other samples."""
    for sample in {one.sample for one in rows}:
        others = counted([one for one in rows if one.sample != sample])
        yield from ((one, others.confidence(one.rule, one.certainty)) for one in rows if one.sample == sample)


def print_reliability(title: str, rows: Iterable[tuple[Read, float]]) -> None:
    """For each range of confidence how many triples have it, its mean, and how many of them were right."""
    found = list(rows)
    print(f"\n{title}\n  confidence    triples   mean  right")
    for least, limit in pairwise(BUCKETS):
        inside = [(one.right, sure) for one, sure in found if least <= sure < limit]
        if inside:
            right, sure = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            print(f"  {least:.2f} to {min(limit, 1):.2f}  {len(inside):7}   {sure:.2f}   {right:.2f}")
    for least in BUCKETS:
        inside = [one.right for one, sure in found if sure >= least]
        if inside:
            print(f"  at least {least:.2f}: {sum(inside) / len(inside):.3f} right of {len(inside)}")


def main() -> None:
    """Count, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dirs", type=Path, nargs="+")
    parser.add_argument("--judged", type=Path, nargs="*")
    arguments = parser.parse_args()
    judgements = read_judgements(arguments.judged or sorted(JUDGED.glob("*.jsonl"))).values()
    judged = {key_of(one.item, one.item.document): one for one in judgements if one.item.what == "triple"}
    rows = [row for folder in arguments.dirs for row in read_sample(folder, judged)]
    found = counted(rows)
    for title, counts in (("by rule", found.by_rule), ("by certainty", found.by_certainty)):
        print(f"\n{title}")
        for name, one in counts.items():
            print(f"  {name!s:16} right {one.right:4} of {one.judged:4}  {one.right / max(one.judged, 1):.2f}")
    for sample in sorted({one.sample for one in rows}):
        right = [one.right for one in rows if one.sample == sample]
        print(f"{sample}: {sum(right) / len(right):.2f} right of {len(right)}")
    print_reliability("as the extractor says", ((one, confidence_of(one.rule, one.certainty)) for one in rows))
    if len(arguments.dirs) > 1:
        print_reliability("by the counts of the other samples", foretold(rows))


if __name__ == "__main__":
    main()
