"""Triples of verbs: of subject and object, or of the subject and the name behind a preposition."""

from collections.abc import Iterator, Sequence

from mcp_graphrag.english.lexicon import OWN_OBJECT, RELATED_TO, Cue, Lexicon, predicate_name
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import (
    OCCURRED_ON,
    DraftTriple,
    is_demonym,
    is_software,
    predicate_of,
    with_type,
)
from mcp_graphrag.extract.relations.clause_times import SUCCEEDING
from mcp_graphrag.extract.relations.event_dates import dates_of_event, is_set_up
from mcp_graphrag.extract.relations.limits import has_goal
from mcp_graphrag.extract.relations.names.longer_names import named_kind
from mcp_graphrag.extract.relations.names.named import (
    Found,
    described_by,
    fits,
    gives_name,
    is_class,
    is_school,
    may_be_group,
    mention_of,
    typed,
)
from mcp_graphrag.extract.relations.nouns.kinds import BUILT, is_any, kind_triples
from mcp_graphrag.extract.relations.nouns.noun_relations import noun_triples
from mcp_graphrag.extract.relations.open_verbs import of_object, of_verb
from mcp_graphrag.extract.relations.read_clauses import Clause, does_more, is_about_other, is_left_so, phrase
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

COPULAS = frozenset({"be", "become", "remain"})
_ACTIVE = frozenset({"verb", "participle", "phrase"})
_PASSIVE = frozenset({"phrase", "participle", "passive"})
_NAMING = frozenset({"call", "name", "know", "dub", "nickname", "rename", "title"})
_APPOINTING = frozenset({"appoint", "name", "elect", "promote", "make", "nominate"})
_HOLDING = frozenset({"serve", "work", "act", "remain", "join", "retire", "continue", "return"})
_OF_SOFTWARE = frozenset({"uses", "depends_on", "requires", "needs", "runs_on", "queries"})
_BUILT_WITH = frozenset({"Technology", "Database", "Framework", "Library"})
_OF_WORKS = frozenset({"produced_by", "directed_by", "created_by", "authored_by", "published_by"})
_OF_INTERFACES = _OF_SOFTWARE.union(["supports", "implements", "provides", "wraps", "exports", "exposes", "extends"])
# "A uses B to do C": what for, and not what B does.
_FOR_PURPOSES = frozenset({"help", "enable", "use", "call", "query", "invoke", "employ", "consult", "leverage"})
# "A replaced B with C": C replaces B.
_EXCHANGING = frozenset({"replace", "supplant", "supersede"})


class ClauseReader:
    """Reads the triples of clauses of one sentence by the predicates of a lexicon."""

    def __init__(self, tree: SentenceTree, lexicon: Lexicon) -> None:
        self._tree, self._lexicon = tree, lexicon

    def triples(self, clause: Clause) -> Iterator[Found]:
        """The triples of a clause, without regard to whether it is asserted; dates only where they are the object."""
        subjects = [
            (argument, mention) for argument in clause.subjects if (mention := described_by(self._tree, argument.token))
        ]
        if clause.lemma in _NAMING:  # "functions called A and B": neither is what is called
            subjects = [one for one in subjects if one[1].start < self._tree.token(clause.verb).start]
        if clause.lemma in COPULAS and not clause.passive:
            yield from self._of_copula(clause, subjects)
        for argument, mention in subjects:
            if mention.kind == "date":
                continue
            if clause.passive:
                yield from self._of_passive(clause, argument, mention)
            elif clause.lemma not in COPULAS:
                yield from self._of_active(clause, argument, mention)

    def _of_own_dates(self, clause: Clause, subject: Argument, mention: DraftMention) -> Iterator[Found]:
        """The dates of a verb without a preposition: "born April 8, 1963"."""
        verb = self._tree.words[clause.verb]
        for child in self._tree.children(clause.verb, "npadvmod", "dobj", "oprd", "attr", "tmod", "nmod"):
            date = self._tree.mentions.get(child)
            cue = self._cue([verb], _PASSIVE) or self._cue([verb, "on"], _PASSIVE)
            if date is not None and date.kind == "date" and cue is not None and cue.date != OCCURRED_ON:
                argument = Argument(child, "on", self._tree.certainties[child])
                yield from dates_of_event(self._tree, clause, (subject, mention), (argument, date), cue)

    # ---- verbs

    def _of_active(self, clause: Clause, subject: Argument, mention: DraftMention) -> Iterator[Found]:
        verb = [self._tree.verb_word(clause.verb), *([clause.particle] if clause.particle else [])]
        if clause.lemma in _EXCHANGING and any(one.preposition == "with" for one in clause.obliques):
            yield from self._of_exchange(clause, verb)
            return
        acts = [child for child in self._tree.children(clause.verb, "xcomp", "ccomp") if child > clause.verb]
        if acts and clause.lemma not in _FOR_PURPOSES:
            return  # "A caused B to leave" is not about B alone
        if is_about_other(self._tree, clause) or (clause.lemma == "comprise" and len(clause.subjects) > 1):
            return  # "A and B comprise C": they are its parts
        for argument in clause.objects:
            of_relative = argument.token == self._tree.heads[clause.verb]  # "A is the controller that B has developed"
            other = (described_by if of_relative else mention_of)(self._tree, argument.token)
            if does_more(self._tree, clause.verb, argument.token) or is_left_so(self._tree, clause, argument.token):
                continue
            yield from self._of_appointment(clause, subject, argument)
            if other is None:
                yield from self._of_own_object(clause, subject, mention, argument)
                yield from self._of_technology(clause, subject, mention, argument)
                yield from self._of_named_kind(clause, subject, mention, argument)
            elif other.kind != "date" and not (clause.lemma in _APPOINTING and self._has_two_objects(clause)):
                cue = self._cue(verb, _ACTIVE)
                yield from self._related(clause, (subject, mention), (argument, other), cue, verb)
        if not clause.objects and not self._tree.children(clause.verb, "dobj"):
            yield from self._of_phrases(clause, subject, mention, verb)

    def _of_appointment(self, clause: Clause, subject: Argument, object_: Argument) -> Iterator[Found]:
        """The triples of "A appointed B as the director of C" and "A succeeded B as the director of C"."""
        if clause.lemma in _APPOINTING or (clause.lemma in SUCCEEDING and clause.tense == "past"):
            appointed = subject if clause.lemma in SUCCEEDING else object_
            for office in clause.obliques:
                if office.preposition == "as":
                    yield from self._of_office(clause, appointed, office)

    def _has_two_objects(self, clause: Clause) -> bool:
        """Whether somebody is given what is an object too: "A appointed him Secretary of State"."""
        return len(self._tree.children(clause.verb, "dobj", "dative", "oprd")) > 1

    def _of_phrases(
        self, clause: Clause, subject: Argument, mention: DraftMention, verb: Sequence[str]
    ) -> Iterator[Found]:
        """The triples of an active verb with the names behind its prepositions."""
        for argument in clause.obliques:
            other = mention_of(self._tree, argument.token)
            words = [*verb, *argument.preposition.split()]
            cue = self._cue(words, _ACTIVE)
            is_office = argument.preposition == "as" and (clause.lemma in _HOLDING or verb == ["took", "over"])
            offices = list(self._of_office(clause, subject, argument)) if is_office else []
            if offices and (other is None or other.kind == "role"):
                yield from offices
            elif other is not None and other.kind == "date":
                yield from dates_of_event(self._tree, clause, (subject, mention), (argument, other), cue)
            elif other is not None:
                yield from self._related(clause, (subject, mention), (argument, other), cue, words)

    def _of_office(self, clause: Clause, subject: Argument, office: Argument) -> Iterator[Found]:
        """The triples of "served as the director of B"."""
        holder = Argument(subject.token, "", min(subject.certainty, office.certainty))
        yield from noun_triples(self._tree, office.token, holder, self._lexicon, clause.verb)

    def _of_exchange(self, clause: Clause, verb: Sequence[str]) -> Iterator[Found]:
        """The triples of "A replaced B with C": it is C that replaces B."""
        substitutes = [one for one in clause.obliques if one.preposition == "with"]
        for new, old in ((new, old) for new in substitutes for old in clause.objects):
            first, second = mention_of(self._tree, new.token), mention_of(self._tree, old.token)
            if first is not None and second is not None and "date" not in {first.kind, second.kind}:
                yield from self._related(clause, (new, first), (old, second), self._cue(verb, _ACTIVE), verb)

    def _of_own_object(
        self, clause: Clause, subject: Argument, mention: DraftMention, own: Argument
    ) -> Iterator[Found]:
        """The triples of a verb with an object of its own: "publishes events to Kafka"."""
        tree = self._tree
        verb = tree.words[clause.verb]
        behind = [one for child in tree.children(own.token, "prep") for one in phrase(tree, child, clause.verb)]
        determiners = tree.child_words(own.token, "det")
        for argument in (*clause.obliques, *behind):
            other = mention_of(tree, argument.token)
            if other is None or other.kind == "date":
                continue
            preposition = argument.preposition.split()
            noun = tree.words[own.token]
            bare = not tree.children(own.token, "det", "nummod")  # "takes place in", not "takes the 15th place in"
            cue = self._cue([verb, *([] if bare else determiners), noun, *preposition], _ACTIVE)
            if cue is None:
                cue = self._cue([verb, OWN_OBJECT, *preposition], _ACTIVE)
                if cue is not None and not (cue.subject == "Person" or is_software(mention) or is_software(other)):
                    cue = None
            if cue is not None:
                yield from self._related(clause, (subject, mention), (argument, other), cue, [])
            else:
                yield from of_object(tree, clause, (mention, own, other), argument)

    def _of_technology(
        self, clause: Clause, subject: Argument, mention: DraftMention, argument: Argument
    ) -> Iterator[Found]:
        """Who uses a cluster of a technology uses the technology: "uses the Redis cluster"."""
        cue = self._cue([self._tree.words[clause.verb]], _ACTIVE)
        for child in self._tree.children(argument.token, "compound", "nmod"):
            other = self._tree.mentions.get(child)
            if other is not None and other.type in _BUILT_WITH and cue is not None and cue.predicate in _OF_SOFTWARE:
                weaker = argument._replace(certainty=min(argument.certainty, self._tree.certainties[child]))
                yield from self._related(clause, (subject, mention), (weaker, other), cue, [])

    def _of_named_kind(
        self, clause: Clause, subject: Argument, mention: DraftMention, argument: Argument
    ) -> Iterator[Found]:
        """The triple of software with an interface or the like that a name says the kind of: "the SSH protocol"."""
        cue = self._cue([self._tree.words[clause.verb]], _ACTIVE)
        if cue is None or cue.swap or cue.predicate not in _OF_INTERFACES or mention.type in {"Person", "Location"}:
            return
        if (kind := named_kind(self._tree, argument.token)) is not None:
            yield from self._related(clause, (subject, mention), (argument, kind), cue, [])

    def _of_agents(
        self, clause: Clause, subject: Argument, mention: DraftMention, verb: Sequence[str]
    ) -> Iterator[Found]:
        """The triples of a passive with who does it."""
        cue = self._cue([*verb, "by"], _PASSIVE)
        for argument in clause.agents:
            other = mention_of(self._tree, argument.token)
            if other is None or other.kind == "date":
                continue
            if cue is not None:
                yield from self._related(clause, (subject, mention), (argument, other), cue, [])
            elif not clause.objects:  # "was awarded the medal by B": B did not award A
                yield from self._related(clause, (argument, other), (subject, mention), None, verb)

    def _of_passive(self, clause: Clause, subject: Argument, mention: DraftMention) -> Iterator[Found]:
        verb = [self._tree.verb_word(clause.verb), *([clause.particle] if clause.particle else [])]
        yield from self._of_agents(clause, subject, mention, verb)
        for argument in clause.obliques:
            other = mention_of(self._tree, argument.token)
            words = [*verb, *argument.preposition.split()]
            cue = self._cue(words, _PASSIVE)
            if other is None and argument.preposition == "as" and clause.lemma in _APPOINTING:
                yield from self._of_office(clause, subject, argument)
            if other is None or (clause.attributes and clause.lemma in _NAMING):
                continue  # "named judge for the county" is no "named for"
            if other.kind == "date":
                yield from dates_of_event(self._tree, clause, (subject, mention), (argument, other), cue)
            elif clause.lemma in _NAMING and argument.preposition == "as":
                yield from self._same(clause, subject, mention, argument, other)
            else:
                yield from self._related(clause, (subject, mention), (argument, other), cue, words)
        for argument in clause.attributes:
            yield from self._of_complement(clause, subject, mention, argument)
        yield from self._of_own_dates(clause, subject, mention)

    def _of_complement(
        self, clause: Clause, subject: Argument, mention: DraftMention, argument: Argument
    ) -> Iterator[Found]:
        """What "was named …" says: a role behind "appointed", another name behind "called"."""
        other = self._tree.mentions.get(argument.token)
        if clause.lemma in _APPOINTING and (other is None or other.kind == "role"):
            yield from self._of_office(clause, subject, argument)
        elif other is not None and clause.lemma in _NAMING:
            yield from self._same(clause, subject, mention, argument, other)

    def _same(
        self, clause: Clause, subject: Argument, mention: DraftMention, argument: Argument, other: DraftMention
    ) -> Iterator[Found]:
        is_named = gives_name(self._tree, clause.verb, subject, argument)
        is_of_type = None in (mention.type, other.type) or mention.type == other.type
        if is_named and is_of_type and other.name != mention.name and "date" not in {mention.kind, other.kind}:
            surface = f"{self._tree.words[clause.verb]} {argument.preposition}".strip()
            certainty = min(subject.certainty, argument.certainty)
            yield Found(DraftTriple(mention, "same_as", other, surface, "same"), clause.verb, certainty)

    def _related(
        self,
        clause: Clause,
        subject: tuple[Argument, DraftMention],
        other: tuple[Argument, DraftMention],
        cue: Cue | None,
        words: Sequence[str],
    ) -> Iterator[Found]:
        """The triple of two mentions by a cue, or by the verb where there is none."""
        (a, first), (b, second) = subject, other
        if first.name == second.name:
            return
        certainty = min(a.certainty, b.certainty)
        if cue is None:
            yield from of_verb(self._tree, clause, (first, second), words, certainty)
            return
        if cue.swap:
            (a, first), (b, second) = (b, second), (a, first)
        is_phrase_of_date = cue.predicate == cue.date and cue.form == "phrase"  # "released in Japan"
        said = predicate_name(cue.words) if is_phrase_of_date else cue.predicate
        predicate = predicate_of(cue.place or said, first, second)
        of_person = cue.subject == cue.object == "Person" and cue.predicate != "reports_to"  # a team may do that
        if predicate is None or predicate in {OCCURRED_ON, cue.date, RELATED_TO} or is_set_up(first, cue):
            return  # the object is no date; or the words say no more than that there is something
        is_meeting = clause.lemma == "attend" and not is_school(second)  # a congress, concert or summit
        if is_meeting or has_goal(self._tree, clause) or (predicate == "played_in" and second.type == "Location"):
            return  # "led the club to the title"; "plays in Oslo"
        if predicate in _OF_WORKS and first.type == "Person" and not self._opens_sentence(first):
            return  # "written by A, directed by B", "produced three sons"; but a film may have the name of a person
        if not fits(first, cue.subject, of_person=of_person) or not fits(second, cue.object, of_person=of_person):
            return
        draft = DraftTriple(
            first if may_be_group(cue.predicate, first) else typed(self._tree, a, first, cue.subject),
            predicate,
            typed(self._tree, b, second, cue.object),
            " ".join(cue.words),
            "verb",
        )
        yield Found(draft, clause.verb, certainty)

    def _opens_sentence(self, mention: DraftMention) -> bool:
        """Whether no other name stands in front of a mention."""
        return all(other.kind == "date" or other.start >= mention.start for other in self._tree.mentions.values())

    def _of_copula(self, clause: Clause, subjects: Sequence[tuple[Argument, DraftMention]]) -> Iterator[Found]:
        tree = self._tree
        for attribute in clause.attributes:
            for subject, mention in subjects:
                certainty = min(subject.certainty, attribute.certainty)
                holder = Argument(subject.token, "", certainty)
                if mention_of(tree, subject.token) is None:
                    continue
                if tree.parse.tags[attribute.token] == "ADJ":
                    yield from self._of_adjective(clause, subject, mention, attribute)
                    continue
                yield from noun_triples(tree, attribute.token, holder, self._lexicon, clause.verb)
                yield from self._of_kind(clause, mention, attribute, certainty)
                yield from kind_triples(tree, attribute.token, mention, clause.verb, certainty)
            yield from self._of_equated(clause, attribute)
        for argument in clause.obliques:
            for subject, mention in subjects:
                yield from self._of_place(clause, subject, mention, argument)

    def _of_adjective(
        self, clause: Clause, subject: Argument, mention: DraftMention, adjective: Argument
    ) -> Iterator[Found]:
        """The triples of "is responsible for", "is similar to"."""
        tree = self._tree
        for child in tree.children(adjective.token, "prep"):
            for argument in phrase(tree, child, adjective.token):
                other = mention_of(tree, argument.token)
                cue = self._cue([tree.words[adjective.token], *argument.preposition.split()], _PASSIVE)
                if other is not None and cue is not None and other.kind != "date":
                    weaker = argument._replace(certainty=min(argument.certainty, adjective.certainty))
                    yield from self._related(clause, (subject, mention), (weaker, other), cue, [])

    def _of_kind(self, clause: Clause, mention: DraftMention, attribute: Argument, certainty: float) -> Iterator[Found]:
        """What a name in "is a …" says: the class, the nationality, or what it is made with."""
        tree = self._tree
        other = tree.mentions.get(attribute.token)
        determiners = tree.child_words(attribute.token, "det")
        if other is not None:
            says_kind = {"a", "an"} & set(determiners) and not tree.child_words(attribute.token, "prep")
            says_kind = says_kind and not is_any(tree, clause.verb)
            if other.kind not in {"role", "date"} and says_kind and other.name != mention.name and is_class(other):
                yield Found(DraftTriple(mention, "is_a", other, "is a", "kind"), clause.verb, certainty)
            return
        noun = tree.words[attribute.token]
        for child in tree.children(attribute.token, "compound", "amod", "nmod"):
            modifier = tree.mentions.get(child)
            if modifier is None or modifier.name == mention.name:
                continue
            if is_demonym(modifier.name):
                if WORDS.is_of_person(noun):
                    person = with_type(mention, "Person")
                    draft = DraftTriple(person, "nationality", modifier, noun, "noun")
                    yield Found(draft, clause.verb, min(certainty, tree.certainties[child]))
            elif (
                modifier.type in _BUILT_WITH
                and noun in BUILT
                and child == attribute.token - 1
                and {"a", "an"} & set(determiners)
            ):
                draft = DraftTriple(mention, "uses", modifier, f"is a … {noun}", "noun")
                yield Found(draft, clause.verb, min(certainty, tree.certainties[child]))

    def _of_equated(self, clause: Clause, attribute: Argument) -> Iterator[Found]:
        """The triples of "the owner of B is A", "his wife was the painter A": the subject is a noun, A its holder."""
        for subject in clause.subjects:
            role = self._tree.mentions.get(subject.token)
            if role is not None and role.kind != "role":
                continue
            if role is None and (
                self._tree.parse.tags[subject.token] != "NOUN" or mention_of(self._tree, subject.token) is not None
            ):
                continue
            holder = Argument(attribute.token, "", min(subject.certainty, attribute.certainty))
            for found in noun_triples(self._tree, subject.token, holder, self._lexicon, clause.verb):
                if clause.tense != "past" or found.draft.predicate in self._lexicon.events:
                    yield found

    def _of_place(
        self, clause: Clause, subject: Argument, mention: DraftMention, argument: Argument
    ) -> Iterator[Found]:
        """The triples of "is in B", "is on the board of B", "is due on 3 May"."""
        tree = self._tree
        other = mention_of(tree, argument.token)
        if other is None:
            for child in tree.children(argument.token, "prep"):
                for inner in phrase(tree, child, clause.verb):
                    found = mention_of(tree, inner.token)
                    determiners = tree.child_words(argument.token, "det")
                    noun = [*argument.preposition.split(), *determiners, tree.words[argument.token]]
                    cue = self._cue([*noun, *inner.preposition.split()], _PASSIVE)
                    if found is not None and cue is not None:
                        yield from self._related(clause, (subject, mention), (inner, found), cue, [])
            return
        if argument.preposition == "in" and other.type == "Location" and mention.type != "Person":
            certainty = min(subject.certainty, argument.certainty)
            yield Found(DraftTriple(mention, "located_in", other, "is in", "verb"), clause.verb, certainty)

    def _cue(self, words: Sequence[str], forms: frozenset[str]) -> Cue | None:
        cues = self._lexicon.cues.get(words[0], ())
        return next((cue for cue in cues if cue.words == tuple(words) and cue.form in forms), None)
