"""Base forms of inflected words: of verbs by their part-of-speech tag, and the possible singulars of nouns."""

from functools import lru_cache

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lexicon import base_form, irregular_base, is_irregular, verb_forms

_AUXILIARIES = {
    **dict.fromkeys(("is", "are", "was", "were", "am", "been", "being", "'s", "'re", "'m", "be"), "be"),
    **dict.fromkeys(("has", "had", "having", "have", "'ve"), "have"),
    **dict.fromkeys(("does", "did", "doing", "done"), "do"),
}
_PLURALS = {"people": "person", "children": "child", "wives": "wife", "women": "woman", "men": "man"}
_ENDING_IN_ES = ("ches", "shes", "sses", "xes", "zes")
_VOWELS = frozenset("aeiou")
_CLUSTERS_WITH_E = tuple("bl pl dl gl tl fl zl kl cl ns rs ls ps dg rg lg ng iat uat".split())  # noqa: SIM905


@lru_cache(maxsize=16384)
def lemma_of(word: str, tag: str) -> str:
    """The base form of a verb in lower case; `tag` is that of the Penn Treebank. Of another word the word itself."""
    if word in _AUXILIARIES:
        return _AUXILIARIES[word]
    if not tag.startswith("VB") or tag in {"VB", "VBP"}:
        return word
    base = irregular_base(word)
    if base is not None or tag == "VBZ":
        return base or base_form(word)
    return _base_of_regular(word)


def _base_of_regular(word: str) -> str:
    """The base form of a past tense, participle or gerund of a regular verb."""
    if word.endswith("ied"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith("ying") and len(word) == 5:
        return f"{word[0]}ie"
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    return _base_of_stem(stem) if len(stem) > 1 else word


def third_person(base: str) -> str:
    """The third person of a base form: "watches"."""
    return "has" if base == "have" else [form for _, form in verb_forms(base)][1]


def _base_of_stem(stem: str) -> str:
    """The base form whose "ed" or "ing" form has that stem: "creat" gives create, "stopp" stop."""
    if stem in GRAMMAR.ending_in_e or is_irregular(f"{stem}e") or (stem[-1] == "e" and stem[-2] != "e"):
        return f"{stem}e"
    if stem in GRAMMAR.not_ending_in_e or stem[-1] in _VOWELS - {"u"}:
        return stem
    if len(stem) > 3 and stem[-1] == stem[-2]:
        single = stem[:-1]
        return stem if stem[-1] in "lsfz" and single not in GRAMMAR.not_ending_in_e else single
    if stem[-1] in "cvuz" or stem.endswith(_CLUSTERS_WITH_E) or (stem[-1] in "sg" and stem[-2] in _VOWELS):
        return f"{stem}e"
    one_vowel = len(stem) < 3 or stem[-3] not in _VOWELS or stem[-3:-1] == "ui"
    return f"{stem}e" if one_vowel and stem[-2:] in GRAMMAR.with_e else stem


def singulars(noun: str) -> list[str]:
    """A noun in lower case and its possible singulars, the likeliest first: "cities" and city, "boxes", box and boxe.

    Of a phrase with "of" that of its head: "places of birth".
    """
    head, of, rest = noun.partition(" of ")
    found = [head]
    if head in _PLURALS:
        found.append(_PLURALS[head])
    elif head.endswith("ies") and len(head) > 4:
        found += [f"{head[:-3]}y", head[:-1]]
    elif head.endswith("s") and not head.endswith("ss"):
        found += sorted({head[:-1], head.removesuffix("es")} - {head}, reverse=not head.endswith(_ENDING_IN_ES))
    return [f"{form}{of}{rest}" for form in found]
