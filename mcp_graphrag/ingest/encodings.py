"""The encoding of a text that is not UTF-8 and declares none.

charset-normalizer says in which encodings bytes are a text. Which of them it is shows in the letters: each language has
its own beyond ASCII, some of them often. The order in which the library names them is no evidence where several fit: it
takes a French page for one of Central Europe. A reading that does not stand out from the others is in doubt.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

MIN_CERTAINTY = 0.993  # the best reading is 150 times as likely as the next
_SAMPLE = 6_000  # bytes of lines that are not ASCII; of UTF-16, of its start
_WORST_FIT, _WORST_FIT_OF_CODE = -4.2, -9.0  # nats a character: of an alphabet, and of thousands of signs
# Chances of a character: of ASCII, a sign of prose, a letter of another language or a symbol, and any other.
_ASCII, _SIGN, _OUTSIDE, _STRANGE = map(math.log, (1 / 25, 1 / 30, 1 / 4000, 1e-5))
_ODD_PLACE = -6.0  # nats, for a character that does not stand beside its neighbours
_UTF16 = ("utf_16_le", "utf_16_be")
_LINES = "─│├┤┼┌┐└┘┬┴━┃"  # of tables
_SHARES = 0.35, 0.6, 0.04  # of the commonest characters of a code, of the other common ones, and of the lines of tables
_SIGNS = frozenset("“”„‚‘’«»–—…·•°§€©®´²£¿¡、。，：；？！（）「」《》・\xa0\u3000")
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[^\w\s\x00-\x7f’·、-】・！-～“”](?=[^\W\d_])")
_LAST_BREAK = re.compile(rb"[\s\S]*[\x00-\x3f]")  # no second byte of a character, but for a few


def detect(content: bytes) -> tuple[str, float]:
    """The likeliest encoding of a text, and how likely (in [0, 1]) it is: sure above `MIN_CERTAINTY`.

    It is "", 0 for what is no text in a known one, and for UTF-8 with a few wrong bytes.
    """
    sample, prior = _sample(content), _tables()["prior"]
    allowed = [*(_UTF16 if b"\0" in content else prior)]
    readings = dict[str, tuple[float, float, str]]()
    for encoding in allowed:
        text = sample.decode(encoding, "ignore")
        if text.encode(encoding, "ignore") == sample:
            score, spare = _judge(text, encoding)
            reading = score + prior.get(encoding, 0), spare, encoding
            readings[text] = max(reading, readings.get(text, reading))
    best, *others = sorted(readings.values(), reverse=True) or [(0.0, -1.0, "")]
    as_utf8 = Counter(sample.decode("utf-8", "replace"))
    is_damaged_utf8 = 10 * as_utf8["\ufffd"] < sum(count for one, count in as_utf8.items() if not one.isascii())
    if best[1] < 0 or is_damaged_utf8:
        return "", 0.0
    from charset_normalizer import from_bytes  # noqa: PLC0415  a tenth of a second, for few

    found = from_bytes(sample, cp_isolation=allowed, threshold=0.4, preemptive_behaviour=False, enable_fallback=False)
    if not any(best[2] in {match.encoding, *match.could_be_from_charset} for match in found):
        return "", 0.0
    margin = best[0] - others[0][0] if others else 50.0
    return best[2], 1 / (1 + math.exp(-margin))


def _sample(content: bytes) -> bytes:
    """The bytes that tell most, cut where no character is."""
    if b"\0" in content:
        return content[:_SAMPLE]
    sample = b"\n".join(line for line in content.split(b"\n") if not line.isascii())
    found = _LAST_BREAK.match(sample, 0, _SAMPLE) if len(sample) > _SAMPLE else None
    return found[0] if found is not None else sample[:_SAMPLE]


def _judge(text: str, encoding: str) -> tuple[float, float]:
    """The logarithm of how likely a text is, and how far its characters are above the least that is a language."""
    counts = Counter(text.lower())
    special = {one: counts[one] for one in counts if not (" " <= one < "\x7f" or one in "\t\n\r\f")}
    score, worst = max(
        (sum(count * (table.get(one) or _chance(one)) for one, count in special.items()), worst)
        for table, worst in _languages(encoding)
    )
    total, plain = sum(special.values()), sum(counts.values()) - sum(special.values())
    return score + plain * _ASCII + _ODD_PLACE * _odd_places(text), score / max(total, 1) - worst


def _chance(one: str) -> float:
    """The logarithm of the chance of a character that is no letter of the language."""
    if one in _SIGNS:
        return _SIGN
    is_ideograph = one.isalpha() and one >= "\u0e80"
    return _OUTSIDE if one.isprintable() and not is_ideograph else _STRANGE


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(files("mcp_graphrag.ingest").joinpath("encodings.toml").read_text("utf-8"))


@cache
def _languages(encoding: str) -> list[tuple[Mapping[str, float], float]]:
    """Of each language the logarithms of the chances of its characters, and the least mean of one of its texts."""
    languages = _tables()
    codes = [_of_code(each) for each in languages["characters"].values() if encoding in (*each["encodings"], *_UTF16)]
    is_of_code = codes and encoding not in _UTF16
    alphabets = () if is_of_code else map(_of_alphabet, languages["letters"].values())
    return [*((each, _WORST_FIT_OF_CODE) for each in codes), *((each, _WORST_FIT) for each in alphabets)]


def _of_alphabet(letters: str) -> dict[str, float]:
    weights = {one: 0.5**at for at, group in enumerate(letters.split()) for one in group}
    return {one: math.log(0.9 * weight / sum(weights.values())) for one, weight in weights.items()}


def _of_code(language: Mapping[str, Any]) -> dict[str, float]:
    first, last = language["leads"]
    places = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0x40, 0xFF))
    common = {place.decode(language["code"], "ignore") for place in places} - {"", *language["commonest"]}
    shares = zip((language["commonest"], common, _LINES), _SHARES, strict=True)
    return {one: math.log(share / len(each)) for each, share in shares for one in each}


def _odd_places(text: str) -> int:
    """How many characters stand where their like do not: a capital in a word, a letter beside one of another script."""
    odd = len(_SIGN_IN_WORD.findall(text))
    for one, other in pairwise(text):
        if not (one.isascii() and other.isascii()) and one.isalpha() and other.isalpha():
            is_mixed = (one < "\u0250") != (other < "\u0250") and max(one, other) < "\u0e80"
            odd += is_mixed or (one.islower() and other.isupper())
    return odd
