"""Whether the passages beside a verdict have the sentence that decides: python tests/bench/passages.py DIR [PART …]

DIR holds labelled sets, as ../shared/data/trust does:

- outdated.jsonl, and passages/ended.jsonl beside this script, {"claim", "old", "new", "newer"}: a document that states
  a claim, and a newer one that ends it in other words, of which "newer" is the sentence that a reader must see (by
  default its last). All are ingested among 500 chunks of the retrieval sets beside DIR.
- claims_fever_symmetric.jsonl, {"claim", "evidence", "gold", "graph"}: all evidence in one file; a claim is counted
  where most of the words of its evidence stand in one of the first five passages.
- word for word: sentences drawn from the same 500 chunks are given back; their own sentence has to stand first.

PART is one of ended, fever and own; all by default. Each failure is printed, up to --failures a part.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import measure_parts, quantiles, scratch_graph

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.graph import Graph

OTHERS = 500
SENTENCES = 200
FIRST = 5
SHARE = 0.6  # of the words of a sentence that a passage must have to be it
Row = Mapping[str, Any]


def rows(path: Path) -> list[Row]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def others(folder: Path) -> list[str]:
    """Texts of the retrieval sets, the same number of each."""
    sets = sorted((folder.parent / "retrieval").glob("*/corpus.jsonl"))
    chance = random.Random(5)  # noqa: S311
    return [row["text"][:4000] for path in sets for row in chance.sample(rows(path), OTHERS // len(sets))]


def words(text: str) -> set[str]:
    """The words of a text."""
    return set(re.findall(r"\w+", text.casefold()))


def has(passages: Sequence[str], sentence: str) -> bool:
    """Whether one of the passages is the sentence, or has most of its words."""
    wanted = words(sentence)
    return any(len(wanted & words(each)) >= SHARE * len(wanted) for each in passages)


def passages_of(graph: Graph, claim: str) -> list[str]:
    """The passages for a claim, in order."""
    return [each.text for each in graph.check_claim(claim).passages]


def report(name: str, asked: Sequence[tuple[str, bool, str]], failures: int) -> None:
    """Print the share that was found, and what was not."""
    found = sum(right for _, right, _ in asked)
    print(f"== {name}: {found} of {len(asked)}, {found / max(len(asked), 1):.3f}")
    for claim, _, wanted in [each for each in asked if not each[1]][:failures]:
        print(f"  {claim} | {wanted}")


def ended(folder: Path, failures: int) -> None:
    """The newer sentence stands among the passages."""
    own = Path(__file__).with_name("passages") / "ended.jsonl"
    for path in (folder / "outdated.jsonl", own):
        with scratch_graph() as graph:
            asked = rows(path)
            for number, text in enumerate(others(folder)):
                graph.ingest_text(TextInput(text, uri=f"other:{number}"))
            for each in asked:
                for part in ("old", "new"):
                    graph.ingest_text(
                        TextInput(each[part], uri=f"pair:{each['id']}:{part}", media_type="text/markdown")
                    )
            newer = [each.get("newer") or each["new"].strip().splitlines()[-1] for each in asked]
            claims = [each["claim"] for each in asked]
            found = [
                (one, has(passages_of(graph, one), wanted), wanted) for one, wanted in zip(claims, newer, strict=True)
            ]
            report(f"{path.name}, the newer sentence", found, failures)
            if path == own:
                print(quantiles(graph.check_claim, claims))


def fever(folder: Path, failures: int) -> None:
    """The evidence stands among the first passages, with all evidence in one file."""
    asked = [each for each in rows(folder / "claims_fever_symmetric.jsonl") if each["graph"] >= 0]
    with scratch_graph() as graph:
        for number, text in enumerate(dict.fromkeys(each["evidence"] for each in asked)):
            graph.ingest_text(TextInput(text, uri=f"evidence:{number}"))
        found = [
            (each["claim"], has([*passages_of(graph, each["claim"])[:FIRST]], each["evidence"]), each["evidence"])
            for each in asked
        ]
    report(f"claims of FEVER, the evidence in the first {FIRST}", found, failures)


def own_sentences(folder: Path) -> Iterator[str]:
    """Sentences of the other texts, at random."""
    chance = random.Random(7)  # noqa: S311
    every = [" ".join(each.split()) for text in others(folder) for each in split_sentences(text)]
    yield from chance.sample([each for each in every if 40 < len(each) < 300 and each[-1] == "."], SENTENCES)


def own(folder: Path, failures: int) -> None:
    """A sentence given back word for word stands first."""
    with scratch_graph() as graph:
        for number, text in enumerate(others(folder)):
            graph.ingest_text(TextInput(text, uri=f"other:{number}"))
        found: list[tuple[str, bool, str]] = []
        for sentence in own_sentences(folder):
            first = passages_of(graph, sentence)[:1]
            found.append((sentence, words(sentence) == words("".join(first)), "".join(first)))
    report("sentences word for word, their own first", found, failures)


PARTS = {"ended": ended, "fever": fever, "own": own}


if __name__ == "__main__":
    measure_parts(__doc__, PARTS)
