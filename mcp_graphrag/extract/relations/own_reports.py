"""What an organization says of itself: "Acme said it has acquired Brine"."""

from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, SentenceTree

_SAYING = frozenset({"say", "announce", "report", "confirm", "disclose"})
_HAVE = frozenset({"has", "had", "have"})
_NO_REPORTERS = frozenset({"Person", "Location", "Date", "Role"})


def own_report(tree: SentenceTree, verb: int) -> int | None:
    """The token of the organization of which a clause says "it has done" in its own report, else None.

    What it did, not what it is or plans: "Acme said it acquired Brine", but not "said it will", "said it is".
    """
    saying = tree.heads[verb]
    if tree.labels[verb] != "ccomp" or saying > verb or tree.lemma(saying) not in _SAYING:
        return None
    subjects, reporters = tree.children(verb, *SUBJECTS), tree.children(saying, "nsubj")
    if [tree.words[at] for at in subjects] != ["it"] or len(reporters) != 1 or tree.lemma(verb) == "be":
        return None
    tag, auxiliaries = tree.parse.fine_tags[verb], set(tree.child_words(verb, "aux", "auxpass"))
    is_done = (tag == "VBD" and not auxiliaries) or (tag == "VBN" and auxiliaries and auxiliaries <= _HAVE)
    reporter = tree.mentions.get(reporters[0])
    if not is_done or reporter is None or reporter.type in _NO_REPORTERS or reporter.kind != "name":
        return None
    is_plain = not tree.children(saying, "neg", "aux") and tree.labels[saying] == "ROOT"
    return reporters[0] if is_plain and reporters[0] == saying - 1 else None
