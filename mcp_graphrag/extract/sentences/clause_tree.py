"""A parsed sentence with the mentions that its tokens are, and the clauses in it: verb, subjects, objects, phrases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lemmas import lemma_of
from mcp_graphrag.english.lexicon import question_words
from mcp_graphrag.english.parser import Parse
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.find_mentions import DraftMention

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
RELATIVES = frozenset({"who", "which", "that", "whom", "whose", "where"})
COPULAS = frozenset({"be", "become", "remain"})
BESIDE = 0.6  # certainty of a name directly behind the noun that describes it, whatever the parser says
_NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"})
_AND = frozenset({"and", "&", "as", "well", "plus", "both"})
_OR = frozenset({"or", "nor", "either", "neither"})
# After these a participle has the subject of its clause: "after leaving A, B joined C".
_SHARING = frozenset({"after", "before", "while", "since", "when", "by", "upon", "on"})
_MAX_DEPTH = 4
_KIN = frozenset(question_words()["kinship"]).union(question_words()["narrower"], question_words()["gendered"])
Tense: TypeAlias = Literal["present", "past", "other"]


class Argument(NamedTuple):
    """A noun of a clause, the prepositions in front of it ("" for none), and the certainty of the arcs to it."""

    token: int
    preposition: str
    certainty: float


@dataclass(frozen=True)
class Clause:
    """A verb with its arguments. Of a passive, the subjects are what something is done to and `agents` who does it.

    `attributes` are what a copula equates the subject with.
    """

    verb: int
    lemma: str
    particle: str
    passive: bool
    tense: Tense
    subjects: Sequence[Argument]
    objects: Sequence[Argument]
    attributes: Sequence[Argument]
    phrases: Sequence[Argument]
    agents: Sequence[Argument]


class ClauseTree:
    """A parse with the children of each token, and the mention of each token that is the end of one."""

    def __init__(self, parse: Parse, mentions: Sequence[DraftMention]) -> None:
        self.parse, self.size = parse, len(parse.tokens)
        self.heads, self.labels = list(parse.heads), list(parse.labels)
        self.tags, self.fine_tags = parse.tags, parse.fine_tags
        self.words = [token.text.replace("’", "'").lower() for token in parse.tokens]
        by_end = {mention.end: mention for mention in mentions}
        self.mentions: dict[int, DraftMention] = {
            index: by_end[token.end]
            for index, token in enumerate(parse.tokens)
            if token.end in by_end and token.start >= by_end[token.end].start
        }
        for index in range(1, self.size):
            if self._is_sibling(index):
                self.heads[index], self.labels[index] = index - 1, "appos"
        self.certainties = [
            max(certainty, BESIDE) if self._is_beside(index) else certainty
            for index, certainty in enumerate(parse.certainty)
        ]
        self._children: list[list[int]] = [[] for _ in range(self.size)]
        for index, head in enumerate(self.heads):
            if head != index:
                self._children[head].append(index)

    def _is_sibling(self, index: int) -> bool:
        """Whether the parser gives a name the place of the noun in front of it: "the writer Ann wrote"."""
        before = index - 1
        is_pair = before not in self.mentions and index in self.mentions and self.fine_tags[before] == "NN"
        is_same = self.heads[before] == self.heads[index] and self.labels[before] == self.labels[index]
        return is_pair and is_same and self.labels[index] in SUBJECTS | {"pobj", "dobj", "attr"}

    def _is_beside(self, index: int) -> bool:
        """Whether an apposition is a name directly behind its noun: "the translator Ann"."""
        return self.labels[index] == "appos" and index in self.mentions and self.heads[index] == index - 1

    def children(self, index: int, *labels: str) -> list[int]:
        """The children in text order, of these labels if any are given."""
        found = self._children[index]
        return [child for child in found if self.labels[child] in labels] if labels and found else found

    def child_words(self, index: int, *labels: str) -> set[str]:
        """The words of those children, in lower case."""
        return {self.words[child] for child in self.children(index, *labels)}

    def lemma(self, index: int) -> str:
        """The base form of a verb; of another word the word itself."""
        return lemma_of(self.words[index], self.fine_tags[index])

    def is_verb(self, index: int) -> bool:
        """Whether the token is a verb or an auxiliary, and no name."""
        return self.tags[index] in {"VERB", "AUX"} and index not in self.mentions

    def is_noun(self, index: int) -> bool:
        """Whether the token is a noun, a name or a pronoun."""
        return self.tags[index] in _NOUNS or index in self.mentions

    def ancestors(self, index: int) -> Iterator[int]:
        """The heads from the nearest to the root."""
        while self.heads[index] != index:
            index = self.heads[index]
            yield index

    def certainty(self, index: int, ancestor: int) -> float:
        """The least certainty of the arcs between a token and one of its ancestors."""
        least = 1.0
        while index != ancestor and self.heads[index] != index:
            least = min(least, self.certainties[index])
            index = self.heads[index]
        return least

    def conjuncts(self, index: int) -> list[int]:
        """A noun and those that "and" joins to it; none of alternatives, and only the first of a list without "and"."""
        found, links = [index], set[str]()
        for each in found:
            links |= self.child_words(each, "cc", "preconj")
            joined = [one for one in self.children(each, "conj") if self.is_noun(one) and not self._is_gapped(one)]
            found += [one for one in joined if not self.is_excluded(one, each)]
        if len(found) == 1:
            return found
        return [] if links & _OR else found if links and links <= _AND else [index]

    def is_excluded(self, token: int, ancestor: int) -> bool:
        """Whether a noun or preposition behind its head is denied, or stands in brackets: "by A, not by B"."""
        before = self.words[max(ancestor + 1, token - 3) : token]
        denied = {"not", "formerly", "previously", "instead", "rather", "longer", "except"}.intersection(before)
        between = self.words[ancestor:token]
        return (bool(denied) and "only" not in before) or between.count("(") > between.count(")")

    def _is_gapped(self, noun: int) -> bool:
        """Whether a noun has a verb or preposition of its own: "A uses B and C uses D", "by A and C by D"."""
        # "his mother Ann was"
        behind = max([noun, *(each for each in self.children(noun, "appos") if each in self.mentions)]) + 1
        own_verb = behind < self.size and self.is_verb(behind) and self.fine_tags[behind] in {"VBZ", "VBD", "VBP"}
        own_verb = own_verb and behind not in self.ancestors(noun)  # "A and B use C"
        again = behind < self.size and self.heads[noun] < noun and self.words[behind] in self.words[: noun - 1][-6:]
        is_prep = behind < self.size and self.tags[behind] == "ADP"
        return own_verb or (again and is_prep)


def read_clauses(tree: ClauseTree) -> Iterator[Clause]:
    """The clauses with a subject, in the order of their verbs."""
    for verb in range(tree.size):
        if tree.is_verb(verb) and tree.labels[verb] not in {"aux", "auxpass"}:
            subjects = list(_subjects(tree, verb))
            if subjects:
                yield _clause(tree, verb, subjects)


def _clause(tree: ClauseTree, verb: int, subjects: Sequence[Argument]) -> Clause:
    passive = is_passive(tree, verb)
    prepositions = tree.children(verb, "prep", "agent", "dative")
    for each in prepositions:  # "on A and on B"
        prepositions += [one for one in tree.children(each, "conj") if tree.words[one] == tree.words[each]]
    prepositions = [one for one in prepositions if not tree.is_excluded(one, verb)]
    phrases = [one for child in prepositions for one in phrase(tree, child, verb)]
    return Clause(
        verb=verb,
        lemma=tree.lemma(verb),
        particle=next((tree.words[child] for child in tree.children(verb, "prt")), ""),
        passive=passive,
        tense=tense_of(tree, verb),
        subjects=subjects,
        objects=[*(_nouns(tree, verb, "dobj") or _called(tree, verb)), *_relative_object(tree, verb)],
        attributes=_nouns(tree, verb, "attr", "oprd", "acomp"),
        phrases=[one for one in phrases if not (passive and one.preposition == "by")],
        agents=[one for one in phrases if passive and one.preposition == "by"],
    )


def _nouns(tree: ClauseTree, verb: int, *labels: str) -> list[Argument]:
    return [
        Argument(noun, "", tree.certainty(noun, verb))
        for child in tree.children(verb, *labels)
        if not (tree.words[child] in RELATIVES and child not in tree.mentions)
        for noun in (tree.conjuncts(child) if tree.is_noun(child) else [child])
    ]


def _called(tree: ClauseTree, verb: int) -> list[Argument]:
    """The name behind a verb that the parser takes for what somebody is called: "calls Kafka"."""
    is_active = not is_passive(tree, verb) and verb + 1 in tree.mentions
    return [one for one in _nouns(tree, verb, "oprd") if is_active and one.token == verb + 1]


def _relative_object(tree: ClauseTree, verb: int) -> list[Argument]:
    """What "which" is the object of: in "Redis, which the API uses" it is Redis."""
    if tree.labels[verb] != "relcl" or not any(tree.words[one] in RELATIVES for one in tree.children(verb, "dobj")):
        return []
    return [Argument(tree.heads[verb], "", tree.certainties[verb])] if not _is_ambiguous(tree, verb) else []


def phrase(tree: ClauseTree, preposition: int, ancestor: int, before: str = "") -> Iterator[Argument]:
    """The nouns behind a preposition, or behind one that follows it: "out of"."""
    words = f"{before} {tree.words[preposition]}".strip()
    if tree.is_noun(preposition):  # a dative
        yield Argument(preposition, "to", tree.certainty(preposition, ancestor))
        return
    for child in tree.children(preposition):
        if tree.labels[child] == "pobj":
            for noun in tree.conjuncts(child):
                yield Argument(noun, words, tree.certainty(noun, ancestor))
        elif tree.labels[child] in {"prep", "pcomp"} and tree.tags[child] in {"ADP", "SCONJ"}:
            yield from phrase(tree, child, ancestor, words)


def _subjects(tree: ClauseTree, verb: int, depth: int = 0) -> Iterator[Argument]:
    """The subjects of a verb: its own, those that it shares with another one, or the noun that it describes."""
    own = tree.children(verb, *SUBJECTS)
    if len(own) > 1 or depth > _MAX_DEPTH:
        return  # no verb has two: the tree is wrong
    if own:
        subject = own[0]
        if tree.words[subject] in RELATIVES and subject not in tree.mentions:
            if tree.labels[verb] == "relcl" and not _is_ambiguous(tree, verb):
                yield Argument(tree.heads[verb], "", min(tree.certainties[verb], tree.certainties[subject]))
            return
        is_one = bool({tree.words[verb], *tree.child_words(verb, "aux", "auxpass")} & {"is", "was", "has"})
        for noun in tree.conjuncts(subject)[: 1 if is_one or tree.fine_tags[verb] == "VBZ" else None]:
            if not tree.child_words(noun, "prep") & {"for", "without"}:  # "Moss for Windows" is one use of it
                yield Argument(noun, "", tree.certainty(noun, verb))
        return
    for argument in _shared(tree, verb, depth):
        yield argument._replace(certainty=min(argument.certainty, tree.certainties[verb]))


def _shared(tree: ClauseTree, verb: int, depth: int) -> Iterator[Argument]:
    label, head = tree.labels[verb], tree.heads[verb]
    is_next = label == "conj" and tree.is_verb(head) and is_passive(tree, verb) == is_passive(tree, head)
    if (
        is_next
        or (label == "conj" and tree.is_verb(head) and tree.children(verb, "aux", "auxpass"))
        or (label == "conj" and tree.is_verb(head) and not is_passive(tree, verb))
        or (label == "xcomp" and tree.is_verb(head) and not tree.children(head, "dobj"))
    ):
        yield from _subjects(tree, head, depth + 1)
    elif label == "pcomp" and tree.words[head] in _SHARING and tree.is_verb(tree.heads[head]):
        if not is_passive(tree, tree.heads[head]) or tree.words[head] != "by":
            yield from _subjects(tree, tree.heads[head], depth + 1)
    elif label == "advcl" and tree.is_verb(head) and not (verb > head and tree.fine_tags[verb] == "VBN"):
        yield from _subjects(tree, head, depth + 1)
    elif label == "acl" and tree.is_noun(head) and not _is_ambiguous(tree, verb):
        is_described = tree.labels[head] in {"attr", "appos", "ROOT"}  # "is a film starring B", not "against A using B"
        if tree.fine_tags[verb] in {"VBN", "VBD"} or (tree.fine_tags[verb] == "VBG" and is_described):
            yield Argument(head, "", tree.certainties[verb])


def _is_ambiguous(tree: ClauseTree, verb: int) -> bool:
    """Whether a clause behind a noun may be about another one in front: "the owner of A, which uses B"."""
    noun = tree.heads[verb]
    first = min([verb, *tree.children(verb)])
    is_thing = tree.labels[noun] == "attr" and not (WORDS.is_of_person(tree.words[noun]) or tree.words[noun] in _KIN)
    if is_thing and tree.fine_tags[verb] == "VBN" and tree.words[max(first - 1, 0)] == ",":
        return False  # "is the first record by A, released in 2005"
    between = [at for at in range(noun + 1, first) if at in tree.mentions and tree.mentions[at].kind != "date"]
    inside = noun in tree.mentions and tree.labels[noun] in {"pobj", "conj", "appos", "poss"}
    # "a fork of B maintained by C": what is maintained?
    is_of_noun = tree.labels[noun] == "pobj" and tree.is_noun(tree.heads[tree.heads[noun]])
    above = tree.heads[tree.heads[noun]]
    is_alone = tree.is_verb(above) and not any(tree.is_noun(at) for at in range(above + 1, noun))
    of_person = noun in tree.mentions and tree.mentions[noun].type == "Person"
    is_next = is_alone and tree.words[noun + 1 : noun + 3] == [",", "who" if of_person else "which"]
    return bool(between) or (inside and (is_of_noun or (not is_next and "," in tree.words[noun:verb])))


def is_passive(tree: ClauseTree, verb: int) -> bool:
    """Whether a verb is in the passive, also as a participle behind a noun: "published in 1849"."""
    if tree.children(verb, "auxpass", "nsubjpass"):
        return True
    if tree.fine_tags[verb] not in {"VBN", "VBD"}:
        return False
    if tree.children(verb, "agent"):
        return not tree.children(verb, "nsubj")
    if tree.fine_tags[verb] != "VBN" or tree.children(verb, "aux"):
        return False
    label, head = tree.labels[verb], tree.heads[verb]
    if label == "conj" and not tree.children(verb, *SUBJECTS):
        return tree.is_verb(head) and is_passive(tree, head)
    return label in {"acl", "advcl"} and not tree.children(verb, "dobj")


def tense_of(tree: ClauseTree, verb: int) -> Tense:
    """Present, past or other; that of an infinitive or participle is other."""
    words = tree.child_words(verb, "aux", "auxpass")
    if words & GRAMMAR.past_auxiliaries:
        return "past"
    if words & GRAMMAR.present_auxiliaries:
        return "present"
    tag = tree.fine_tags[verb]
    if tag == "VBN" and tree.labels[verb] == "conj" and tree.is_verb(tree.heads[verb]):
        return tense_of(tree, tree.heads[verb])
    return "past" if tag == "VBD" else "present" if tag in {"VBZ", "VBP"} else "other"


def is_finite(tree: ClauseTree, verb: int) -> bool:
    """Whether a verb has the form that its place asks for: words without a sentence, such as titles, are parsed too."""
    tag, label = tree.fine_tags[verb], tree.labels[verb]
    if label in {"acl", "advcl", "xcomp", "pcomp"} or tree.children(verb, "aux", "auxpass"):
        return True
    if label == "conj" and not tree.children(verb, *SUBJECTS) and tree.is_verb(tree.heads[verb]):
        return is_finite(tree, tree.heads[verb]) and (tag != "VB" or tree.fine_tags[tree.heads[verb]] == "VB")
    if tag in {"VB", "VBG", "VBN"}:
        return tag == "VBN" and bool(tree.children(verb, "agent"))
    if tag != "VBP":
        return True
    return any(
        tree.fine_tags[subject] in {"NNS", "NNPS", "PRP", "WDT", "WP"}
        or tree.words[subject].endswith("s")
        or tree.children(subject, "conj", "nummod")
        for subject in tree.children(verb, *SUBJECTS)
    )
