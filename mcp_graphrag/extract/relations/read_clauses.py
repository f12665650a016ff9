"""The clauses of a sentence: verbs with their subjects, objects and prepositional phrases, by the dependency tree."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.exclusions import is_excluded_phrase
from mcp_graphrag.extract.relations.find_subjects import RELATIVES, is_ambiguous, nouns_of, subjects_of
from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, Argument, SentenceTree

_COMPLEX = {"top": "on", "favor": "in", "favour": "in"}  # "on top of", "in favor of"
_STANDING_IN = RELATIVES.union(_COMPLEX)
_FOR_WHOM = frozenset({"for", "at", "with"})
_GIVING = frozenset({"provide", "supply", "furnish"})
Tense: TypeAlias = Literal["present", "past", "other"]


class Clause(NamedTuple):
    """A verb with its arguments. Of a passive, the subjects are what something is done to and `agents` who does it.

    `attributes` are what a copula equates the subject with. An argument is the token of a noun.
    """

    verb: int
    lemma: str
    particle: str
    passive: bool
    tense: Tense
    subjects: Sequence[Argument]
    objects: Sequence[Argument]
    attributes: Sequence[Argument]
    obliques: Sequence[Argument]
    agents: Sequence[Argument]


def read_clauses(tree: SentenceTree) -> Iterator[Clause]:
    """The clauses of a sentence that have a subject, in the order of their verbs."""
    for verb in range(tree.size):
        if tree.is_verb(verb) and tree.labels[verb] not in {"aux", "auxpass"}:
            subjects = list(subjects_of(tree, verb))
            if subjects:
                yield _clause(tree, verb, subjects)


def _clause(tree: SentenceTree, verb: int, subjects: Sequence[Argument]) -> Clause:
    passive = is_passive(tree, verb)
    end = min((child for child in tree.children(verb, "conj") if tree.is_noun(child)), default=tree.size)
    end = min(end, gapped_from(tree, verb))
    phrases = [one for one in _phrases(tree, verb) if one.token < end]  # "born in A, and B in C"
    phrases += [example for one in phrases for example in examples(tree, one)]
    objects = [one for one in _objects(tree, verb) if one.token < end]
    if tree.lemma(verb) not in GRAMMAR.empty_verbs:
        objects += [example for one in objects for example in examples(tree, one)]
    return Clause(
        verb=verb,
        lemma=tree.lemma(verb),
        particle=next(iter(tree.child_words(verb, "prt")), ""),
        passive=passive,
        tense=tense_of(tree, verb),
        subjects=subjects,
        objects=objects,
        attributes=[one for one in nouns_of(tree, verb, "attr", "oprd", "acomp") if one.token < end],
        obliques=[one for one in phrases if not (passive and one.preposition == "by")],
        agents=[one for one in phrases if passive and one.preposition == "by" and one.token > verb],
    )


def gapped_from(tree: SentenceTree, verb: int) -> int:
    """Where a second clause begins that leaves out the verb or noun: "A is owned by B and C by D".

    Also "A leads B and C the D team". The number of tokens if there is none.
    """
    prepositions = tree.children(verb, "prep", "agent")
    for conjunction in range(verb + 1, tree.size - 2):
        if tree.words[conjunction] not in {"and", "but"}:
            continue
        name = conjunction + 1
        while name < tree.size and name not in tree.mentions and tree.parse.fine_tags[name] in _BEFORE_NAME:
            name += 1
        if name not in tree.mentions or tree.mentions[name].kind == "date":
            continue
        behind = name + 1
        while behind < tree.size and behind not in tree.mentions and tree.parse.fine_tags[behind] == "NN":
            behind += 1  # "the B team"
        follows = tree.words[behind : behind + 1]
        is_article = follows in (["the"], ["a"], ["an"])
        said = {tree.words[each] for each in prepositions if each < conjunction}
        is_shared = follows and follows[0] in said and not _is_of_date(tree, behind)
        if is_shared or is_article:
            return conjunction
    return tree.size


_BEFORE_NAME = frozenset({"DT", "PRP$", "NN", "JJ"})


def _is_of_date(tree: SentenceTree, preposition: int) -> bool:
    """Whether a preposition leads to a date: "works with A and B in 2019" is of both."""
    return any(
        noun in tree.mentions and tree.mentions[noun].kind == "date" for noun in tree.children(preposition, "pobj")
    )


def is_passive(tree: SentenceTree, verb: int) -> bool:
    """Whether a verb is in the passive, also as a participle behind a noun: "published in 1849"."""
    if tree.children(verb, "auxpass", "nsubjpass", "csubjpass"):
        return True
    if tree.parse.fine_tags[verb] not in {"VBN", "VBD"}:
        return False
    if tree.children(verb, "agent"):
        return not tree.children(verb, "nsubj")
    if tree.parse.fine_tags[verb] != "VBN" or tree.children(verb, "aux"):
        return False
    label = tree.labels[verb]
    if label == "conj" and not tree.has_subject(verb):
        return tree.is_verb(tree.heads[verb]) and is_passive(tree, tree.heads[verb])
    return label in {"acl", "advcl"} and not tree.children(verb, "dobj")


def is_finite(tree: SentenceTree, verb: int) -> bool:
    """Whether a verb has the form that its place in the sentence asks for.

    Words without a sentence, such as titles, are parsed too: there a verb has no auxiliary ("GitHub prompting tools"),
    or does not agree with its subject ("Tool results").
    """
    tag = tree.parse.fine_tags[verb]
    label = tree.labels[verb]
    if label in {"acl", "advcl", "xcomp", "pcomp"} or tree.children(verb, "aux", "auxpass"):
        return True
    if label == "conj" and not tree.has_subject(verb) and tree.is_verb(tree.heads[verb]):
        tags = {tag, tree.parse.fine_tags[tree.heads[verb]]}
        return is_finite(tree, tree.heads[verb]) and (len(tags) == 1 or "VB" not in tags)
    if tag in {"VB", "VBG", "VBN"}:
        return tag == "VBN" and bool(tree.children(verb, "agent"))
    if tag != "VBP":
        return True
    subjects = tree.children(verb, "nsubj", "nsubjpass")
    return any(
        tree.parse.fine_tags[subject] in {"NNS", "NNPS", "PRP", "WDT", "WP"}
        or tree.words[subject].endswith("s")
        or tree.children(subject, "conj", "nummod")
        for subject in subjects
    )


def tense_of(tree: SentenceTree, verb: int) -> Tense:
    """Present, past or other; that of an infinitive or participle is other."""
    words = set(tree.child_words(verb, "aux", "auxpass"))
    if not words.isdisjoint({"was", "were", "had", "did"}):
        return "past"
    if not words.isdisjoint({"is", "are", "am", "has", "have", "does", "do", "'s", "'ve", "'re"}):
        return "present"
    tag = tree.parse.fine_tags[verb]
    if tag == "VBN" and tree.labels[verb] == "conj" and tree.is_verb(tree.heads[verb]):
        return tense_of(tree, tree.heads[verb])
    return "past" if tag == "VBD" else "present" if tag in {"VBZ", "VBP"} else "other"


def _objects(tree: SentenceTree, verb: int) -> Iterator[Argument]:
    """The objects; a name that is parsed as a complement of "call" is one too, where there is no other."""
    yield from nouns_of(tree, verb, "dobj")
    for particle in tree.children(verb, "prt"):
        yield from nouns_of(tree, particle, "pobj", "dobj")  # "took over A"
    yield from _relative_objects(tree, verb)
    if not tree.children(verb, "dobj", "auxpass", "nsubjpass") and tree.lemma(verb) == "call":
        yield from (noun for noun in nouns_of(tree, verb, "oprd", "attr") if noun.token in tree.mentions)


def _relative_objects(tree: SentenceTree, verb: int) -> Iterator[Argument]:
    """What "which" is the object of: in "Redis, which the API uses" it is Redis."""
    if tree.labels[verb] == "relcl":
        objects = [child for child in tree.children(verb, "dobj") if tree.words[child] in RELATIVES]
        own_subject = [child for child in tree.children(verb, *SUBJECTS) if tree.words[child] not in RELATIVES]
        of_person = "whom" in (tree.words[child] for child in objects)
        if (objects and own_subject and not is_ambiguous(tree, verb, of_person=of_person)) or (
            is_object_relative(tree, verb) and not is_ambiguous(tree, verb, of_person=False)
        ):
            yield Argument(tree.heads[verb], "", tree.certainties[verb])


def is_object_relative(tree: SentenceTree, verb: int) -> bool:
    """Whether "that", parsed as a conjunction, is the object of a clause: "the controller that A has developed"."""
    is_open = not tree.children(verb, "dobj", "ccomp", "xcomp", "acomp", "attr", "auxpass", "nsubjpass", "agent")
    return (
        tree.labels[verb] == "relcl" and "that" in tree.child_words(verb, "mark") and is_open and tree.has_subject(verb)
    )


def does_more(tree: SentenceTree, verb: int, object_: int) -> bool:
    """Whether a verb is about what its object does, "prevents A from opening B", or has it behind a dash."""
    between = tree.words[verb + 1 : object_]
    if not {":", "-", "–", "—"}.isdisjoint(between):
        return True
    acts = [child for child in tree.children(object_, "acl", "relcl") if "to" in tree.child_words(child, "aux")]
    kept_from = [child for child in tree.children(verb, "prep") if tree.words[child] == "from"]
    return bool(acts) or any(tree.children(child, "pcomp") for child in kept_from)


def is_about_other(tree: SentenceTree, clause: Clause) -> bool:
    """Whether the object is not what the verb is about: "A provides B with C", "A renamed B to C"."""
    with_other = clause.lemma in _GIVING and any(one.preposition == "with" for one in clause.obliques)
    return with_other or (clause.lemma == "rename" and "to" in tree.words[clause.verb :])


def examples(tree: SentenceTree, argument: Argument) -> Iterator[Argument]:
    """The names of what a noun in the plural is the kind of: "films such as A and B", "films, including A".

    Of names directly behind the noun, "the engineers A and B", all but the first, which the noun itself stands for.
    """
    noun = argument.token
    if noun in tree.mentions or tree.parse.fine_tags[noun] != "NNS":
        return
    first = noun + 1 + (tree.words[noun + 1 : noun + 2] == [":"])
    if first in tree.mentions and tree.heads[first] == noun and tree.labels[first] == "appos":
        for other in tree.conjuncts(first)[1:]:  # "by the engineers Ann Lee and Bob Moss", "of two parts: A and B"
            if other in tree.mentions:
                yield Argument(other, argument.preposition, min(argument.certainty, tree.certainty(other, noun)))
        return
    link = noun + 1 + (tree.words[noun + 1 : noun + 2] == [","])
    if tree.words[link : link + 2] == ["such", "as"]:
        link += 1
    elif tree.words[link : link + 1] != ["including"]:
        return
    for child in tree.children(link, "pobj", "dobj"):
        for example in _whole_titles(tree, tree.conjuncts(child)):
            mention = tree.mentions.get(example)
            if mention is not None and mention.kind != "date":
                yield Argument(example, argument.preposition, min(argument.certainty, tree.certainty(example, link)))


def _whole_titles(tree: SentenceTree, names: Sequence[int]) -> list[int]:
    """The names of a list without those that a comma may cut: "A (2003), B, C (2005)" may be two titles."""
    bracketed = [tree.words[name + 1 : name + 2] == ["("] for name in names]
    if not any(bracketed):
        return list(names)
    before = [True, *bracketed]
    return [name for name, own, other in zip(names, bracketed, before, strict=False) if own and other]


def _phrases(tree: SentenceTree, verb: int) -> Iterator[Argument]:
    """The nouns behind the prepositions of a verb."""
    for child in tree.children(verb, "prep", "agent", "dative"):
        if _is_repeated(tree, verb, child):
            continue
        if tree.is_noun(child):
            if tree.labels[child] == "dative":
                yield Argument(child, "to", tree.certainties[child])
        else:
            yield from phrase(tree, child, verb)
            yield from _behind_roles(tree, verb, child)


def _behind_roles(tree: SentenceTree, verb: int, preposition: int) -> Iterator[Argument]:
    """The names behind a role in which somebody does something: "played as a midfielder for A"."""
    for role in tree.children(preposition, "pobj") if tree.words[preposition] == "as" else ():
        for child in tree.children(role, "prep") if role not in tree.mentions else ():
            if tree.words[child] in _FOR_WHOM:
                yield from phrase(tree, child, verb)


def _is_repeated(tree: SentenceTree, verb: int, preposition: int) -> bool:
    """Whether a verb has the preposition before, so that this one is of another: "uses A on B and C on D"."""
    return any(
        verb < earlier < preposition
        and tree.words[earlier] == tree.words[preposition]
        and any(tree.mentions[noun].kind != "date" for noun in tree.children(earlier, "pobj") if noun in tree.mentions)
        for earlier in tree.children(verb, "prep")
    )


def phrase(tree: SentenceTree, preposition: int, ancestor: int, before: str = "") -> Iterator[Argument]:
    """The nouns behind a preposition, also those behind others that "and" joins to it or that follow: "out of"."""
    if is_excluded_phrase(tree, preposition):
        return
    words = f"{before} {tree.words[preposition]}".strip()
    for child in tree.children(preposition):
        label = tree.labels[child]
        if label == "pobj" or (label == "pcomp" and tree.is_noun(child)):
            if child not in tree.mentions and tree.words[child] in _STANDING_IN:
                yield from _behind_other(tree, child, ancestor, words)
                continue
            yield from _repeated_phrases(tree, child, preposition, ancestor)
            for noun in tree.conjuncts(child):
                # "depends on A and B on C": B is no object of the first verb.
                again = noun + 1 < tree.size and tree.words[noun + 1] == tree.words[preposition]
                if noun == child or not (again or tree.words[preposition] in tree.child_words(noun, "prep")):
                    yield Argument(noun, words, tree.certainty(noun, ancestor))
        elif label == "conj" and not tree.is_noun(child):
            yield from phrase(tree, child, ancestor)
        elif label in {"prep", "pcomp"} and tree.parse.tags[child] in {"ADP", "SCONJ"}:
            if tree.words[child] == tree.words[preposition] or "then" in tree.child_words(preposition, "pcomp"):
                yield from phrase(tree, child, ancestor)  # "since then by the team"
            else:
                yield from phrase(tree, child, ancestor, words)


def _behind_other(tree: SentenceTree, noun: int, ancestor: int, words: str) -> Iterator[Argument]:
    """The noun that "which" stands for, or those of "on top of B"; a noun such as "top" alone is none."""
    if tree.words[noun] in RELATIVES:
        yield from _relative_phrase(tree, ancestor, words)
        return
    is_complex = words == _COMPLEX[tree.words[noun]] and not tree.children(noun, "det")
    for preposition in tree.children(noun, "prep") if is_complex else ():
        yield from phrase(tree, preposition, ancestor, f"{words} {tree.words[noun]}")


def _repeated_phrases(tree: SentenceTree, noun: int, preposition: int, ancestor: int) -> Iterator[Argument]:
    """The nouns behind the same preposition once more: "served as a general and as a member of B"."""
    for other in tree.children(noun, "conj"):
        if tree.words[other] == tree.words[preposition]:
            yield from phrase(tree, other, ancestor)


def _relative_phrase(tree: SentenceTree, verb: int, words: str) -> Iterator[Argument]:
    if tree.labels[verb] == "relcl" and not is_ambiguous(tree, verb, of_person=False):
        yield Argument(tree.heads[verb], words, tree.certainties[verb])


def is_left_so(tree: SentenceTree, clause: Clause, object_: int) -> bool:
    """Whether a verb says how it leaves its object: "A leaves B unchanged"."""
    behind = tree.parse.fine_tags[object_ + 1 : object_ + 2]
    return clause.lemma in {"leave", "keep", "render"} and list(behind) in (["JJ"], ["VBN"])
