"""Triples of verbs that the lexicon does not have, with their object or agent: the verb is the predicate, "audits".

What stands behind other prepositions was right too seldom to be kept: of such triples every second one was.
"""

from collections.abc import Iterator, Sequence

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import irregular_base, is_irregular, predicate_name
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.lemmas import third_person
from mcp_graphrag.extract.relations.named import Found
from mcp_graphrag.extract.relations.read_clauses import Clause, is_passive
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree

_CONFIDENCE = 0.8
_MIN_CERTAINTY = 0.6


def of_verb(
    tree: SentenceTree,
    clause: Clause,
    ends: tuple[DraftMention, DraftMention],
    words: Sequence[str],
    certainty: float,
) -> Iterator[Found]:
    """The triple of a verb with its object or agent; `words` are those of the verb and of the preposition."""
    first, second = ends
    tail = list(words[1:])
    if tail not in ([], ["by"]) or clause.lemma in GRAMMAR.empty_verbs:
        return
    if certainty < _MIN_CERTAINTY or not _may_be_predicate(tree, clause, ends):
        return
    if tail and tree.words[clause.verb + 1 : clause.verb + 2] != tail:
        return  # the preposition may belong to something else between the two
    if not (first.name[0].isalnum() and second.name[0].isalnum()):
        return
    name = predicate_name([third_person(clause.lemma), *tail])
    yield Found(DraftTriple(first, name, second, " ".join(words), _CONFIDENCE), clause.verb, certainty)


def _may_be_predicate(tree: SentenceTree, clause: Clause, ends: tuple[DraftMention, DraftMention]) -> bool:
    """Whether a verb says something of its own about two names."""
    if not clause.lemma.isalpha() or "role" in {ends[0].kind, ends[1].kind}:
        return False
    if irregular_base(clause.lemma) is not None and not is_irregular(clause.lemma):
        return False  # a past tense that the parser took for a present one
    if tree.labels[clause.verb] == "advcl" and not clause.passive and is_passive(tree, tree.heads[clause.verb]):
        return False  # "B was taken, ending A": it is not B that ended it
    token = next((index for index, mention in tree.mentions.items() if mention.end == ends[1].end), None)
    return token is None or not tree.children(token, "nummod")
