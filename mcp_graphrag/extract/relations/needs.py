"""What a thing cannot do without another: "Without the Vault, the Till cannot start", "A does not run without B"."""

from collections.abc import Iterator

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.relations.asserted import is_stated
from mcp_graphrag.extract.relations.named import Found, mention_of
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree

_WORKING = frozenset({"work", "run", "start", "function", "operate", "boot", "build", "compile"})
_UNABLE = frozenset({"can", "ca", "do", "does", "will", "wo"})
_MANNER = frozenset({"not", "n't", "properly", "correctly"})
_NEVER = frozenset({"Person", "Location", "Date", "Role"})
_CONFIDENCE = 0.8


def needs(tree: SentenceTree, verb: int) -> Iterator[Found]:
    """The dependency that a clause states by what does not work without a thing, if nothing else limits it."""
    if "without" not in tree.words or tree.lemma(verb) not in _WORKING or not tree.children(verb, "neg"):
        return
    children = tree.children(verb)
    prepositions = tree.children(verb, "prep")
    known = {"prep", "neg", "aux", "nsubj", "advmod", "punct"}
    limited = {tree.labels[child] for child in children} - known or not _MANNER.issuperset(
        tree.child_words(verb, "neg", "advmod")
    )
    if limited or len(prepositions) != 1 or tree.words[prepositions[0]] != "without":
        return
    if not _UNABLE.issuperset(tree.child_words(verb, "aux")) or not is_stated(tree, verb):
        return
    needed, subjects = tree.children(prepositions[0], "pobj"), tree.children(verb, "nsubj")
    if len(needed) != 1 or len(subjects) != 1 or len(tree.conjuncts(subjects[0])) != 1:
        return
    subject = mention_of(tree, subjects[0])
    for noun in tree.conjuncts(needed[0]):
        # A name itself, as "without the Vault team's keys" is about keys; what "without" excludes is no negated noun.
        other = tree.mentions.get(noun)
        if subject is None or other is None or {subject.type, other.type} & _NEVER or subject.name == other.name:
            continue
        least = min(tree.certainty(noun, verb), tree.certainty(subjects[0], verb))
        yield Found(DraftTriple(subject, "depends_on", other, "cannot work without", _CONFIDENCE), verb, least)
