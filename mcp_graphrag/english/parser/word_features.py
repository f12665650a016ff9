"""What the model sees of a word: rows of its embedding table, by the word itself, its ends and its shape."""

import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate

# Rows of the table beside those of the vocabulary, in the order in which they stand.
UNKNOWN, NAME, NO_HASH, SPECIAL_ROWS = 0, 1, 2, 3
HASHED = {"word": 2048, "prefix": 1024, "suffix2": 512, "suffix3": 2048, "suffix4": 3072, "shape": 384}
FEATURES = 7
# Of each kind of key the first row, the number of rows, and the checksum of what stands in front of the key.
_TABLES = {
    kind: (start, HASHED[kind], zlib.crc32(f"{kind} ".encode()))
    for kind, start in zip(HASHED, accumulate(HASHED.values(), initial=0), strict=False)
}

_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"(.)\1{2,}")
_TWICE = r"\1\1"


def table_rows(words: int) -> int:
    """Rows of the embedding table for a vocabulary of that many words."""
    return SPECIAL_ROWS + words + sum(HASHED.values())


def normalized(word: str) -> str:
    """The form that the vocabulary holds: lower case, each digit 0."""
    lower = word.lower().replace("’", "'")
    return lower if lower.isalpha() else _DIGIT.sub("0", lower)


def feature_rows(text: str, vocabulary: Mapping[str, int], *, is_name: bool) -> list[int]:
    """`FEATURES` rows of the table. `vocabulary` maps normalized words to 0, 1, 2 …

    A known name is told by its shape and the ends of its first and last word, not by what it says.
    """
    pieces = text.split() or [text]
    lower = normalized(pieces[-1])
    first = lower if len(pieces) == 1 else normalized(pieces[0])
    start = SPECIAL_ROWS + len(vocabulary)
    if is_name:
        word, hashed_word = NAME, NO_HASH
    elif (entry := vocabulary.get(lower)) is not None:
        word, hashed_word = SPECIAL_ROWS + entry, NO_HASH
    else:
        word, hashed_word = UNKNOWN, start + _hashed("word", lower)
    kinds = pieces[-1][:24].translate(_KINDS)
    return [
        word,
        hashed_word,
        start + _hashed("prefix", first[:3]),
        start + _hashed("suffix2", lower[-2:]),
        start + _hashed("suffix3", lower[-3:]),
        start + _hashed("suffix4", lower[-4:]),
        start + _row_of_shape(kinds, is_name, len(pieces) > 1),
    ]


def _hashed(kind: str, key: str) -> int:
    offset, rows, begun = _TABLES[kind]
    return offset + zlib.crc32(key.encode("utf-8", "replace"), begun) % rows


@lru_cache(maxsize=4096)
def _row_of_shape(kinds: str, is_name: bool, has_several_words: bool) -> int:  # noqa: FBT001  keywords take longer
    """X for a capital, x for a small letter, d for a digit, else the character; at most two of each in a row."""
    return _hashed("shape", f"{is_name:d}{has_several_words:d}{_RUN.sub(_TWICE, kinds)}")


class _Kinds(dict[int, str]):
    """What stands for a character in a shape."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = "X" if char.isupper() else "x" if char.isalpha() else "d" if char.isdigit() else char
        return self.setdefault(code, "'" if char == "’" else kind)


_KINDS = _Kinds()
