"""Words in front of a name or preposition that take it out of what a clause says: "owned by A, not by B"."""

from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree

_SINGLE = frozenset({"not", "n't", "never", "nor", "neither", "except", "without", "unlike"})
# The second word with those that may stand in front of it.
_PAIRS = {
    "than": frozenset({"rather", "other", "more", "less"}),
    "of": frozenset({"instead"}),
    "but": frozenset({"all", "any", "every", "everyone", "everybody", "everything", "none", "nothing"}),
    "longer": frozenset({"no", "any"}),
    "more": frozenset({"no", "any"}),
    "even": frozenset({"not"}),
    "to": frozenset({"opposed"}),
    "from": frozenset({"apart", "aside"}),
    "for": frozenset({"except"}),
    "necessarily": frozenset({"not"}),
    "yet": frozenset({"not"}),
}
_HARDLY = frozenset({"hardly", "scarcely", "barely", "rarely"})
_LIMITING = frozenset({"only", "just", "merely", "alone", "simply"})
_BREAKS = frozenset({",", "and", "but", ";"})


def is_excluded(tree: SentenceTree, first: int) -> bool:
    """Whether what begins with the token `first`, a preposition or a name with its article, is said not to be so.

    "Not by B", "no longer by B", "rather than B"; "not only by B" alone leaves it open, with "but"
    behind it B is meant too.
    """
    if first < 1:
        return False
    words = tree.words
    last, before = words[first - 1], words[first - 2] if first > 1 else ""
    if last in _LIMITING:
        return before == "not" and "but" not in words[first:]
    return last in _SINGLE or before in _PAIRS.get(last, ())


def is_excluded_phrase(tree: SentenceTree, preposition: int) -> bool:
    """Whether a preposition is excluded, also with words in between: "not, as often claimed, by B", "formerly by B"."""
    before = tree.words[max(preposition - 2, 0) : preposition]
    is_over = before[-1:] and before[-1] in GRAMMAR.formerly and before[0] in _BREAKS
    if is_over or is_excluded(tree, preposition):
        return True
    children = tree.children(preposition, "neg", "advmod")
    denying = [child for child in children if tree.words[child] in _SINGLE | _HARDLY]
    return any(not _LIMITING.issuperset(tree.words[child + 1 : child + 2]) for child in denying)
