"""What a noun is of: "B's owner", "the owner of B", "the B owner"."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lexicon import Cue
from mcp_graphrag.extract.relations.names.named import mention_of
from mcp_graphrag.extract.relations.read_clauses import examples, gapped_from, phrase
from mcp_graphrag.extract.relations.sentence_tree import BESIDE, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.guessed_types import may_be_person

_HIS = frozenset({"his", "her"})
_KIN = frozenset(
    """
    husband wife partner fiancé fiancée fiance fiancee widow widower father mother son daughter brother sister uncle
    aunt nephew niece cousin grandson granddaughter grandfather grandmother stepson stepdaughter stepfather
    stepmother twin
    """.split()  # noqa: SIM905
)
_NO_PERSONS = frozenset({"date", "url", "email"})
_BEFORE_THINGS = frozenset({"in", "at", "to", "from", "near", "the", "a", "an"})
_WRITING = frozenset({"write", "publish", "finish", "complete"})
_OF_FIELDS = frozenset({"professor", "lecturer", "teacher", "student", "scholar", "doctor", "master", "bachelor"})
_ORDINALS = frozenset("first second third fourth fifth sixth debut early late last new latest own acclaimed".split())  # noqa: SIM905
_OWNING = frozenset({"pobj", "nsubj", "nsubjpass", "attr", "conj"})


class Owner(NamedTuple):
    """What a noun is of: the preposition or "'s" or "" for a compound, the mention, its token and its certainty."""

    preposition: str
    mention: DraftMention
    token: int
    certainty: float


def owners_of(tree: SentenceTree, noun: int, holder: int) -> Iterator[Owner]:
    """What a noun is of: "B's noun", "noun of B", "B noun"; a possessor may hang on the name behind the noun."""
    end = gapped_from(tree, noun)
    for child in tree.children(noun, "prep", "agent"):
        arguments = [one for one in phrase(tree, child, noun) if one.token < end]
        for argument in [*arguments, *(one for each in arguments for one in examples(tree, each))]:
            mention = mention_of(tree, argument.token)
            if mention is not None and not (_is_of_type(tree, argument.token) or is_field(tree.words[noun], mention)):
                yield Owner(argument.preposition, mention, argument.token, argument.certainty)
    in_front = tree.mentions.get(noun - 1)
    if noun in tree.mentions and in_front is not None and in_front.kind == "name" and noun < holder:
        yield Owner("", in_front, noun - 1, BESIDE)  # "Acme CFO Bob Stone"
        return
    for host in [noun, holder] if tree.heads[noun] == holder and noun < holder else [noun]:
        yield from _possessors(tree, noun, host)
        for child in tree.children(host, "compound", "nmod", "amod"):
            if child in tree.mentions and child < noun:
                yield Owner("", tree.mentions[child], child, tree.certainties[child])


def _is_of_type(tree: SentenceTree, token: int) -> bool:
    """Whether a name says only of what type something is: "the largest value of type A"."""
    return tree.words[max(token - 1, 0)] in {"type", "kind", "class"}


def is_field(noun: str, mention: DraftMention) -> bool:
    """Whether a name in ordinary words is what somebody teaches or studies: "a professor of Landscape Architecture"."""
    return noun in _OF_FIELDS and mention.type is None and all(map(GAZETTEER.is_common, mention.name.split()))


def _possessors(tree: SentenceTree, noun: int, host: int) -> Iterator[Owner]:
    for child in tree.children(host, "poss"):
        for token in tree.conjuncts(child) if tree.is_noun(child) else [child]:
            mention = tree.mentions.get(token)
            first = tree.heads[noun]
            if mention is None and tree.words[token] in _HIS and tree.labels[noun] == "conj":
                # "Karl Moe and his wife Ada Brook"
                mention = tree.mentions.get(first) if tree.labels[first] in _OWNING else None
            if mention is None and tree.words[token] in _HIS and (tree.words[noun] in _KIN or _is_written(tree, noun)):
                mention = _only_person_before(tree, token)
            if mention is None and tree.words[token] == "its" and tree.words[tree.heads[noun]] == "as":
                mention = _who_appoints(tree, tree.heads[tree.heads[noun]])
            if mention is not None:
                yield Owner("'s", mention, token, tree.certainty(token, host))


def _is_written(tree: SentenceTree, noun: int) -> bool:
    """Whether a written work is surely by the subject: "won it for her novel A", not "keeps her favourite novel A"."""
    above = tree.heads[noun]
    is_own = tree.labels[noun] == "pobj" and tree.words[above] == "for"
    is_own |= tree.labels[noun] == "dobj" and tree.lemma(above) in _WRITING
    ordinal = all(word in _ORDINALS for word in tree.child_words(noun, "amod", "compound", "nmod"))
    return is_own and ordinal and tree.words[noun] in GRAMMAR.written


def _only_person_before(tree: SentenceTree, token: int) -> DraftMention | None:
    """Who is the subject of a sentence and the only person in front: Ann in "Ann lives in Oslo with her husband"."""
    before = [(at, one) for at, one in tree.mentions.items() if at < token and one.kind not in _NO_PERSONS]
    may_be = [
        (at, one)
        for at, one in before
        if one.type == "Person" or (one.type is None and tree.words[at - 1] not in _BEFORE_THINGS)
    ]
    if len(may_be) != 1 or may_be[0] != before[0]:
        return None
    at, person = may_be[0]
    is_person = person.type == "Person" or may_be_person(person.name)
    return person if is_person and tree.labels[at] in {"nsubj", "nsubjpass"} else None


def _who_appoints(tree: SentenceTree, verb: int) -> DraftMention | None:
    """Who does something: A of "A appointed B as its head" and "B was appointed by A as its head"."""
    by = [noun for agent in tree.children(verb, "agent") for noun in tree.children(agent, "pobj")]
    return next((mention for token in by or tree.children(verb, "nsubj") if (mention := mention_of(tree, token))), None)


def noun_words(tree: SentenceTree, noun: int) -> list[str]:
    """The noun with up to two adjectives or nouns in front of it, in lower case."""
    words = [tree.words[noun]]
    at = noun - 1
    while at >= 0 and len(words) < 3 and tree.heads[at] in range(at + 1, noun + 1) and at not in tree.mentions:
        if tree.labels[at] not in {"compound", "amod", "nmod"}:
            break
        words.insert(0, tree.words[at])
        at -= 1
    return words


def is_in_part(tree: SentenceTree, noun: int, words: Sequence[str], cue: Cue, owner: DraftMention) -> bool:
    """Whether the words in front of an office say that it is one in a part: "finance director", "European head".

    Not in "museum director of the Halle Museum".
    """
    if words[-1] not in GRAMMAR.offices:
        return False
    first = noun - len(words) + 1
    left = range(first, first + len(words) - sum(word in words for word in cue.words))
    before = tree.words[max(first - 1, 0)]
    nouns = {tree.words[at] for at in left if tree.labels[at] in {"compound", "nmod"} and tree.parse.tags[at] != "ADJ"}
    is_noun = not nouns <= GRAMMAR.whole | GRAMMAR.works | {*owner.name.lower().split()}
    return is_noun or not GRAMMAR.partial.isdisjoint({before, *(tree.words[at] for at in left)})
