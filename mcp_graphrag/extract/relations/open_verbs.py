"""Triples of verbs that the lexicon does not have: the verb is the predicate, "audits", "holds_stake_in"."""

from collections.abc import Iterator, Sequence

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import irregular_base, is_irregular, predicate_name
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.lemmas import third_person
from mcp_graphrag.extract.relations.named import Found
from mcp_graphrag.extract.relations.read_clauses import Clause, is_passive
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree

_OF_OBJECT, _OF_PHRASE = 0.8, 0.75  # confidences
_MIN_CERTAINTY = 0.6
_PREPOSITIONS = frozenset({"in", "at", "for", "from", "to", "with", "on", "of"})
_VAGUE = frozenset({"every", "each", "any", "all", "some", "many", "first", "no", "which", "such"})


def of_verb(
    tree: SentenceTree,
    clause: Clause,
    ends: tuple[DraftMention, DraftMention],
    words: Sequence[str],
    certainty: float,
) -> Iterator[Found]:
    """The triple of a verb with its object, or with a name behind its preposition; `words` are those of both."""
    first, second = ends
    tail = list(words[1:])
    is_agent = tail[-1:] == ["by"]
    if certainty < _MIN_CERTAINTY or not _may_be_predicate(tree, clause, ends, of_phrase=bool(tail) and not is_agent):
        return
    if clause.lemma in (GRAMMAR.light_verbs if tail and not is_agent else GRAMMAR.empty_verbs):
        return
    if tail and tree.words[clause.verb + len(words) - 1 : clause.verb + len(words)] != tail[-1:]:
        return  # the preposition may belong to something else between the two
    if (tail and tail[-1] in GRAMMAR.adjuncts) or not (first.name[0].isalnum() and second.name[0].isalnum()):
        return
    of_place = clause.passive and tail and not is_agent and words[0] == tree.words[clause.verb]
    name = [words[0] if of_place else third_person(clause.lemma), *tail]
    confidence = _OF_PHRASE if tail and not is_agent else _OF_OBJECT
    yield Found(DraftTriple(first, predicate_name(name), second, " ".join(words), confidence), clause.verb, certainty)


def of_verb_and_noun(
    tree: SentenceTree,
    clause: Clause,
    subject: tuple[Argument, DraftMention],
    own: Argument,
    other: tuple[Argument, DraftMention],
) -> Iterator[Found]:
    """The triple of a verb with an object that is no name, and the preposition behind that: "holds a stake in B"."""
    (argument, first), (behind, second) = subject, other
    noun, preposition = tree.words[own.token], behind.preposition
    certainty = min(argument.certainty, own.certainty, behind.certainty)
    if certainty < _MIN_CERTAINTY or not _may_be_predicate(tree, clause, (first, second), of_phrase=True):
        return
    if (
        clause.particle
        or preposition not in _PREPOSITIONS
        or tree.words[own.token + 1 : own.token + 2] != [preposition]
    ):
        return
    if tree.parse.tags[own.token] != "NOUN" or not noun.isalpha() or noun in GRAMMAR.no_objects:
        return
    modifiers = tree.child_words(own.token, "det", "amod", "nummod")
    if clause.lemma not in GRAMMAR.of_mind and _VAGUE.isdisjoint(modifiers) and first.name != second.name:
        name = predicate_name([third_person(clause.lemma), noun, preposition])
        surface = f"{tree.words[clause.verb]} {noun} {preposition}"
        yield Found(DraftTriple(first, name, second, surface, _OF_PHRASE), clause.verb, certainty)


def _may_be_predicate(
    tree: SentenceTree, clause: Clause, ends: tuple[DraftMention, DraftMention], *, of_phrase: bool
) -> bool:
    """Whether a verb says something of its own about two names; what "I" do with a thing says little."""
    if not clause.lemma.isalpha() or "role" in {ends[0].kind, ends[1].kind}:
        return False
    if irregular_base(clause.lemma) is not None and not is_irregular(clause.lemma):
        return False  # a past tense that the parser took for a present one
    if tree.labels[clause.verb] == "advcl" and not clause.passive and is_passive(tree, tree.heads[clause.verb]):
        return False  # "B was taken, ending A": it is not B that ended it
    token = next((index for index, mention in tree.mentions.items() if mention.end == ends[1].end), None)
    if token is not None and tree.children(token, "nummod"):
        return False
    return not of_phrase or all(tree.words[one.token] != "i" for one in clause.subjects)
