"""Whether the words around a name look like a part of it, or say that it is one of many."""

import re

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.relations.names.longer_names import is_seat
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

_ORDINAL = re.compile(r"\d{1,3}(?:st|nd|rd|th)\Z")
NOT_FIRST = re.compile(r"second|third|fourth|fifth|\w+(?:xth|nth|hth)|twelfth|twentieth|\d+(?:st|nd|rd|th)")
_PART_OF_NAME = re.compile(r"[a-z]{1,3}\d{1,4}")  # in front of a name: "g10 Moss"
# They are the same whatever they are for, and however many they are.
_AWARDS = frozenset({"award", "awards", "prize", "prizes", "medal", "medals"})
_ARTICLES = frozenset({"a", "an", "the"})
_INSIDE_TITLES = frozenset({"at", "in", "on", "for", "with", "from", "to", "by", "under", "over", "of"})
# Behind a name: which versions of it are meant, or the next item of a menu.
_GOES_ON_BEHIND = frozenset({"<", "<=", ">", ">=", "=", "==", "≤", "≥", "→", "->", "~>"})


def is_cut(tree: SentenceTree, mention: DraftMention) -> bool:
    """Whether the words around a name look like a part of it: "Center for Ethics", "26th District", "Wayne/Batman"."""
    token = tree.token_of(mention)
    if token is None or _is_part(tree, token, mention):
        return token is not None
    if mention.kind != "name" or _is_one_of_many(tree, token, mention) or _is_of_state(tree, token, mention):
        return mention.kind == "name"
    before = tree.words[token - 1] if token else ""
    is_owned = before in {"'s", "'"} and token > 1 and _is_plain_capitalised(tree, token - 2)
    if is_owned or _PART_OF_NAME.fullmatch(before) is not None:
        return True  # "the Young Men's Christian Association"
    if mention.type not in {"Person", "Role"} and _ORDINAL.match(before):
        return True
    if before.isdigit() and mention.type in {None, "Person"}:
        # "653 Berenice", "2001 Einstein was discovered"
        is_year = token == 1 and 0 in tree.mentions
        return is_year or tree.labels[token - 1] == "nummod"
    is_of_title = before in _ARTICLES and token > 1 and tree.token(token - 1).text.istitle() and _goes_on(tree, token)
    is_of_title |= before == "/" and tree.token(token - 1).end == tree.token(token).start
    names_on = tree.words[token + 1 : token + 2] == ["for"] and token + 2 in tree.mentions
    last = mention.name.split()[-1].casefold()
    may_go_on = mention.type not in {"Person", "Location"} and last not in _AWARDS and GAZETTEER.is_common(last)
    return is_of_title or (names_on and may_go_on)


def _is_part(tree: SentenceTree, token: int, mention: DraftMention) -> bool:
    """Whether a name of any kind goes on behind it, or is the end of another: "Express <= 4"."""
    behind = tree.words[token + 1 : token + 2]
    goes_on = not _GOES_ON_BEHIND.isdisjoint(behind)
    goes_on |= mention.name[-1].isdigit() and behind == ["."] and token + 2 < tree.size  # "Ant 1.8.* works with A"
    goes_on |= _is_half(tree, token)
    return (
        goes_on or is_seat(tree, token) or _is_adjective(tree, token, mention) or _is_behind_abbreviation(tree, token)
    )


def _is_half(tree: SentenceTree, token: int) -> bool:
    """Whether a name is one of the two halves of another: "the Fern Laboratory of AI and NLP"."""
    for at in (token, token - 2):
        whole, other = tree.mentions.get(at), tree.mentions.get(at + 2)
        if whole is not None and other is not None and tree.words[at + 1] == "and" and " of " in whole.name:
            last = whole.name.split()[-1]
            if last.isupper() and other.name.isupper() and " " not in other.name:
                return True
    return False


def _is_adjective(tree: SentenceTree, token: int, mention: DraftMention) -> bool:
    """Whether words with a hyphen say the kind of a noun, with others behind a comma: "a low-cost, low-power chip"."""
    other = token + 2
    is_listed = tree.words[token + 1 : other] == [","] and other not in tree.mentions and other < tree.size
    is_hyphenated = "-" in mention.name and mention.name.islower() and is_listed and "-" in tree.words[other]
    return is_hyphenated and tree.labels[other] in {"compound", "amod", "nmod"}


def _is_behind_abbreviation(tree: SentenceTree, token: int) -> bool:
    """Whether a name goes on behind an abbreviation of its first words: "Partial Reconfigure (PR) Parts"."""
    return (
        token > 2
        and tree.words[token - 1] == ")"
        and tree.words[token - 3] == "("
        and tree.token(token - 2).text.isupper()
        and tree.token(token).text[0].isupper()
    )


def _is_of_state(tree: SentenceTree, token: int, mention: DraftMention) -> bool:
    """Whether the name of a university goes on with its place: "the University of Moss at Fern"."""
    goes_on = tree.words[token + 1 : token + 2] == ["at"] and token + 2 in tree.mentions
    return goes_on and mention.name.startswith("University of ")


def _is_plain_capitalised(tree: SentenceTree, token: int) -> bool:
    """Whether an ordinary word in capitals, which may be part of a longer name, is there: "Women"."""
    name = tree.mentions[token].name if token in tree.mentions else ""
    return tree.token(token).text.istitle() and all(map(GAZETTEER.is_common, name.split()))


def _is_one_of_many(tree: SentenceTree, token: int, mention: DraftMention) -> bool:
    """Whether a name is one that several things have: "a Duchess of Moss", "Moss's Foreign Ministry"."""
    words = mention.name.split()
    is_common = len(words) == 1 and (GAZETTEER.is_common(words[0]) or WORDS.is_of_person(words[0].casefold()))
    is_title = mention.type == "Person" and " of " in mention.name
    if (is_title or (is_common and tree.labels[token] != "attr")) and not {"a", "an"}.isdisjoint(
        tree.child_words(token, "det")
    ):
        return True  # "for the best work by an Actress"
    before = tree.words[token - 1] if token else ""
    is_counted = tree.labels[token - 1 : token] == ["nummod"] and before.isalpha()
    if is_counted and words[-1].casefold() not in _AWARDS:
        return True  # "43 million Americans"
    if len(words) == 1 and mention.type is None and NOT_FIRST.fullmatch(before):
        return True  # "the fifth Baronet"
    is_office = WORDS.last_word.get(words[-1].casefold()) == "Organization" and all(
        map(GAZETTEER.is_common, words[:-1])
    )
    is_owned = any(tree.children(owner, "case") for owner in tree.children(token, "poss"))
    # "Cup" of "America's Cup"
    return is_owned and (is_office or is_common or mention.name.isupper())


def _goes_on(tree: SentenceTree, token: int) -> bool:
    """Whether a small word and another name follow a name."""
    behind = token + 2 + (tree.words[token + 2 : token + 3] == ["the"])
    other = tree.mentions.get(behind)
    is_inside = not _INSIDE_TITLES.isdisjoint(tree.words[token + 1 : token + 2])
    return is_inside and other is not None and other.kind != "date"
