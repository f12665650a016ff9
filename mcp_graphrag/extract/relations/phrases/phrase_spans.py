"""The words of a phrase, and whether they say by themselves what is meant."""

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.relations.find_subjects import RELATIVES
from mcp_graphrag.extract.relations.names.cut_names import is_cut
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.model import PHRASE

_MAX_TOKENS = 20
_MARKS = frozenset({";", ":", "—", "–", "--", "-", "(", ")", "[", "]", "?", "!", "...", "…"})
_CLOSING = frozenset({".", ",", '"', "”"})
_ENDS = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})
_CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X"})
_MODIFIERS = frozenset({"prep", "relcl", "acl", "compound", "nmod"})
_BEHIND_NOUNS = frozenset({"prep", "relcl", "acl", "xcomp", "pobj"})
_NOT_OF_NOUN = frozenset({"with", "without", "by", "as", "during", "after", "before"})
_ORDER = frozenset({"first", "second", "third", "last", "next", "only"})


def phrase_mention(tree: SentenceTree, span: Span) -> DraftMention:
    """The phrase of these tokens as the end of a triple."""
    first, stop = span
    return DraftMention(tree.token(first).start, tree.token(stop - 1).end, text_of(tree, span), PHRASE, "phrase", 0.5)


def phrase_span(tree: SentenceTree, first: int, stop: int) -> Span | None:
    """The tokens from `first` on, without marks at the end; None where those before `stop` are more than one phrase.

    Without a full stop the sentence may be cut, or a title: "HW offloaded packet injection".
    """
    while stop > first and tree.words[stop - 1] in _CLOSING:
        stop -= 1
    if (
        "." not in tree.words[stop:]
        or not 0 < stop - first <= _MAX_TOKENS
        or not _MARKS.isdisjoint(tree.words[first:stop])
    ):
        return None
    is_noun = tree.parse.tags[stop - 1] in _ENDS or stop - 1 in tree.mentions
    if not is_noun or _is_cut(tree, stop - 1):
        return None
    lists_only = all(tree.words[at] != "," or _is_of_list(tree, at, stop) for at in range(first, stop))
    return (first, stop) if lists_only else None


def _is_of_list(tree: SentenceTree, comma: int, stop: int) -> bool:
    """Whether a comma parts items of a list or adjectives, and no remark."""
    behind = comma + 1 + (tree.words[comma + 1 : comma + 2] in (["and"], ["or"]))
    if behind >= stop:
        return False
    joined = next((at for at in (behind, *tree.ancestors(behind)) if tree.labels[at] == "conj"), None)
    is_item = joined is not None and not tree.is_verb(joined) and tree.heads[joined] < comma < joined
    return is_item or (tree.labels[behind] == "amod" and tree.parse.tags[behind - 2] == "ADJ")


def _is_cut(tree: SentenceTree, token: int) -> bool:
    """Whether a phrase goes on behind its last token: a name that does, or an initial, behind which texts are split."""
    text = tree.token(token).text
    return (len(text) == 1 and text.isupper()) or (token in tree.mentions and is_cut(tree, tree.mentions[token]))


def says_something(tree: SentenceTree, span: Span, *, of_story: bool) -> bool:
    """Whether a phrase denies and doubts nothing, and points at nothing outside of it.

    In a story "the bombs" and "the track" are those that it has named before, in documentation "the database" is any.
    """
    if of_story and any(_is_told_before(tree, at, span[1]) for at in range(*span)):
        return False
    words = {
        tree.words[at]
        for at in range(*span)
        if not (tree.words[at] in RELATIVES and tree.labels[tree.heads[at]] == "relcl")
    }
    return words.isdisjoint(GRAMMAR.deictic | GRAMMAR.denying | GRAMMAR.hedges | GRAMMAR.modals | {"no"})


def _is_told_before(tree: SentenceTree, article: int, stop: int) -> bool:
    """Whether "the" stands in front of a noun of which nothing says which one it is: "the bombs with their consent"."""
    tags = tree.parse.fine_tags
    if tree.words[article] != "the":
        return False
    noun = article + 1
    while noun < stop and noun not in tree.mentions and tree.parse.tags[noun] == "ADJ":
        noun += 1
    behind = noun
    while behind < stop and behind not in tree.mentions and tags[behind] in {"NN", "NNS"}:
        behind += 1
    if behind == noun or behind in tree.mentions or "JJS" in tags[article:noun]:
        return False
    follows = behind < stop and (tree.parse.tags[behind] in {"ADP", "VERB"} or tree.words[behind] in RELATIVES)
    return not follows or tree.words[behind] in _NOT_OF_NOUN


def is_specific(tree: SentenceTree, span: Span, *, of_object: bool) -> bool:
    """Whether a phrase says what is meant: not "the file", "many features", "fewer positions", "the first woman".

    As the object of a verb, "a maximum size" says too little too.
    """
    first, stop = span
    head = next((at for at in range(first, stop) if not first <= tree.heads[at] < stop), first)
    named, tags = tree.mentions.get(head), tree.parse.tags
    if (named is not None and named.kind != "role") or tags[head] not in {"NOUN", "PROPN", "VERB"}:
        return False
    if not (GRAMMAR.vague | GRAMMAR.opinions).isdisjoint(tree.words[first : head + 1]) or _is_time(tree, head):
        return False
    if "JJR" in tree.parse.fine_tags[first:head] and "than" not in tree.words[first:stop]:
        return False
    if sum(tags[at] in _CONTENT for at in range(first, stop)) < 2:
        return False
    is_bare = all(tree.labels[at] not in _BEHIND_NOUNS for at in range(head + 1, stop))
    is_bare = is_bare and not any(at in tree.mentions for at in range(first, head))
    is_one = tree.words[first] in {"a", "an"}
    if is_bare and (is_one or tags[first] == "NUM" or _is_of_order(tree, first, head)):
        return is_one and not of_object
    # Whatever the tree hangs it on: "the music from Journey".
    return tree.words[first] != "the" or any(tree.labels[at] in _MODIFIERS for at in range(first + 1, stop))


def _is_time(tree: SentenceTree, head: int) -> bool:
    """Whether a noun is of a time: "Sunday evening", "the last week"."""
    word = tree.words[head]
    return word.removesuffix("s") in GRAMMAR.times | GRAMMAR.recurring or word.capitalize() in WORDS.weekdays


def _is_of_order(tree: SentenceTree, first: int, head: int) -> bool:
    """Whether the words in front of a noun say which of several is meant: "the first woman", "the only one"."""
    superlative = {"JJS", "RBS"}.intersection(tree.parse.fine_tags[first:head])
    return bool(superlative) or not _ORDER.isdisjoint(tree.words[first:head])


def text_of(tree: SentenceTree, span: Span) -> str:
    """The words of the tokens without the markup between them, with the quotation mark that closes one."""
    first, stop = span
    text = ""
    for at in range(first, stop):
        token = tree.token(at)
        is_joined = at == first or token.start == tree.token(at - 1).end
        text += token.text if is_joined or token.text in {",", ".", "'s"} else f" {token.text}"
    text += '"' * (text.count('"') % 2) + "”" * max(text.count("“") - text.count("”"), 0)
    return " ".join(text.split())
