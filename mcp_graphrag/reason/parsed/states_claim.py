"""Whether a clause of a parsed sentence states a claim: the same verb, and each part of the claim in the same role.

What else the clause has must not limit it: for a state, "runs on B in tests" does not state "runs on B".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.relations.asserted import status_of
from mcp_graphrag.extract.relations.read_clauses import Clause, read_clauses
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.reason.clauses.clause_words import ESSENTIAL
from mcp_graphrag.reason.parsed.noun_phrase import NounPhrase, below, holds_of, noun_phrase, stands_for
from mcp_graphrag.store.engine.transaction import now

MIN_CERTAINTY = 0.4
_VERB_GROUP = ("aux", "auxpass", "prt", "punct")
_AT = frozenset({"in", "on", "at", "during"})
_ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "agent", "dative"})
_BESIDE = frozenset({"punct", "cc", "conj", "aux", "auxpass", "prt", "relcl"})
_PLAIN_ADVERBS = frozenset(
    """
    also later then subsequently eventually now currently still publicly jointly together successfully too formally
    officially famously recently already both there here
    """.split()  # noqa: SIM905
)
_LIMITING = frozenset({"without", "except", "unlike", "despite", "instead", "until", "till", "than", "like"})
_MARKS_OF_EVENTS = frozenset({"after", "when", "while", "as", "because", "since", "before", "where"})


@dataclass(frozen=True)
class ParsedClaim:
    """A claim of one clause. `roles` are its nouns by what they do; `dates` those it has, with their prepositions."""

    tree: SentenceTree
    clause: Clause
    roles: "Roles"


@dataclass(frozen=True)
class Roles:
    """The nouns of a clause in the active voice: who does it, to what, what that is, and behind prepositions.

    `phrases` are prepositions with nouns; `dates` prepositions with the tokens of dates.
    """

    doers: Sequence[int]
    things: Sequence[int]
    attributes: Sequence[int]
    phrases: Sequence[tuple[str, int]]
    dates: Sequence[tuple[str, int]]


def parse_claim(tree: SentenceTree) -> ParsedClaim | None:
    """The claim that a sentence makes, None unless it is one asserted clause with a noun beside its subject."""
    clause = next((clause for clause in read_clauses(tree) if clause.verb == tree.parse.root), None)
    if clause is None or status_of(tree, clause.verb) != "holds":
        return None
    roles = _roles(tree, clause)
    nouns = [*roles.doers, *roles.things, *roles.attributes, *(noun for _, noun in (*roles.phrases, *roles.dates))]
    if max(len(roles.doers), len(roles.things)) > 1 or len(nouns) < 2:
        return None
    if not all(_is_clear(tree, subject.token, clause) for subject in clause.subjects):
        return None
    read = {clause.verb, *tree.children(clause.verb, *_VERB_GROUP)}
    for noun in nouns:
        read.update(below(tree, noun))
        read.update(each for each in tree.ancestors(noun) if tree.parse.tags[each] in {"ADP", "SCONJ"})
    is_read = all(token in read or tree.parse.tags[token] == "PUNCT" for token in range(tree.size))
    return ParsedClaim(tree, clause, roles) if is_read else None


def states(tree: SentenceTree, claim: ParsedClaim, names: Mapping[str, str]) -> bool:
    """Whether a clause of an asserted sentence states a claim; `names` are whole names by their parts."""
    clauses = [clause for clause in read_clauses(tree) if status_of(tree, clause.verb) == "holds"]
    whats = dict(_described(tree, clauses, names))
    return _is_called(tree, claim, names) or any(
        _Comparison(claim, tree, clause, names, whats).holds() for clause in clauses if _is_same(claim, clause)
    )


def _is_called(tree: SentenceTree, claim: ParsedClaim, names: Mapping[str, str]) -> bool:
    """Whether a name stands behind what it is claimed to be: "the band released the single DNA"."""
    roles = claim.roles
    if claim.clause.lemma != "be" or roles.phrases or roles.dates or len(roles.attributes) != 1:
        return False
    own, kind = (noun_phrase(claim.tree, at, names) for at in (roles.doers[0], roles.attributes[0]))
    noun = kind.words[-1]
    is_office = noun in WORDS.persons or WORDS.last_word.get(noun) in {"Role", "Person"}  # may be over
    if kind.article not in {"a", "an"} or len(kind.all_words) > 1 or kind.behind or not kind.is_whole or is_office:
        return False
    stated = (noun_phrase(tree, token, names) for token in range(tree.size) if tree.is_noun(token))
    return any(
        one.article == "the" and one.before == kind.all_words and not one.names.isdisjoint(own.names) for one in stated
    )


def _is_clear(tree: SentenceTree, subject: int, clause: Clause) -> bool:
    """Whether it is clear what a claim is about: a name, or all of a kind, "a monk"; not "the service", nor "they"."""
    if any(token in tree.mentions for token in below(tree, subject)):
        return True
    is_kind = not tree.children(subject, "det") or tree.child_words(subject, "det")[0] in {"a", "an"}
    return is_kind and clause.tense == "present" and tree.parse.tags[subject] == "NOUN"


def _is_same(claim: ParsedClaim, clause: Clause) -> bool:
    """Whether both have the same verb in the same tense; a participle behind a noun may be of an event."""
    own = claim.clause
    if (own.lemma, own.particle) != (clause.lemma, clause.particle):
        return False
    return own.tense == clause.tense or (own.tense == "past" and clause.tense == "other" and clause.passive)


def _described(
    tree: SentenceTree, clauses: Sequence[Clause], names: Mapping[str, str]
) -> Iterator[tuple[int, NounPhrase]]:
    """What a noun is said to be: in "A is a film, written by B" the film is A."""
    for clause in clauses:
        if clause.lemma == "be" and len(clause.subjects) == 1:
            for attribute in clause.attributes:
                yield attribute.token, noun_phrase(tree, clause.subjects[0].token, names)


def _roles(tree: SentenceTree, clause: Clause) -> Roles:
    subjects, objects = _tokens(clause.subjects), _tokens(clause.objects)
    doers, things = (_tokens(clause.agents), subjects) if clause.passive else (subjects, objects)
    phrases = [(one.preposition, one.token) for one in clause.obliques]
    beside = [("in", token) for token in tree.children(clause.verb) if _is_date(tree, token)]
    nouns = (*subjects, *objects, *doers, *_tokens(clause.attributes))
    behind = [(tree.words[tree.heads[token]], token) for noun in nouns for token in _dates_behind(tree, noun)]
    dates = [*(one for one in phrases if _is_date(tree, one[1])), *beside, *behind]
    others = [one for one in phrases if not _is_date(tree, one[1])]
    return Roles(doers, things, _tokens(clause.attributes), others, dates)


def _dates_behind(tree: SentenceTree, noun: int) -> Iterator[int]:
    """The dates behind prepositions that hang on a noun, but belong to its clause: "built by Ann Lee in 1991"."""
    for child in tree.children(noun, "prep", "appos", "pobj"):
        if _is_date(tree, child):
            yield child
        yield from _dates_behind(tree, child)


def _tokens(arguments: Sequence[Argument]) -> list[int]:
    return [argument.token for argument in arguments]


def _is_date(tree: SentenceTree, token: int) -> bool:
    return token in tree.mentions and tree.mentions[token].kind == "date"


class _Comparison:
    """A claim beside a clause with the same verb."""

    def __init__(
        self,
        claim: ParsedClaim,
        tree: SentenceTree,
        clause: Clause,
        names: Mapping[str, str],
        whats: Mapping[int, NounPhrase],
    ) -> None:
        self._claim, self._tree, self._clause = claim, tree, clause
        self._names, self._whats = names, whats
        self._roles = _roles(tree, clause)
        self._used: list[int] = []  # the nouns of the clause that are parts of the claim

    def holds(self) -> bool:
        """Whether the clause states the claim."""
        own, other = self._claim.roles, self._roles
        if not own.things and other.things:
            return False  # "A runs B" is not "A runs"
        return (
            all(self._has(noun, other.doers) for noun in own.doers)
            and all(self._has(noun, other.things) for noun in own.things)
            and all(self._has(noun, self._single(other.attributes)) for noun in own.attributes)
            and all(self._has_phrase(*phrase) for phrase in own.phrases)
            and all(self._has_date(*date) for date in own.dates)
            and not self._is_limited()
            and self._is_certain()
        )

    def _single(self, nouns: Sequence[int]) -> list[int]:
        """The nouns that are no members of a list, where "a film and television producer" may be read as a film."""
        return [noun for noun in nouns if self._tree.labels[noun] != "conj" and not self._tree.children(noun, "conj")]

    def _has(self, claimed: int, nouns: Sequence[int]) -> bool:
        """Whether one of the nouns is the claimed one."""
        own = noun_phrase(self._claim.tree, claimed, self._names)
        for noun in nouns:
            stated = noun_phrase(self._tree, noun, self._names)
            what = self._whats.get(noun) if self._claim.clause.lemma != "be" else None
            is_it = holds_of(own, stated) and self._has_behind(own, stated)
            if is_it or (what and holds_of(own, what)) or stands_for(self._tree, noun, own, self._names):
                self._used.append(noun)
                return True
        return False

    def _has_behind(self, own: NounPhrase, stated: NounPhrase) -> bool:
        """Whether all phrases behind the claimed noun stand behind the stated one, or the verb, and no more limit it.

        "An expired certificate of A" has caused what "an expired certificate" has; "140 people in Oslo" are not all.
        """
        around = [*stated.behind, *((word, self._phrase(noun)) for word, noun in self._roles.phrases)]
        found = all(
            any(word == each and holds_of(one, other) and self._has_behind(one, other) for each, other in around)
            for word, one in own.behind
        )
        is_more = len(stated.behind) > len(own.behind) or not (stated.is_whole or stated.names)
        may_be_more = self._claim.clause.tense == "past" and (own.names or own.article in {"a", "an"})
        return found and bool(may_be_more or not is_more)

    def _phrase(self, noun: int) -> NounPhrase:
        return noun_phrase(self._tree, noun, self._names)

    def _has_phrase(self, preposition: str, claimed: int) -> bool:
        own = noun_phrase(self._claim.tree, claimed, self._names)
        for word, noun in self._roles.phrases:
            stated = self._phrase(noun)
            if word == preposition and holds_of(own, stated) and self._has_behind(own, stated):
                self._used.append(noun)
                return True
        behind = [each for noun in self._used for each in self._phrase(noun).behind]
        return any(word == preposition and holds_of(own, stated) for word, stated in behind)

    def _has_date(self, preposition: str, claimed: int) -> bool:
        """Whether the clause has a date within the claimed one."""
        own = read_date(self._claim.tree.mentions[claimed].name)
        for word, noun in self._roles.dates:
            stated = read_date(self._tree.mentions[noun].name)
            same = word == preposition or {word, preposition} <= _AT
            if own and stated and same and own[0] <= stated[0] and stated[1] <= own[1]:
                self._used.append(noun)
                return True
        return False

    def _is_limited(self) -> bool:
        """Whether something else in the clause may say that it is so only in part, or at times."""
        tree = self._tree
        used = {token for noun in self._used for token in below(tree, noun)}
        children = [child for child in tree.children(self._clause.verb) if child not in used]
        own = set(self._claim.tree.words)
        in_part = any(tree.words[token] in ESSENTIAL and tree.words[token] not in own for token in used)
        return in_part or any(self._limits(child) for child in children if used.isdisjoint(below(tree, child)))

    def _limits(self, child: int) -> bool:
        tree, label = self._tree, self._tree.labels[child]
        if label in _ARGUMENTS | _BESIDE or _is_date(tree, child):
            return False
        words = {tree.words[token] for token in below(tree, child)}
        if label in {"advmod", "npadvmod"}:
            return not words <= _PLAIN_ADVERBS
        is_event = self._claim.clause.tense == "past"
        if label == "prep":
            if {*tree.words[child - 2 : child]} in ({",", "not"}, {",", "never"}):
                return False  # "reads from A, never from B"
            return not (ESSENTIAL | _LIMITING).isdisjoint(words) or not (is_event or self._is_since(child))
        if label == "advcl":
            marks = {*tree.child_words(child, "mark", "advmod")}
            return not (is_event and marks <= _MARKS_OF_EVENTS)
        between = tree.words[self._clause.verb : child]
        return not (label in {"ccomp", "parataxis"} and (";" in between or "." in between))  # another sentence

    def _is_since(self, preposition: int) -> bool:
        """Whether a phrase is "since" or "as of" with a date that is not in the future."""
        tree = self._tree
        dates = [read_date(tree.mentions[each].name) for each in below(tree, preposition) if _is_date(tree, each)]
        is_past = bool(dates) and all(date is not None and date[0] <= now() for date in dates)
        return is_past and tree.words[preposition] in {"since", "as"}

    def _is_certain(self) -> bool:
        verb = self._clause.verb
        below_verb = [noun for noun in self._used if verb in self._tree.ancestors(noun)]
        return all(self._tree.certainty(noun, verb) >= MIN_CERTAINTY for noun in below_verb)
