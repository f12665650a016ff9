"""Words in capitals at the start of a sentence, which may be of the sentence or of a name."""

import re

from mcp_graphrag.mentions.gazetteer import GAZETTEER

_FIRST_OF_TWO = re.compile(r"\W*([^\W\d_a-z]\w+) (?:and|&) ")
_ADVERB = re.compile(r"[A-Z]\w{2,}(?:al|ive|ous|ent|ant|ic|ari|ab|ib|ate|ed|ing)ly")


def opens_sentence(prose: str, start: int, at: int) -> bool:
    """Whether it is the first word of its sentence, or of what a colon or quotation mark introduces."""
    before = prose[max(start, at - 3) : at].rstrip()
    return not before.strip("\"'“‘([*-–—\x1f") or before[-1] in ':"“' or before[-1] > "\u2100"  # an emoji


def is_second_half(prose: str, opening: int, run: re.Match[str]) -> bool:
    """Whether an ordinary word may end the name that opens a sentence: "Quality and Training is based in …"."""
    first = _FIRST_OF_TWO.fullmatch(prose, opening, run.start())
    return first is not None and GAZETTEER.is_common(first[1]) and GAZETTEER.is_common(run[0])


def is_opening_adverb(word: str) -> bool:
    """Whether a word in capitals is an adverb by its form: "Internally", "Automatically", but not "Emily"."""
    return _ADVERB.fullmatch(word) is not None


def may_be_of_order(word: str) -> bool:
    """Whether a word may open a name or say which one is meant: "Last Vegas is a film", "First Acme said"."""
    return word in {"First", "Second", "Third", "Last"}


def may_be_plural(words: str) -> bool:
    """Whether a run ends in the plural of a noun: "Foxes", unlike "Jenkins" and "Nimbus"."""
    last = words.rsplit(maxsplit=1)[-1].lower()
    stems = (last[:-1], last.removesuffix("es"), f"{last.removesuffix('ies')}y")
    if last.endswith(("us", "is", "ss")):
        return False
    return last.endswith(("xes", "shes", "ches")) or (last.endswith("s") and any(map(GAZETTEER.is_common, stems)))
