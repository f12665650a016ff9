"""How well the shipped weights agree with labelled sentences and with some parsed by hand, and how fast they are.

Run: evaluate.py [WEIGHTS.npz] [HELD_OUT.jsonl …], the latter as label_text.py writes them.
"""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mcp_graphrag.english.parser import trained_parser
from mcp_graphrag.english.parser.tokens import Parse, Token, tokenize
from mcp_graphrag.english.parser.trained_parser import TrainedParser

_ARC_LABELS = (
    "nsubj nsubjpass dobj agent prep pobj appos conj cc relcl acl advcl neg aux auxpass mark attr poss amod compound"
    " xcomp ccomp advmod npadvmod nummod prt dative acomp pcomp"
)
ARCS = _ARC_LABELS.split()
HAND_CHECK = Path(__file__).with_name("hand_check.txt")


def agreement(parser: TrainedParser, path: Path) -> None:
    """Tags, UAS and LAS (without punctuation), recall and precision per label, and accuracy by certainty."""
    gold = [json.loads(line)[-1] for line in path.open(encoding="utf-8")]
    sentences = [as_tokens(one["words"], one["names"]) for one in gold]
    parses = parser.parse(sentences)
    counts: Counter[str] = Counter()
    made: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    certain: list[tuple[float, bool]] = []
    for parse, one in zip(parses, gold, strict=True):
        coarse = [tag.partition("/")[0] for tag in one["tags"]]
        fine = [tag.partition("/")[2] for tag in one["tags"]]
        for index, label in enumerate(one["labels"]):
            counts["tokens"] += 1
            counts["tags"] += parse.tags[index] == coarse[index]
            counts["fine"] += parse.fine_tags[index] == fine[index]
            wanted[label] += 1
            made[parse.labels[index]] += 1
            same_head = parse.heads[index] == one["heads"][index]
            same = same_head and parse.labels[index] == label
            right[label] += same
            if label != "punct":
                counts["arcs"] += 1
                counts["uas"] += same_head
                counts["las"] += same
                certain.append((parse.certainty[index], same))
    print(
        f"{path.stem}: {counts['tokens']} tokens, tags {counts['tags'] / counts['tokens']:.3f} fine"
        f" {counts['fine'] / counts['tokens']:.3f} UAS {counts['uas'] / counts['arcs']:.3f}"
        f" LAS {counts['las'] / counts['arcs']:.3f}"
    )
    print(
        "  precision/recall "
        + " ".join(
            f"{label} {right[label] / max(made[label], 1):.2f}/{right[label] / wanted[label]:.2f}"
            for label in ARCS
            if wanted[label] > 20
        )
    )
    print("  certainty: share of arcs, precision; " + by_threshold(certain))


def by_threshold(certain: Sequence[tuple[float, bool]]) -> str:
    values = np.array([value for value, _ in certain])
    same = np.array([is_same for _, is_same in certain])
    parts: list[str] = []
    for limit in (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99):
        above = values >= limit
        if above.any():
            parts.append(f"≥{limit}: {above.mean():.2f}, {same[above].mean():.3f}")
    return "; ".join(parts)


def as_tokens(words: Sequence[str], names: Sequence[int]) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    for word, is_name in zip(words, names, strict=True):
        tokens.append(Token(word, at, at + len(word), is_name=bool(is_name)))
        at += len(word) + 1
    return tokens


def hand_sentences() -> Iterator[tuple[str, list[Token], list[str]]]:
    """Text, tokens and the arcs written by hand."""
    lines = [line for line in HAND_CHECK.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    for marked, arcs in zip(lines[::2], lines[1::2], strict=True):
        text, names = "", []
        for piece in re.split(r"(\[[^\]]*\])", marked):
            start = len(text)
            text += piece[1:-1] if piece.startswith("[") else piece
            if piece.startswith("["):
                names.append((start, len(text)))
        yield text, tokenize(text, names=names), re.findall(r"[\w:|]+\([^()]*\)", arcs)


def hand_check(parser: TrainedParser, *, verbose: bool) -> None:
    """The share of the arcs written by hand that are found, and the precision of the subjects, objects and agents."""
    found: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    half: list[list[int]] = [[0, 0], [0, 0]]
    sentences = list(hand_sentences())
    parses = parser.parse([tokens for _, tokens, _ in sentences])
    wrong = predicted = 0
    for number, ((text, tokens, arcs), parse) in enumerate(zip(sentences, parses, strict=True)):
        missing = []
        allowed = set()
        for arc in arcs:
            label, head, dependent = re.fullmatch(r"(.*?)\((.*?), (.*)\)", arc).groups()  # type: ignore[union-attr]
            options = [
                (one, h, d) for one in label.split("|") for h in places(tokens, head) for d in places(tokens, dependent)
            ]
            allowed |= set(options)
            kind = label.partition(":")[0]
            wanted[kind] += 1
            half[number // 30][1] += 1
            if any(holds(parse, *option) for option in options):
                found[kind] += 1
                half[number // 30][0] += 1
            else:
                missing.append(arc)
        verbs = {h for _, h, _ in allowed}
        for index, label in enumerate(parse.labels):
            # A subject or object of a verb for which arcs were written.
            if label in {"nsubj", "nsubjpass", "dobj"} and parse.heads[index] in verbs:
                predicted += 1
                wrong += (label, parse.heads[index], index) not in allowed
        if verbose and missing:
            print("   ", text, "MISSING", "; ".join(missing))
    print(
        f"hand check, {parser.name}: {sum(found.values())} of {sum(wanted.values())} arcs; encyclopaedic"
        f" {half[0][0]}/{half[0][1]}, technical {half[1][0]}/{half[1][1]}; subjects and objects of those verbs:"
        f" {predicted - wrong} of {predicted} right"
    )
    print("  " + " ".join(f"{kind} {found[kind]}/{count}" for kind, count in wanted.most_common()))


def places(tokens: Sequence[Token], words: str) -> list[int]:
    result = []
    for word in words.split("|"):
        text, _, nth = word.partition("#") if re.search(r"#\d$", word) else (word, "", "")
        at = [index for index, token in enumerate(tokens) if token.text == text]
        if not at:
            raise ValueError(f"{text} is no token of {' '.join(token.text for token in tokens)}")
        result.append(at[int(nth or 1) - 1])
    return result


def holds(parse: Parse, label: str, head: int, dependent: int) -> bool:
    if ":" in label or label == "by":
        outer, _, word = label.partition(":")
        outer, word = ("agent", "by") if label == "by" else (outer, word)
        middle = parse.heads[dependent]
        return (
            parse.labels[dependent] == "pobj"
            and parse.tokens[middle].text.lower() == word.lower()
            and parse.labels[middle] == outer
            and parse.heads[middle] == head
        )
    return parse.heads[dependent] == head and parse.labels[dependent] == label


def speed(paths: Sequence[Path]) -> None:
    """Words per second of CPU time, with the vectors of words cached as far as earlier sentences hold them."""
    sentences: list[list[Token]] = []
    for path in paths:
        for line in path.open(encoding="utf-8"):
            one: dict[str, Any] = json.loads(line)[-1]
            sentences.append(as_tokens(one["words"], one["names"]))
    started = time.process_time()
    parser = TrainedParser()
    parser.parse(sentences[:1])
    print(f"loading: {1000 * (time.process_time() - started):.0f} ms")
    started = time.process_time()
    for start in range(0, len(sentences), 200):
        parser.parse(sentences[start : start + 200])
    words = sum(map(len, sentences))
    print(f"{words / (time.process_time() - started):.0f} tokens per CPU second, 200 sentences a call")


def main() -> None:
    arguments = [Path(argument) for argument in sys.argv[1:]]
    if arguments and arguments[0].suffix == ".npz":
        trained_parser.WEIGHTS = arguments.pop(0)
    parser = TrainedParser()
    for path in arguments:
        agreement(parser, path)
    hand_check(parser, verbose=True)
    if arguments:
        speed(arguments)


if __name__ == "__main__":
    main()
