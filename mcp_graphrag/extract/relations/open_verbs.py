"""Triples of verbs that the lexicon does not have: the verb is the predicate, "audits", or "holds_stake_in".

What stands behind the preposition of a verb without an object was right too seldom to be kept: every second one was.
"""

from collections.abc import Collection, Iterator, Sequence

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lemmas import third_person
from mcp_graphrag.english.lexicon import irregular_base, is_irregular, predicate_name, pure_participles
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.discourse.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.relations.names.named import Found
from mcp_graphrag.extract.relations.read_clauses import Clause, is_passive
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_MIN_CERTAINTY = 0.6
_BEHIND_OBJECTS = frozenset({"in", "at", "for", "with", "from", "to", "of", "against", "on"})
_SENTENCE_ENDS = frozenset({".", "!", ";", ":"})
_PLAIN = frozenset({"det", "amod", "poss", "nummod"})
_DETERMINERS = frozenset({"a", "an", "the", "this"})
_OF_ALL = frozenset({"every", "each", "all"})
_AMOUNTS = frozenset(
    {"number", "amount", "majority", "percentage", "total", "range", "rest", "half", "type", "kind"} | {"swath", "bit"}
)
# With these the object says what is done: "makes a debut in", "holds a stake in".
_LIGHT_VERBS = frozenset({"make", "take", "give", "have", "hold", "begin", "start", "bring", "leave"})
# "A completed its acquisition of B": A acquired B.
_COMPLETING = frozenset({"complete", "finalize", "finalise", "close", "conclude"})
_ACQUISITIONS = frozenset({"acquisition", "purchase", "takeover", "buyout"})
_MAX_DISTANCE = 5  # tokens from the object to the name
# Behind the object of a verb, these say what the verb needs as well: "pressed A on the accounts".
_GOING_ON = frozenset({"about", "against", "for", "from", "on"})
# Adjectives without which an object is another one: "the second largest port of A", "a different set of B".
_TELLING_APART = frozenset(
    "different other same similar single first second third fourth fifth sixth seventh eighth ninth tenth last".split()  # noqa: SIM905
)
# With these the clause behind the name says what it is about: "urged B to resign".
_PROMPTING = frozenset(
    """
    urge ask tell order invite force persuade encourage request instruct warn remind assure advise convince direct press
    beg dare challenge compel command authorize authorise inform promise enable permit help empower lead
    """.split()  # noqa: SIM905
)


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
    particle = [clause.particle] if clause.particle else []
    if tail not in (particle, [*particle, "by"]) or (clause.lemma in GRAMMAR.empty_verbs and not particle):
        return
    if certainty < _MIN_CERTAINTY or not _may_be_predicate(tree, clause, ends):
        return
    if tail and tree.words[clause.verb + 1 : clause.verb + 2] != tail:
        return  # the preposition may belong to something else between the two
    if not clause.passive and not _GOING_ON.isdisjoint(_prepositions(tree, clause.verb)):
        return
    if not (first.name[0].isalnum() and second.name[0].isalnum()):
        return
    name = predicate_name([third_person(clause.lemma), *tail])
    surface = " ".join(words)
    if clause.passive and clause.tense == "present":
        surface = f"is {surface}"  # "separated" alone would be the past tense
    yield Found(DraftTriple(first, name, second, surface, "open verb"), clause.verb, certainty)


def of_object(
    tree: SentenceTree, clause: Clause, ends: tuple[DraftMention, Argument, DraftMention], argument: Argument
) -> Iterator[Found]:
    """The triple of a verb with an object that is no name, and the name behind it: "opened an office in B"."""
    first, own, second = ends
    if tree.parse.fine_tags[clause.verb] == "VBG" and own.token == clause.verb + 1:
        return  # "was managing director of B"
    particle = [clause.particle] if clause.particle else []
    words = [third_person(clause.lemma), *particle, tree.words[own.token], argument.preposition]
    certainty = min(own.certainty, argument.certainty)
    if (
        certainty >= _MIN_CERTAINTY
        and _says_something(tree, clause, first)
        and _is_plain_object(tree, clause.verb, own.token)
        and _is_directly_behind(tree, own.token, argument)
        and second.start <= tree.token(min(argument.token + 1, tree.size - 1)).start
        and first.name != second.name
        and not _is_only_so(tree, (clause.verb, own.token, argument.token))
        and first.name[0].isalnum()
        and second.name[0].isalnum()
    ):
        surface = " ".join([tree.words[clause.verb], *words[1:]])
        if clause.lemma in _COMPLETING and words[-2] in _ACQUISITIONS and words[-1] == "of":
            yield Found(DraftTriple(second, "acquired_by", first, surface, "open verb"), clause.verb, certainty)
            return
        yield Found(DraftTriple(first, predicate_name(words), second, surface, "open verb"), clause.verb, certainty)


def _prepositions(tree: SentenceTree, verb: int) -> Iterator[str]:
    """The prepositions of a verb behind it."""
    return (tree.words[child] for child in tree.children(verb, "prep", "dative") if child > verb)


def _ends(tree: SentenceTree) -> bool:
    """Whether a sentence ends; else it may be cut, or a headline: "Moss grills Fern on regulation"."""
    return not _SENTENCE_ENDS.isdisjoint(tree.words[-3:])


def _says_something(tree: SentenceTree, clause: Clause, subject: DraftMention) -> bool:
    """Whether a verb with an object may say something of a subject that is surely the one that is meant."""
    if subject.kind == PRONOUN and not _is_person(tree, subject):
        return False  # "it" and "the team" are too often something else than what was named last
    if tree.parse.fine_tags[clause.verb] == "VBG" and clause.verb > 1 and subject.start > tree.token(clause.verb).start:
        return False  # in "the end, supporting characters of A and B …" it is an adjective
    if any(tree.token(at).start > subject.start for at in range(clause.verb) if tree.words[at] == ":"):
        return False  # a label and what is said behind it
    is_empty = clause.lemma in GRAMMAR.empty_verbs and clause.lemma not in _LIGHT_VERBS
    says = not clause.passive and clause.lemma.isalpha() and not is_empty
    return says and _ends(tree) and _agrees(tree, clause, subject)


def _is_plain_object(tree: SentenceTree, verb: int, noun: int) -> bool:
    """Whether an object behind a verb is a common noun without a name, amount or time: "a gold medal"."""
    word = tree.words[noun]
    is_noun = tree.parse.fine_tags[noun] in {"NN", "NNS"} and noun not in tree.mentions and word.isalpha()
    if not is_noun or noun < verb or any(map(tree.is_verb, range(verb + 1, noun))):
        return False  # "spent a billion overseeing the plan of A"
    # "Sends every label to A", and not "visits every office in A".
    determiners = _DETERMINERS | _OF_ALL if tree.words[noun + 1 : noun + 2] == ["to"] else _DETERMINERS
    if word.removesuffix("s") in GRAMMAR.times | _AMOUNTS or not determiners.issuperset(tree.child_words(noun, "det")):
        return False
    if not (GRAMMAR.quantifiers - determiners).isdisjoint(tree.words[verb + 1 : noun]):
        return False
    between = range(verb + 1, noun)
    if any(tree.words[at] in _TELLING_APART or tree.parse.fine_tags[at] in {"JJR", "JJS", "RBS"} for at in between):
        return False
    before = [child for child in tree.children(noun) if child < noun]
    return all(tree.labels[child] in _PLAIN and child not in tree.mentions for child in before)  # not "A's share in B"


def _is_only_so(tree: SentenceTree, said: Collection[int]) -> bool:
    """Whether "only" limits a verb, its object or the name: what it leaves out, a triple does not tell."""
    return any(word == "only" and tree.heads[at] in said for at, word in enumerate(tree.words))


def _is_directly_behind(tree: SentenceTree, noun: int, argument: Argument) -> bool:
    """Whether a preposition follows an object at once, and the name soon; "to" also behind "from" and a name."""
    following = tree.words[noun + 1 : noun + 2]
    is_goal = argument.preposition == "to" and following == ["from"] and noun + 2 in tree.mentions
    if not (is_goal or (argument.preposition in _BEHIND_OBJECTS and following == [argument.preposition])):
        return False
    return noun < argument.token <= noun + _MAX_DISTANCE and not tree.children(argument.token, "nummod")


def _is_person(tree: SentenceTree, pronoun: DraftMention) -> bool:
    """Whether a pronoun is "he" or "she" of what is not known to be something else."""
    token = tree.token_of(pronoun)
    return pronoun.type in {None, "Person"} and token is not None and tree.words[token] in WORDS.he


def _agrees(tree: SentenceTree, clause: Clause, subject: DraftMention) -> bool:
    """Whether a verb has the form that one name needs: not "GitHub API token authentication for B", which has none."""
    word, tag = tree.words[clause.verb], tree.parse.fine_tags[clause.verb]
    is_participle = tag == "VBN" or word in pure_participles()
    if is_participle and not clause.passive and not tree.children(clause.verb, "aux"):
        return False  # "given their showing in A" is a preposition
    if tag in {"VBD", "VBN"} and not word.endswith("ed") and irregular_base(word) is None:
        return False
    is_several = len(clause.subjects) != 1 or subject.name.endswith("s") or subject.kind == PRONOUN
    return is_several or tag not in {"VBP", "VB"} or bool(tree.children(clause.verb, "aux"))


def _may_be_predicate(tree: SentenceTree, clause: Clause, ends: tuple[DraftMention, DraftMention]) -> bool:
    """Whether a verb says something of its own about two names."""
    is_verb = clause.lemma.isalpha() and _agrees(tree, clause, ends[0])
    if not is_verb or "role" in {ends[0].kind, ends[1].kind} or not _ends(tree):
        return False
    if irregular_base(clause.lemma) is not None and not is_irregular(clause.lemma):
        return False  # a past tense that the parser took for a present one
    if clause.lemma in _PROMPTING and tree.children(clause.verb, "xcomp", "ccomp", "advcl"):
        return False
    if tree.labels[clause.verb] == "advcl" and not clause.passive and is_passive(tree, tree.heads[clause.verb]):
        return False  # "B was taken, ending A": it is not B that ended it
    token = tree.token_of(ends[1])
    return token is None or not tree.children(token, "nummod")
