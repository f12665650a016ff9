"""The noun phrases of a parsed sentence, and whether what holds of one holds of another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.reason.clauses.clause_words import DETERMINERS, ESSENTIAL

_BEFORE = frozenset({"amod", "compound", "nummod", "nmod", "poss", "quantmod", "advmod", "neg", "npadvmod"})
_SIGNS = frozenset({"PUNCT", "SYM"})
_HARMLESS = frozenset({"punct", "cc", "conj", "preconj"})
MAX_DEPTH, MIN_PLURAL = 4, 4


@dataclass(frozen=True)
class NounPhrase:
    """A noun with the words in front of it and the phrases behind it.

    `names` are the normal forms of what it is called, and of its entity's name; none for what is no name. `words` are
    the base forms of the noun or name, `before` those of what stands in front of it without article, of which
    `adjectives` tell it from others, "old"; `behind` are prepositions with their noun phrases. `is_whole`: nothing else
    belongs to it.
    """

    names: frozenset[str]
    article: str
    words: tuple[str, ...]
    before: frozenset[str]
    adjectives: frozenset[str]
    behind: tuple[tuple[str, "NounPhrase"], ...]
    is_whole: bool

    @property
    def all_words(self) -> frozenset[str]:
        """The words in front and those of the noun itself."""
        return self.before.union(self.words)


def noun_phrase(tree: SentenceTree, token: int, names: Mapping[str, str], depth: int = 0) -> NounPhrase:
    """The noun phrase of a noun, by its token; `names` are those of entities by the words that stand for them."""
    named = _named_behind(tree, token)
    mention = tree.mentions.get(token if named is None else named)
    name = normal_form(mention.name) if mention is not None and mention.kind != "date" else ""
    words = name.split() or [_base(tree, token)]
    article = ""
    before = set[str]() if named is None else {_base(tree, token)}
    adjectives = set[str]()
    behind: list[tuple[str, NounPhrase]] = []
    is_whole = depth < MAX_DEPTH
    for child in tree.children(token):
        label = tree.labels[child]
        if label == "det" or (label == "poss" and tree.words[child] in DETERMINERS):
            article = tree.words[child]
        elif label in _BEFORE and child < token:
            words_before = {word for each in below(tree, child) for word in _words(tree, each)}
            before |= words_before
            if label == "amod" and tree.token(child).text.islower() and tree.parse.tags[child] == "ADJ":
                adjectives |= words_before
        elif label == "nummod" and child == token + 1:
            words.append(tree.words[child])  # a version
        elif label == "prep" and depth < MAX_DEPTH:
            nouns = tree.children(child, "pobj")
            behind += ((tree.words[child], noun_phrase(tree, each, names, depth + 1)) for each in nouns)
            is_whole &= nouns == tree.children(child)
        elif label not in _HARMLESS and child != named:
            is_whole = False
    called = {" ".join(words), names.get(name, name)} if name else set[str]()
    return NounPhrase(
        frozenset(called), article, tuple(words), frozenset(before), frozenset(adjectives), tuple(behind), is_whole
    )


def holds_of(claimed: NounPhrase, stated: NounPhrase) -> bool:
    """Whether what is said of a stated noun phrase is said of the claimed one, the phrases behind them aside.

    A name may have more words in front of it. "The old team" is not "the team", and "a civil servant" no "servant".
    """
    if not claimed.is_whole:
        return False
    if not claimed.names.isdisjoint(stated.names):
        more = stated.before - claimed.before
        return claimed.before <= stated.before and more.isdisjoint(ESSENTIAL | stated.adjectives)
    is_figure = any(word[0].isdigit() for word in claimed.all_words)  # what stands around it may be a sign
    same = claimed.words[-1] == stated.words[-1] and claimed.all_words == stated.all_words
    return same and not is_figure and (claimed.article != "the" or stated.article in {"the", ""})


def stands_for(tree: SentenceTree, token: int, claimed: NounPhrase, names: Mapping[str, str]) -> bool:
    """Whether "the society" is what the sentence named before as "the Ayr Glacier Society", and nothing else may be."""
    stated = noun_phrase(tree, token, names)
    if not claimed.names or stated.article != "the" or stated.before or stated.words != claimed.words[-1:]:
        return False
    named = [noun_phrase(tree, at, names) for at in tree.mentions if at < token]
    alike = [one for one in named if one.words[-1] == stated.words[-1]]
    return bool(alike) and stated.is_whole and all(not one.names.isdisjoint(claimed.names) for one in alike)


def _named_behind(tree: SentenceTree, token: int) -> int | None:
    """The name that stands directly behind a noun for what it is, "the novel The Slow Coast"; None without one."""
    if token in tree.mentions:
        return None
    behind = token + 1 + (tree.words[token + 1 : token + 2] == ["the"])
    return (
        behind if behind in tree.mentions and tree.heads[behind] == token and tree.labels[behind] == "appos" else None
    )


def below(tree: SentenceTree, token: int) -> Iterator[int]:
    """A token and all that hang on it."""
    yield token
    for child in tree.children(token):
        yield from below(tree, child)


def _words(tree: SentenceTree, token: int) -> Sequence[str]:
    """The base forms of a token, none of a sign or article."""
    if tree.parse.tags[token] in _SIGNS or tree.labels[token] == "case" or tree.words[token] in DETERMINERS:
        return ()
    return normal_form(tree.token(token).text).split() if token in tree.mentions else (_base(tree, token),)


def _base(tree: SentenceTree, token: int) -> str:
    """A word in lower case, a noun in the singular."""
    word = tree.words[token]
    if tree.parse.fine_tags[token] != "NNS" or len(word) < MIN_PLURAL:
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")
