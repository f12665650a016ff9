"""Words in front of a name or preposition that take it out of what a clause says: "owned by A, not by B"."""

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, SentenceTree

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


def is_negated_noun(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun says that there is none: "no service", "neither A", "nobody", "none of them"."""
    if tree.words[noun] in {"nobody", "nothing", "none", "nowhere"}:
        return True
    modifiers = tree.child_words(noun, "det", "neg", "preconj", "advmod", "amod")
    if not {"no", "neither", "not", "nor", "few", "hardly"}.isdisjoint(modifiers):
        return True
    before = noun - 1
    while before > 0 and tree.heads[before] == noun and tree.labels[before] in {"det", "amod", "compound"}:
        before -= 1
    own_preposition = tree.labels[noun] == "pobj" and tree.words[before] not in {"without", "except"}
    if is_excluded(tree, before + 1) and not (own_preposition and before == tree.heads[noun]):
        return True  # "A, not B, owns C", but not in "instead of A, B owns C"
    behind = tree.words[noun + 1 : noun + 3]
    if behind[:1] in (["not"], ["never"]) and behind[1:] and behind[1].endswith(("ing", "ed")):
        return True  # "depends on A not being used"
    return any(tree.children(child, "neg") for child in tree.children(noun, "acl"))


def is_question(tree: SentenceTree, root: int) -> bool:
    """Whether an auxiliary stands in front of the subject at the start: "Does A use B"."""
    subjects = tree.children(root, *SUBJECTS)
    auxiliaries = tree.children(root, "aux", "auxpass") or ([root] if tree.lemma(root) in {"be", "have", "do"} else [])
    opening = next((index for index in range(tree.size) if tree.words[index].isalpha()), None)
    return bool(subjects and auxiliaries) and auxiliaries[0] == opening and auxiliaries[0] < subjects[0]
