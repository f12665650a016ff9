"""The predicates that the words of a sentence mean: "was directed by" between two names, or "place of birth" of one.

Words mean a predicate only exactly: by its name in any inflection, by the ontology's lexicon, or by the shipped one.
"""

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.lemmas import singulars
from mcp_graphrag.english.lexicon import Cue, lexicon_with, load_lexicon, verb_forms, verb_lemmas
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.ontology.map_predicates import map_predicate
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.readings import stating_predicates

EMPHATIC = frozenset({"do", "does", "did"})
COPULAS = frozenset({"is", "are", "was", "were", "be", "been", "being"})
AUXILIARIES = COPULAS | EMPHATIC | {"has", "have", "had", "gets", "get", "got"}
NOW = frozenset({"current", "present", "incumbent"})
OCCURRED_ON = "occurred_on"
_BEHIND_COPULA = {"in": ("located_in",), "by": ("created_by", "authored_by")}  # "A is in B", "A is by B"
VAGUE = frozenset({"related_to", "is_a"})  # what the shipped lexicon says of these is no exact meaning


class Relation(NamedTuple):
    """A predicate; with `swap` the name in front of the words is its object."""

    predicate: str
    swap: bool = False


class RelationWords:
    """Reads relations: `stored` are the predicates of the file, to which those of the ontology are added."""

    def __init__(self, stored: Container[str], ontology: Ontology) -> None:
        self._stored, self._ontology = stored, ontology
        self._lexicon = lexicon_with(ontology.phrases)

    def known(self, predicate: str) -> bool:
        """Whether the file or the ontology has a predicate."""
        return predicate in self._stored or predicate in self._ontology.predicates

    def verb(self, words: str) -> Sequence[Relation]:
        """What "A <words> B" says: the predicates that the words mean, those of the file first; [] if none.

        The words have no negation: "depends on", "was directed by", "is the capital of".
        """
        tokens = _tokens(words)
        if not tokens or tokens[-1] in WORDS.articles:
            return []
        nouns = list(self._as_noun_of(tokens))
        found = [*self._as_verb(tokens), *self._as_cue(tokens)]
        if len(tokens) == 2 and tokens[0] in COPULAS:
            found += map(Relation, _BEHIND_COPULA.get(tokens[1], ()))
        if tokens[0] not in EMPHATIC:  # "did pilot" is a verb, though "pilot" is a property
            found.append(Relation(*map_predicate(" ".join(tokens), self._ontology)))
        return list(dict.fromkeys([*self._ordered(nouns, by_narrower=True), *self._ordered(found)]))

    def noun(self, words: str) -> Sequence[Relation]:
        """What "the <words> of A is B" and "A's <words> is B" say, as `verb` gives it."""
        tokens = _without_article(_tokens(words))
        found: list[Relation] = []
        if len(tokens) > 1 and tokens[0] in NOW:  # without a date, what is stored is so now
            found += self.noun(" ".join(tokens[1:]))
        for last in singulars(tokens[-1]) if tokens else ():
            noun = [*tokens[:-1], last]
            name = "_".join(noun)
            found += [Relation(name), Relation(f"has_{name}")]
            found += [Relation(f"{name}_of", swap=True), Relation(f"has_role_{name}", swap=True)]
            found.append(Relation(*map_predicate(" ".join(noun), self._ontology)))
            nouns = [cue for cue in map(self._cue, (noun, [*noun, "of"])) if cue and cue.form == "noun"]
            clauses = map(self._cue, (["is", "the", *noun, "of"], ["is", "a", *noun, "of"]))
            found += [Relation(cue.predicate, not cue.swap) for cue in (*nouns, *clauses) if cue]
        return self._ordered(found, by_narrower=True)

    def _ordered(self, found: Sequence[Relation], *, by_narrower: bool = False) -> list[Relation]:
        """The known relations, each once, those that the file has first.

        With `by_narrower`, for nouns, those that only others state, if there are none.
        """
        known = [relation for relation in dict.fromkeys(found) if self.known(relation.predicate)]
        if not known and by_narrower:
            known = [each for each in dict.fromkeys(found) if is_known(each.predicate, self._stored, self._ontology)]
        return sorted(known, key=lambda relation: relation.predicate not in self._stored)

    def _as_noun_of(self, tokens: list[str]) -> Iterator[Relation]:
        """What a noun behind a copula says, the property of the other name: "is the director of", "was a member of"."""
        if tokens[0] not in COPULAS or len(tokens) < 3:
            return
        noun = _without_article(tokens[1:])
        if noun[-1] == "of" and len(noun) > 1:
            yield from (Relation(predicate, not swap) for predicate, swap in self.noun(" ".join(noun[:-1])))
        if len(noun) < len(tokens) - 1 or noun[-1] == "of":
            yield Relation("_".join(noun))  # "is a member of": member_of

    def _as_verb(self, tokens: list[str]) -> Iterator[Relation]:
        """The predicates whose name is the verb in any inflection, in the active or the passive voice."""
        yield Relation("_".join(tokens))
        bare = _without_auxiliaries(tokens)
        if not bare:
            return
        if len(bare) > 1:
            yield Relation("_".join(bare))
        passive = len(bare) > 1 and bare[-1] == "by"
        if tokens[0] in COPULAS and not passive:
            return  # "was found in" is not "finds in"
        particle = bare[1:-1] if passive else bare[1:]
        for lemma in verb_lemmas(bare[0]):
            for form, text in verb_forms(" ".join([lemma, *particle])):
                # A base form alone is the name of a property: "fathered" does not say that A's father is B.
                if text != lemma:
                    yield Relation("_".join(text.split()), swap=(form == "passive") != passive)

    def _as_cue(self, tokens: list[str]) -> Iterator[Relation]:
        """The predicates to which a lexicon maps the whole phrase."""
        bare = _without_auxiliaries(tokens)
        phrases = [tokens, bare, _without_article(bare)]
        if bare and tokens[0] in EMPHATIC:  # "did come from" is "comes from"
            phrases += [text.split() for form, text in verb_forms(" ".join(bare)) if form in {"verb", "participle"}]
        for phrase in phrases:
            cue = self._cue(phrase)
            if cue is not None and cue.predicate not in VAGUE:
                behind_copula = len(phrase) < len(tokens) and tokens[0] in COPULAS
                if not (behind_copula and cue.form in {"verb", "participle"}) or self._declares(cue, tokens):
                    yield Relation(cue.predicate, cue.swap)
                    if cue.date != OCCURRED_ON:
                        yield Relation(cue.date, cue.swap)  # "died in" of a place is died_in, of a year died_on

    def _cue(self, phrase: Sequence[str]) -> Cue | None:
        """What a lexicon says that the whole phrase means exactly."""
        cue = self._lexicon.find(phrase, 0) if phrase else None
        return cue if cue is not None and cue.exact and len(cue.words) == len(phrase) else None

    def _declares(self, cue: Cue, tokens: Sequence[str]) -> bool:
        """Whether the ontology itself has the phrase: its "was released in" is no past tense behind "was"."""
        rule = self._ontology.rule(cue.predicate)
        return any(_tokens(phrase) == list(tokens) for phrase in (*rule.lexicon, *rule.swapped_lexicon))


def is_known(predicate: str, stored: Container[str], ontology: Ontology) -> bool:
    """Whether a predicate is stored or in the ontology, or one is stored that states it: daughter states parent."""
    if predicate in stored or predicate in ontology.predicates:
        return True
    if predicate not in load_lexicon().predicates:
        return False
    return any(name in stored for name in stating_predicates(ontology, predicate))


def _tokens(words: str) -> list[str]:
    return words.casefold().replace("’", "'").replace("_", " ").split()


def _without_article(tokens: Sequence[str]) -> list[str]:
    return list(tokens[1:] if len(tokens) > 1 and tokens[0] in WORDS.articles else tokens)


def _without_auxiliaries(tokens: Sequence[str]) -> list[str]:
    at = 0
    while at < len(tokens) and tokens[at] in AUXILIARIES:
        at += 1
    return list(tokens[at:])
