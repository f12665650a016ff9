"""The triples of the clauses of a sentence: of its verbs, of "is the R of", of nouns beside names, and of kinds."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lemmas import third_person
from mcp_graphrag.english.lexicon import RELATED_TO, Cue, Lexicon, predicate_name
from mcp_graphrag.english.raw_predicate import normalize_predicate
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import (
    OCCURRED_ON,
    PRONOUN,
    DraftTriple,
    is_demonym,
    is_software,
    predicate_of,
    with_type,
)
from mcp_graphrag.extract.rule_precision import Rule
from mcp_graphrag.extract.sentences.clause_tree import BESIDE, COPULAS, Argument, Clause, ClauseTree, phrase
from mcp_graphrag.extract.sentences.name_of_noun import described_by, fits, is_changed, name_of
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.type_by_shape import may_be_person

_ACTIVE, _PASSIVE = frozenset({"verb", "participle", "phrase"}), frozenset({"phrase", "participle", "passive"})
_NAMING = frozenset({"call", "name", "know", "dub", "nickname", "title"})
_APPOINTING = frozenset({"appoint", "name", "elect", "promote", "nominate"})
_HOLDING = frozenset({"serve", "work", "act", "remain", "join", "return", "play"})
_AT = frozenset({"in", "on", "at", "for", "during"})
_OF_GROUP = frozenset({"of", "at", "for", "with", "'s", ""})
# Of an organization these nouns are roles, and not what makes a work.
_OF_WORKS = frozenset({"directed_by", "produced_by", "edited_by", "designed_by", "performed_by", "developed_by"})
_NO_NAMES = frozenset({"date", "role", "url", "email", "quoted"})
_BUILT_WITH = frozenset({"Technology", "Database", "Framework", "Library"})  # "A is a Redis client": it uses Redis
_MIN_OPEN = 0.6  # certainty of the parse for a verb that the lexicon does not have
_MAX_KIND = 2  # words in front of the noun of a kind
_TOO_GENERAL = frozenset(
    """
    tool system component utility group interface method option parameter producer program society stream service
    package platform extension building attribute model engine software
    """.split()  # noqa: SIM905
)


class Found(NamedTuple):
    """A triple, the token of the verb or noun that states it, and the least certainty of the arcs that it needs."""

    draft: DraftTriple
    anchor: int
    certainty: float


class _End(NamedTuple):
    """An end of a triple: the argument of the clause, and the name that it stands for."""

    argument: Argument
    mention: DraftMention


class RelationReader:
    """Reads the triples of one sentence by the predicates of a lexicon, whether or not they are asserted."""

    def __init__(self, tree: ClauseTree, lexicon: Lexicon) -> None:
        self._tree, self._lexicon = tree, lexicon

    def of_clause(self, clause: Clause) -> Iterator[Found]:
        """The triples of a clause; dates only where they are the object."""
        for argument in clause.subjects:
            mention = described_by(self._tree, argument.token)
            if mention is None:
                if clause.lemma in COPULAS and not clause.passive:
                    yield from self._of_equated(clause, argument)
            elif mention.kind == "role" and clause.lemma in COPULAS:
                yield from self._of_equated(clause, argument)
            elif mention.kind != "date":
                subject = _End(argument, mention)
                if clause.passive:
                    yield from self._of_passive(clause, subject)
                elif clause.lemma in COPULAS:
                    yield from self._of_copula(clause, subject)
                else:
                    yield from self._of_active(clause, subject)

    def beside_names(self) -> Iterator[Found]:
        """The triples of nouns beside names: "A, the owner of B", "the owner of B, A", "B's owner A", "engineer A"."""
        tree = self._tree
        for token in range(tree.size):
            if tree.labels[token] == "appos":
                yield from self._of_apposition(token)
                continue
            own, beside = tree.mentions.get(token), tree.mentions.get(token + 1)
            if beside is None or beside.kind != "name":
                continue
            is_joined = tree.heads[token] == token + 1 or tree.heads[token + 1] == token
            is_noun = own is None and tree.tags[token] == "NOUN" and is_joined and beside.type in {None, "Person"}
            if is_noun or (own is not None and own.kind == "role" and beside.type == "Person"):
                yield from self._of_noun(token, _End(Argument(token + 1, "", BESIDE), beside), token)

    def _of_apposition(self, token: int) -> Iterator[Found]:
        tree, head, certainty = self._tree, self._tree.heads[token], self._tree.certainties[token]
        if not tree.is_noun(token) or "," not in tree.words[head : token + 1]:
            return
        named, other = tree.mentions.get(head), tree.mentions.get(token)
        if named is not None and (other is None or other.kind == "role"):
            for noun in tree.conjuncts(token):
                yield from self._of_noun(noun, _End(Argument(head, "", certainty), named), noun)
                yield from self._kind(noun, named, noun, certainty)
        elif named is None and other is not None and other.kind not in _NO_NAMES:
            yield from self._of_noun(head, _End(Argument(token, "", certainty), other), head)

    # ---- verbs

    def _of_active(self, clause: Clause, subject: _End) -> Iterator[Found]:
        verb = [self._tree.words[clause.verb], *([clause.particle] if clause.particle else [])]
        if self._tree.children(clause.verb, "ccomp", "xcomp"):
            return  # "A caused B to leave" is not about B alone
        for argument in clause.objects:
            other = name_of(self._tree, argument.token)
            if other is None:
                yield from self._of_own_object(clause, subject, argument, verb)
            elif other.kind != "date" and not (clause.lemma in _APPOINTING and len(clause.objects) > 1):
                yield from self._related(clause, subject, _End(argument, other), verb, _ACTIVE)
        if not clause.objects:
            yield from self._of_phrases(clause, subject, verb, _ACTIVE)

    def _of_passive(self, clause: Clause, subject: _End) -> Iterator[Found]:
        tree = self._tree
        verb = [tree.words[clause.verb], *([clause.particle] if clause.particle else [])]
        for argument in clause.agents:
            other = name_of(tree, argument.token)
            if other is not None and other.kind != "date":
                agent = _End(argument, other)
                if self._cue([*verb, "by"], _PASSIVE) is not None:
                    yield from self._related(clause, subject, agent, [*verb, "by"], _PASSIVE)
                elif not clause.objects:
                    yield from self._open(clause, agent, subject, verb)
        yield from self._of_phrases(clause, subject, verb, _PASSIVE)
        for argument in clause.attributes if clause.lemma in _NAMING else ():
            other = tree.mentions.get(argument.token)
            is_name = other is not None and other.kind not in _NO_NAMES - {"quoted"}
            if other is not None and is_name and other.type in {None, subject.mention.type}:
                yield self._found(clause, subject, "same_as", _End(argument, other), tree.words[clause.verb], "same")
        for child in tree.children(clause.verb, "npadvmod", "dobj", "oprd"):  # "born April 8, 1963"
            date = tree.mentions.get(child)
            if date is not None and date.kind == "date":
                end = _End(Argument(child, "on", tree.certainties[child]), date)
                cue = self._cue(verb, _PASSIVE) or self._cue([*verb, "on"], _PASSIVE)
                yield from self._dated(clause, subject, end, cue)

    def _of_phrases(self, clause: Clause, subject: _End, verb: Sequence[str], forms: frozenset[str]) -> Iterator[Found]:
        """The triples of a verb with the names and dates behind its prepositions."""
        for argument in clause.phrases:
            other = name_of(self._tree, argument.token)
            words = [*verb, *argument.preposition.split()]
            if argument.preposition == "as" and clause.lemma in _HOLDING:
                yield from self._of_noun(argument.token, subject, clause.verb)
            elif other is not None and other.kind == "date":
                yield from self._dated(clause, subject, _End(argument, other), self._cue(words, forms))
            elif other is not None and self._cue(words, forms) is not None:
                yield from self._related(clause, subject, _End(argument, other), words, forms)

    def _of_own_object(self, clause: Clause, subject: _End, own: Argument, verb: Sequence[str]) -> Iterator[Found]:
        """The triples of a verb whose object is part of its words in the lexicon: "takes care of B"."""
        tree = self._tree
        behind = [one for child in tree.children(own.token, "prep") for one in phrase(tree, child, clause.verb)]
        for argument in (*clause.phrases, *behind):
            other = name_of(tree, argument.token)
            words = [*verb, *tree.child_words(own.token, "det"), tree.words[own.token], *argument.preposition.split()]
            if other is not None and other.kind != "date" and self._cue(words, _ACTIVE) is not None:
                yield from self._related(clause, subject, _End(argument, other), words, _ACTIVE)

    def _dated(self, clause: Clause, subject: _End, date: _End, cue: Cue | None) -> Iterator[Found]:
        """The triple of a subject and the date behind its verb, where the lexicon says which date that is."""
        is_day = date.argument.preposition in _AT and any(map(str.isdigit, date.mention.name))
        if cue is None or cue.date == OCCURRED_ON or not is_day or clause.objects:
            return
        if cue.swap or not fits(subject.mention, cue.subject, of_person=True):
            return
        typed = _End(subject.argument, with_type(subject.mention, cue.subject))
        yield self._found(clause, typed, cue.date, date, " ".join(cue.words), "date")

    def _related(
        self, clause: Clause, subject: _End, other: _End, words: Sequence[str], forms: frozenset[str]
    ) -> Iterator[Found]:
        """The triple of two names by what the lexicon says of the words, or by the verb itself."""
        cue = self._cue(words, forms)
        if cue is None:
            if not clause.passive and len(words) == 1 + bool(clause.particle):
                yield from self._open(clause, subject, other, words)
            return
        first, second = (other, subject) if cue.swap else (subject, other)
        of_date = cue.predicate == cue.date and cue.form == "phrase"  # "released in Japan"
        said = cue.place or (predicate_name(cue.words) if of_date else cue.predicate)
        predicate = predicate_of(said, first.mention, second.mention)
        if predicate is None or predicate in {OCCURRED_ON, cue.date, RELATED_TO}:
            return  # the object is no date; or the words say no more than that there is something
        of_person = cue.subject == cue.object == "Person" and cue.predicate != "reports_to"
        if fits(first.mention, cue.subject, of_person=of_person) and fits(
            second.mention, cue.object, of_person=of_person
        ):
            first = first._replace(mention=with_type(first.mention, cue.subject))
            second = second._replace(mention=with_type(second.mention, cue.object))
            yield self._found(clause, first, predicate, second, " ".join(cue.words), "verb")

    def _open(self, clause: Clause, subject: _End, other: _End, words: Sequence[str]) -> Iterator[Found]:
        """The triple of a verb that the lexicon does not have, in the third person: "audits"."""
        tree, ends = self._tree, (subject.mention, other.mention)
        is_full = (
            clause.lemma.isalpha() and clause.lemma not in GRAMMAR.empty_verbs and tree.words[-1] in {".", "!", ";"}
        )
        is_sure = min(subject.argument.certainty, other.argument.certainty) >= _MIN_OPEN
        if not (is_full and is_sure) or any(
            one.kind in _NO_NAMES | {PRONOUN} or not one.name[0].isalnum() for one in ends
        ):
            return
        if clause.phrases and not clause.passive:
            return  # "pressed A on the accounts"
        name = predicate_name([third_person(clause.lemma), *words[1:]])
        surface = f"is {' '.join(words)}" if clause.passive and clause.tense == "present" else " ".join(words)
        yield self._found(clause, subject, name, other, surface, "open verb")

    # ---- copulas and nouns

    def _of_copula(self, clause: Clause, subject: _End) -> Iterator[Found]:
        tree = self._tree
        for attribute in clause.attributes:
            sure = min(subject.argument.certainty, attribute.certainty)
            holder = subject._replace(argument=subject.argument._replace(certainty=sure))
            if tree.tags[attribute.token] == "ADJ":
                yield from self._of_adjective(clause, subject, attribute)
                continue
            yield from self._of_noun(attribute.token, holder, clause.verb)
            yield from self._kind(attribute.token, subject.mention, clause.verb, sure)
        for argument in clause.phrases:
            other = name_of(tree, argument.token)
            is_place = argument.preposition == "in" and other is not None and other.type == "Location"
            if other is not None and is_place and subject.mention.type != "Person" and not clause.attributes:
                yield self._found(clause, subject, "located_in", _End(argument, other), "is in", "verb")

    def _of_adjective(self, clause: Clause, subject: _End, adjective: Argument) -> Iterator[Found]:
        """The triples of "is responsible for", "is similar to"."""
        for child in self._tree.children(adjective.token, "prep"):
            for argument in phrase(self._tree, child, clause.verb):
                other = name_of(self._tree, argument.token)
                words = [self._tree.words[adjective.token], *argument.preposition.split()]
                if other is not None and other.kind != "date" and self._cue(words, _PASSIVE) is not None:
                    yield from self._related(clause, subject, _End(argument, other), words, _PASSIVE)

    def _of_equated(self, clause: Clause, subject: Argument) -> Iterator[Found]:
        """The triples of "the owner of B is A": the subject is a noun, A its holder."""
        for attribute in clause.attributes:
            mention = name_of(self._tree, attribute.token)
            if mention is not None and mention.kind not in _NO_NAMES - {"quoted"}:
                sure = min(subject.certainty, attribute.certainty)
                holder = _End(attribute._replace(certainty=sure), mention)
                for found in self._of_noun(subject.token, holder, clause.verb):
                    if clause.tense != "past" or found.draft.predicate in self._lexicon.events:
                        yield found

    def _of_noun(self, noun: int, holder: _End, anchor: int) -> Iterator[Found]:
        """What a noun says of whom it describes: "A is the owner of B", "A, B's owner", "B engineer A"."""
        tree, mention, certainty = self._tree, holder.mention, holder.argument.certainty
        if mention.kind in {"date", "role"} or tree.children(noun, "neg"):
            return
        role, words = tree.mentions.get(noun), self._noun_words(noun)
        is_person = WORDS.is_of_person(words[-1]) and may_be_person(mention.name) and not is_software(mention)
        is_of_person = role is not None or is_person
        if (role is not None and role.kind != "role") or (is_of_person and mention.type not in {None, "Person"}):
            return
        mention = with_type(mention, "Person") if is_of_person else mention
        for child in tree.children(noun, "compound", "nmod", "amod") if is_person else ():
            nation = tree.mentions.get(child)
            if nation is not None and is_demonym(nation.name):
                draft = DraftTriple(mention, "nationality", nation, words[-1], "noun")
                yield Found(draft, anchor, min(certainty, tree.certainties[child]))
        if is_changed(tree, noun):
            return
        role = role or (self._office(noun, words) if is_person else None)
        if role is not None:
            yield Found(DraftTriple(mention, "has_role", role, role.name, "noun"), anchor, certainty)
        for link, owner, sure in self._owners(noun):
            if owner.name != mention.name and owner.kind not in {"date", "role"}:
                described = "role" if role is not None else "person" if is_person else ""
                draft = self._of_owner(noun, words, link, (mention, owner), described)
                if draft is not None:
                    yield Found(draft, anchor, min(certainty, sure))

    def _office(self, noun: int, words: Sequence[str]) -> DraftMention | None:
        """The role that a noun without an article gives a person: "A, chief architect at B", "was head coach of B"."""
        tree = self._tree
        is_bare = not tree.children(noun, "det", "poss", "nummod") and tree.fine_tags[noun] == "NN"
        if WORDS.last_word.get(words[-1]) != "Role" or not is_bare or tree.tags[noun - 1] == "DET":
            return None
        start, end = tree.parse.tokens[noun - len(words) + 1].start, tree.parse.tokens[noun].end
        return DraftMention(start, end, " ".join(words), "Role", "kind", 0.5)

    def _of_owner(
        self,
        noun: int,
        words: Sequence[str],
        link: str,
        ends: tuple[DraftMention, DraftMention],
        described: str,
    ) -> DraftTriple | None:
        """What a noun says of its owner; `described` is "role" or "person" where the noun is one."""
        (mention, owner), is_role, is_person = ends, described == "role", described == "person"
        surface = f"'s {words[-1]}" if link == "'s" else f"{words[-1]} {link}".strip()
        if is_demonym(owner.name) or (link == "" and any(map(is_demonym, owner.name.split()))):
            return None
        cue = None if is_role else self._noun_cue(words, link)
        if cue is not None:
            return self._by_cue(noun, words, link, cue, (mention, owner), surface)
        is_group = owner.type in {None, "Organization", "Team"}
        if (is_role or is_person) and link in _OF_GROUP and is_group and (is_role or link != "of"):
            return DraftTriple(mention, "affiliated_with", owner, surface, "noun")
        if link == "in" and not is_person and owner.type == "Location" and mention.type != "Person":
            return DraftTriple(mention, "located_in", owner, surface, "noun")
        definite = link == "'s" or "the" in self._tree.child_words(noun, "det")
        read = normalize_predicate(f"{words[-1]} of")
        is_known = read.known and read.swap and words[-1] not in GRAMMAR.no_property
        is_one = (
            not {"JJS", "RBS"} & {*self._tree.fine_tags[noun - len(words) + 1 : noun]} and not {*words} & GRAMMAR.orders
        )
        is_plain = (
            definite and link in {"of", "'s"} and len(words) <= 2 and is_one and self._tree.fine_tags[noun] == "NN"
        )
        return DraftTriple(owner, predicate_name(words), mention, surface, "noun") if is_known and is_plain else None

    def _by_cue(
        self,
        noun: int,
        words: Sequence[str],
        link: str,
        cue: Cue,
        ends: tuple[DraftMention, DraftMention],
        surface: str,
    ) -> DraftTriple | None:
        """The triple of a noun of the lexicon, if the types fit, and the words beside it do not make it another one."""
        mention, owner = ends
        others = {*words} - {*cue.words} - GRAMMAR.whole - GRAMMAR.works - {"current"}
        indefinite = bool(self._tree.child_words(noun, "det") & {"a", "an"})
        if link == "" and owner.type not in {"Organization", "Team"} and not others <= {words[-1]}:
            return None
        if (link == "'s" and others) or (link == "" and owner.type not in {"Organization", "Team", "Person"}):
            return None  # "the South's youngest sports editor", "an American Futurist painter"
        if cue.predicate in _OF_WORKS and (indefinite or (link != "of" and owner.type in {"Organization", "Team"})):
            return DraftTriple(mention, "affiliated_with", owner, surface, "noun")  # "a director of the bank"
        first, second = (owner, mention) if cue.swap else (mention, owner)
        of_person = cue.subject == cue.object == "Person"
        if predicate_of(cue.predicate, first, second) is None:
            return None
        if not (fits(first, cue.subject, of_person=of_person) and fits(second, cue.object, of_person=of_person)):
            return None
        return DraftTriple(with_type(first, cue.subject), cue.predicate, with_type(second, cue.object), surface, "noun")

    def _owners(self, noun: int) -> Iterator[tuple[str, DraftMention, float]]:
        """What a noun is of, with the preposition, "'s" or "" between: "B's owner", "the owner of B", "the B owner"."""
        tree = self._tree
        for child in tree.children(noun, "prep"):
            for argument in phrase(tree, child, noun):
                mention = name_of(tree, argument.token)
                if mention is not None:
                    yield argument.preposition, mention, argument.certainty
        for child in tree.children(noun, "poss"):
            if child in tree.mentions:
                yield "'s", tree.mentions[child], tree.certainties[child]
        for child in tree.children(noun, "compound", "nmod", "amod"):
            if child in tree.mentions and child < noun:
                yield "", tree.mentions[child], tree.certainties[child]

    def _noun_words(self, noun: int) -> list[str]:
        """The noun with up to two words in front of it, in lower case."""
        tree, words, at = self._tree, [self._tree.words[noun]], noun - 1
        while at >= 0 and len(words) < 3 and tree.heads[at] in range(at + 1, noun + 1) and at not in tree.mentions:
            if tree.labels[at] not in {"compound", "amod", "nmod"}:
                break
            words.insert(0, tree.words[at])
            at -= 1
        return words

    def _noun_cue(self, words: Sequence[str], link: str) -> Cue | None:
        """The cue of a noun with that preposition, of as many of its words as may be; a possessive is read as "of"."""
        links = {"'s": ("of", "for", "to"), "": ("of",)}.get(link, (link,))
        sought = [(*words[-size:], *each.split()) for size in range(len(words), 0, -1) for each in links]
        cues = (cue for each in sought for cue in self._lexicon.cues.get(each[0], ()) if cue.words == each)
        return next((cue for cue in cues if cue.form in {"noun", "phrase"} and (link or cue.swap)), None)

    def _kind(self, noun: int, mention: DraftMention, anchor: int, certainty: float) -> Iterator[Found]:
        """What a name is said to be: "A is a message broker", "A, a comedian and model"."""
        tree = self._tree
        if mention.kind in _NO_NAMES or not tree.child_words(noun, "det") & {"a", "an"}:
            return
        for each in tree.conjuncts(noun):
            kind = self._kind_words(each, is_person=mention.type == "Person")
            is_person = mention.type == "Person" or (WORDS.is_of_person(tree.words[each]) and not is_software(mention))
            typed = mention.type in {None, "Person"} if is_person else mention.type != "Person"
            says_nothing = mention.name.casefold().endswith(tree.words[each]) or (
                len(kind) == 1 and kind[0] in _TOO_GENERAL and not is_person
            )
            named = tree.mentions.get(each - len(kind)) if kind and not is_person else None
            if named is not None and named.type in _BUILT_WITH and tree.words[each] in GRAMMAR.built:
                draft = DraftTriple(mention, "uses", named, f"is a … {tree.words[each]}", "noun")
                yield Found(draft, anchor, min(certainty, tree.certainty(each, noun)))
            if kind and typed and not says_nothing and (each == noun or is_person):
                start, end = tree.parse.tokens[each - len(kind) + 1].start, tree.parse.tokens[each].end
                broader = DraftMention(start, end, " ".join(kind), None, "kind", 0.5)
                holder = with_type(mention, "Person") if is_person else mention
                draft = DraftTriple(holder, "is_a", broader, "is a", "kind")
                yield Found(draft, anchor, min(certainty, tree.certainty(each, noun)))

    def _kind_words(self, noun: int, *, is_person: bool) -> list[str]:
        """The noun with the nouns in front of it that say which kind; none where it names no kind."""
        tree = self._tree
        word = tree.words[noun].rpartition("-")[2]
        is_doer = is_person and word.endswith(("er", "or"))
        is_kind = is_doer or WORDS.is_of_person(word) or word in GRAMMAR.kinds or word in GRAMMAR.places
        if not is_kind or word in GRAMMAR.no_kinds or noun in tree.mentions or tree.fine_tags[noun] != "NN":
            return []
        counted = any(child not in tree.mentions for child in tree.children(noun, "nummod"))  # but "a 2016 film"
        if is_changed(tree, noun) or "of" in tree.child_words(noun, "prep") or tree.children(noun, "neg") or counted:
            return []
        first = noun
        while first > 0 and noun - first < _MAX_KIND and self._is_part(first - 1, noun):
            first -= 1
        name = first - 1
        if first == noun and name in tree.mentions and tree.labels[name] == "compound" and tree.heads[name] == noun:
            is_clear = word in WORDS.kind_nouns or WORDS.is_of_person(word)
            return [word] if is_clear else [tree.mentions[name].name, word]
        return list(tree.words[first : noun + 1])

    def _is_part(self, token: int, noun: int) -> bool:
        tree = self._tree
        inside = all(tree.labels[child] == "compound" for child in tree.children(token))
        beside = tree.labels[token] == "compound" and tree.heads[token] in range(token + 1, noun + 1) and inside
        return beside and token not in tree.mentions and tree.fine_tags[token] == "NN" and tree.words[token].isalpha()

    # ---- the rest

    def _cue(self, words: Sequence[str], forms: frozenset[str]) -> Cue | None:
        sought = tuple(words)
        return next(
            (cue for cue in self._lexicon.cues.get(words[0], ()) if cue.words == sought and cue.form in forms), None
        )

    def _found(self, clause: Clause, subject: _End, predicate: str, other: _End, surface: str, rule: Rule) -> Found:
        sure = min(subject.argument.certainty, other.argument.certainty)
        return Found(DraftTriple(subject.mention, predicate, other.mention, surface, rule), clause.verb, sure)
