"""Capitalised words that are no name: parts of longer words, labels, verbs and adverbs of titles, letters of items."""

from collections.abc import Collection

from mcp_graphrag.extract.english.gazetteer import GAZETTEER
from mcp_graphrag.extract.english.word_lists import WORDS


def is_part(prose: str, left: int, end: int) -> bool:
    """Whether a name is cut out of a longer word: "Chief" of "editor-in-Chief", "PL" of "PL/pgSQL", or no word.

    "Leeds" of "the Leeds-based Acme" is a name.
    """
    before, behind = prose[max(left - 2, 0) : left], prose[end : end + 3]
    if before[-1:] == "-" and before[0].islower():
        return True
    is_cut = behind[:1] in {"/", "-"} and behind[1:2].islower() and not prose.startswith("-based", end)
    if "/" in (before[-1:], behind[:1]) and " " not in before + behind[:2]:
        is_cut |= GAZETTEER.is_common(prose[left:end].split(maxsplit=1)[0])  # "Date/Time Field Modifiers"
    return is_cut or behind in {"- —", "- –"} or not any(map(str.isalpha, prose[left:end]))


def is_label(prose: str, left: int, end: int) -> bool:
    """Whether the words are a line's label of ordinary words: "Stock Exchanges: New York"."""
    if prose[end : end + 1] != ":" or prose[:left].rpartition("\n")[2].strip(" \t*_-"):
        return False
    return all(
        GAZETTEER.is_common(word) or GAZETTEER.is_common(word.removesuffix("s")) for word in prose[left:end].split()
    )


def is_gerund(prose: str, left: int, end: int) -> bool:
    """Whether it is a verb in a title: "Handling errors"."""
    word = prose[left:end]
    return (
        word.endswith("ing")
        and GAZETTEER.is_common(word)
        and prose[end : end + 1] == " "
        and prose[end + 1 : end + 2].islower()
    )


def is_opening_gerund(word: str, capitalised: Collection[str]) -> bool:
    """Whether a title or sentence opens with the word as a verb: "Evaluating the Performance"."""
    return word.endswith("ing") and GAZETTEER.is_common(word) and word not in capitalised


def is_lettered(letter: str, word: str) -> bool:
    """Whether a word stands behind the letter of a list item: "M. Delete any section"."""
    return len(letter) == 2 and letter[1] == "." and GAZETTEER.is_common(word) and word not in WORDS.surnames


def is_adverb(word: str) -> bool:
    """Whether it is an adverb behind a name: "V8 Currently"."""
    return word.endswith("ly") and WORDS.is_adverb(word.casefold()) and GAZETTEER.is_common(word)
