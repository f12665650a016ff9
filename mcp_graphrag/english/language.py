"""Whether a text is in English, the one language whose sentences are read."""

import re

_ENGLISH = frozenset(["the", "of", "and", "to", "is", "that", "for", "with", "are", "this", "by", "it", "you", "be"])
# Words that the other languages of Latin letters need as often, and English does not have.
_OTHER_LIST = (
    "le la les des et est une du dans pour que qui sur avec"  # French
    " der die und das ist den von mit auf nicht ein eine"  # German
    " el los las del por una es para con se"  # Spanish
    " il di che della per non dei nel"  # Italian
    " o os um uma em não na no"  # Portuguese
    " het een van en op voor niet"  # Dutch
    " ve bir bu ile için och att som på det"  # Turkish, Swedish
    " jest nie się na do z w"  # Polish
)
_OTHER = frozenset(_OTHER_LIST.split()) - {"no", "do", "en", "o", "w", "z", "se", "es", "per", "on", "van", "die"}
_WORD = re.compile(r"[^\W\d_]+")
MIN_WORDS = 5  # of another language: a few stand in names and quotations
SAMPLE = 20_000  # characters


def is_english(text: str) -> bool:
    """Whether the sentences of a text may be English: no other language has more of its commonest words in it."""
    words = _WORD.findall(text[:SAMPLE].casefold())
    others = sum(word in _OTHER for word in words)
    return others < MIN_WORDS or others < sum(word in _ENGLISH for word in words)
