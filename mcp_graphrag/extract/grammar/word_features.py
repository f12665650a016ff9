"""What the model sees of a word: rows of its embedding table, by the word itself, its ends and its shape."""

import re
import zlib
from collections.abc import Mapping

# Rows of the table beside those of the vocabulary, in the order in which they stand.
UNKNOWN, NAME, NO_HASH, SPECIAL_ROWS = 0, 1, 2, 3
HASHED = {"word": 2048, "prefix": 1024, "suffix2": 512, "suffix3": 2048, "suffix4": 3072, "shape": 384}
FEATURES = 7

_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"(.)\1{2,}")


def table_rows(words: int) -> int:
    """Rows of the embedding table for a vocabulary of that many words."""
    return SPECIAL_ROWS + words + sum(HASHED.values())


def normalized(word: str) -> str:
    """The form that the vocabulary holds: lower case, each digit 0."""
    return _DIGIT.sub("0", word.lower().replace("’", "'"))


def feature_rows(text: str, vocabulary: Mapping[str, int], *, is_name: bool) -> list[int]:
    """`FEATURES` rows of the table. `vocabulary` maps normalized words to 0, 1, 2 …

    A known name is told by its shape and the ends of its first and last word, not by what it says.
    """
    pieces = text.split() or [text]
    lower = normalized(pieces[-1])
    entry = None if is_name else vocabulary.get(lower)
    word = UNKNOWN if entry is None else SPECIAL_ROWS + entry
    keys = (
        ("word", None if is_name or entry is not None else lower),
        ("prefix", normalized(pieces[0])[:3]),
        ("suffix2", lower[-2:]),
        ("suffix3", lower[-3:]),
        ("suffix4", lower[-4:]),
        ("shape", f"{is_name:d}{len(pieces) > 1:d}{_shape(pieces[-1])}"),
    )
    rows = [NAME if is_name else word]
    start = SPECIAL_ROWS + len(vocabulary)
    for kind, key in keys:
        hashed = None if key is None else zlib.crc32(f"{kind} {key}".encode("utf-8", "replace")) % HASHED[kind]
        rows.append(NO_HASH if hashed is None else start + hashed)
        start += HASHED[kind]
    return rows


def _shape(word: str) -> str:
    """X for a capital, x for a small letter, d for a digit, else the character; at most two of each in a row."""
    kinds = (
        "X" if char.isupper() else "x" if char.isalpha() else "d" if char.isdigit() else "'" if char == "’" else char
        for char in word[:24]
    )
    return _RUN.sub(r"\1\1", "".join(kinds))
