"""The paraphrase set of our own is honest: its questions cannot be answered by words alone."""

import json
from pathlib import Path
from typing import Any

from mcp_graphrag.index.tokenize import text_terms

SET = Path(__file__).parent / "paraphrases"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SET / name).read_text(encoding="utf-8").splitlines()]


def test_no_paraphrase_shares_a_word_with_its_chunk() -> None:
    terms = {row["id"]: set(text_terms(f"{row['title']}\n{row['text']}")) for row in rows("corpus.jsonl")}
    shared = {
        row["question"]: words
        for row in rows("queries.jsonl")
        for gold in row["gold"]
        if (words := terms[gold] & set(text_terms(row["question"])))
    }

    assert shared == {}


def test_there_are_at_least_sixty_paraphrases_with_different_answers() -> None:
    golds = [row["gold"] for row in rows("queries.jsonl")]

    assert len(golds) >= 60
    assert len({gold for (gold,) in golds}) == len(golds)
