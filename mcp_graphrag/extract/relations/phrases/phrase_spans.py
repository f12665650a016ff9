"""The words of a phrase: from where to where it goes, and whether it says by itself what is meant."""

from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.relations.find_subjects import RELATIVES
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.named import is_cut
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.extract.spans import Span
from mcp_graphrag.model import PHRASE

_MAX_TOKENS = 20
_CUT_AT = frozenset({";", ":", "—", "–", "--", "("})
_NEXT_CLAUSES = frozenset({"conj", "advcl", "ccomp", "parataxis", "cc", "dep", "intj", "mark"})
_ENDS = frozenset({"NOUN", "PROPN", "NUM", "X", "SYM"})
_CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "X"})
_MODIFIERS = frozenset({"prep", "relcl", "acl", "compound", "nmod"})
_FINITE = frozenset({"VBZ", "VBD", "VBP"})
_NOT_OF_NOUN = frozenset({"with", "without", "by", "as", "during", "after", "before"})
_BEHIND_NOUNS = frozenset({"prep", "relcl", "acl", "xcomp", "pobj"})
_ORDER = frozenset({"first", "second", "third", "last", "next", "only"})
_BEHIND_REMARKS = frozenset({"NOUN", "ADJ", "NUM"})


def phrase_mention(tree: SentenceTree, span: Span) -> DraftMention:
    """The phrase of these tokens as the end of a triple."""
    first, stop = span
    return DraftMention(tree.token(first).start, tree.token(stop - 1).end, text_of(tree, span), PHRASE, "phrase", 0.5)


def tokens_below(tree: SentenceTree, token: int) -> list[int]:
    """A token and all that hang on it, in text order."""
    found, left = list[int](), [token]
    while left:
        found.append(left.pop())
        left += tree.children(found[-1])
    return sorted(found)


def to_clause_end(tree: SentenceTree, verb: int, complement: int) -> Span | None:
    """The tokens from the first of a complement to the end of its clause; None where they are not in one piece.

    What may follow, as a remark behind a comma, is left out.
    """
    first, stop = tokens_below(tree, complement)[0], tree.size
    for child in tree.children(verb):
        if child > complement and tree.labels[child] in _NEXT_CLAUSES:
            stop = min(stop, *tokens_below(tree, child))
    for at in range(first, stop):
        if _is_next_clause(tree, at):
            stop = at
            break
        if tree.words[at] == "(" and _goes_on_behind_bracket(tree, at, stop):
            return None
        if tree.words[at] in _CUT_AT or (tree.words[at] == "," and not _is_of_list(tree, at, stop)):
            if _may_need_more(tree, at):
                return None
            stop = at
            break
    while stop > first and tree.labels[stop - 1] in {"punct", "cc"}:
        stop -= 1
    is_noun = tree.parse.tags[stop - 1] in _ENDS or stop - 1 in tree.mentions
    if first <= verb or not 0 < stop - first <= _MAX_TOKENS or not is_noun or _is_cut(tree, stop - 1):
        return None
    return (first, stop) if set(tokens_below(tree, verb)).issuperset(range(first, stop)) else None


def _is_next_clause(tree: SentenceTree, token: int) -> bool:
    """Whether "and" goes on with the verb of the sentence behind an infinitive: "is used to draw and is a library"."""
    finite = (
        child
        for child in tree.children(tree.heads[token], "conj")
        if child > token and tree.parse.fine_tags[child] in _FINITE
    )
    return tree.labels[token] == "cc" and tree.parse.fine_tags[tree.heads[token]] == "VB" and any(finite)


def _may_need_more(tree: SentenceTree, cut: int) -> bool:
    """Whether what stands in front of a comma or dash may need what stands behind it: "folk, rock and pop singer"."""
    if cut + 1 >= tree.size or tree.parse.tags[cut + 1] == "PUNCT":
        return tree.words[cut] == ","
    if tree.words[cut] == "–" and tree.token(cut).start == tree.token(cut - 1).end:
        return True  # "May 3–5"
    is_remark = tree.labels[cut + 1] == "appos" or cut + 1 in tree.mentions
    return tree.words[cut] == "," and tree.parse.tags[cut + 1] in _BEHIND_REMARKS and not is_remark


def _goes_on_behind_bracket(tree: SentenceTree, opening: int, stop: int) -> bool:
    """Whether a phrase goes on behind a remark in brackets: "two miles (3 km) east of Moss"."""
    closing = next((at for at in range(opening, stop) if tree.words[at] == ")"), stop)
    return closing + 1 < stop and tree.parse.tags[closing + 1] not in {"PUNCT", "CCONJ"}


def _is_of_list(tree: SentenceTree, comma: int, stop: int) -> bool:
    """Whether a comma parts items of a list or adjectives, and no remark."""
    behind = comma + 1 + (tree.words[comma + 1 : comma + 2] in (["and"], ["or"]))
    if behind >= stop:
        return False
    joined = next((at for at in (behind, *tree.ancestors(behind)) if tree.labels[at] == "conj"), None)
    if joined is not None:
        below = tokens_below(tree, joined)
        if behind in below and below[0] >= comma:
            return True
    return tree.labels[behind] == "amod" and tree.parse.tags[behind - 2] == "ADJ"


def _is_cut(tree: SentenceTree, token: int) -> bool:
    """Whether a phrase goes on behind its last token: a name that does, or an initial, behind which texts are split."""
    text = tree.token(token).text
    return (len(text) == 1 and text.isupper()) or (token in tree.mentions and is_cut(tree, tree.mentions[token]))


def says_something(tree: SentenceTree, span: Span, *, is_past: bool) -> bool:
    """Whether a phrase denies and doubts nothing, and points at nothing outside of it.

    In a story "the bombs" and "the track" are those that it has named before, in documentation "the database" is any.
    """
    if is_past and any(_is_told_before(tree, at, span[1]) for at in range(*span)):
        return False
    words = {
        tree.words[at]
        for at in range(*span)
        if not (tree.words[at] in RELATIVES and tree.labels[tree.heads[at]] == "relcl")
    }
    return words.isdisjoint(GRAMMAR.deictic | GRAMMAR.denying | GRAMMAR.hedges | GRAMMAR.modals | {"no"})


def _is_told_before(tree: SentenceTree, article: int, stop: int) -> bool:
    """Whether "the" stands in front of a noun of which nothing says which one it is: "the bombs with their consent"."""
    if tree.words[article] != "the":
        return False
    noun = article + 1
    while noun < stop and noun not in tree.mentions and tree.parse.tags[noun] == "ADJ":
        noun += 1
    if noun >= stop or noun in tree.mentions or tree.parse.fine_tags[noun] not in {"NN", "NNS"}:
        return False
    behind = noun + 1
    while behind < stop and tree.parse.fine_tags[behind] in {"NN", "NNS"} and behind not in tree.mentions:
        behind += 1
    is_described = "JJS" in tree.parse.fine_tags[article:noun]
    if is_described or behind in tree.mentions:
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
    if not (GRAMMAR.vague | GRAMMAR.opinions).isdisjoint(tree.words[first : head + 1]):
        return False
    if "JJR" in tree.parse.fine_tags[first:head] and "than" not in tree.words[first:stop]:
        return False
    if sum(tags[at] in _CONTENT for at in range(first, stop)) < 2 or _is_time(tree, head):
        return False
    is_bare = all(tree.labels[at] not in _BEHIND_NOUNS for at in range(head + 1, stop))
    is_bare = is_bare and not any(at in tree.mentions for at in range(first, head))
    if is_bare and (tree.words[first] in {"a", "an"} or tags[first] == "NUM" or _is_of_order(tree, first, head)):
        return not of_object and tree.words[first] in {"a", "an"}
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
        text += token.text if is_joined or token.text in {",", ".", ")", "'s"} else f" {token.text}"
    text += '"' * (text.count('"') % 2) + "”" * max(text.count("“") - text.count("”"), 0)
    return " ".join(text.split())
