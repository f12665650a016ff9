"""Triples of a name and a phrase, word by word as the sentence has it: "`keactrl` controls the startup of the servers".

The phrase goes to the end of the clause, so that whatever limits what is said stays in it.
"""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.extract.english.discourse.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_demonym
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import predicate_name
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.relations.find_subjects import RELATIVES
from mcp_graphrag.extract.relations.grammar_words import GRAMMAR
from mcp_graphrag.extract.relations.lemmas import third_person
from mcp_graphrag.extract.relations.limits import has_date
from mcp_graphrag.extract.relations.named import Found, mention_of
from mcp_graphrag.extract.relations.phrases.phrase_spans import (
    is_specific,
    phrase_mention,
    says_something,
    text_of,
    to_clause_end,
    tokens_below,
)
from mcp_graphrag.extract.relations.read_clauses import Clause, is_finite
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.extract.spans import Span
from mcp_graphrag.model import PHRASE

_CONFIDENCE = 0.8
_MIN_CERTAINTY = 0.5
_MAX_SUBJECTS = 3
# "Improperly allows" and "unexpectedly returns" tell of an error.
_UNWANTED = re.compile(r"(?:un|imp|inc|inad|mis|err|wrong|bad|poor|ill)\w*ly\Z")
_TRACKED = re.compile(r"\W*(?:issues?|bugs?|tickets?|closes|fix(?:es|ed)?)\b\W*\d", re.IGNORECASE)
_STATES = frozenset({"be", "have", "remain", "own", "lead", "live", "work", "serve", "belong"})
_NO_ENDS = frozenset({"date", "role", "url", "email", "version"})
_FOR_NAMES = frozenset({"name", "term", "word", "acronym", "abbreviation", "title", "phrase"})
_NOT_SAID = frozenset({"also", "now", "currently", "further", "still", "already", "itself", "then", "additionally"})
_IN_FRONT = frozenset({"cc", "punct", "advmod"})
_STATING = frozenset({"ROOT", "conj", "advcl", "ccomp", "parataxis"})
_COPULAS = frozenset({"be", "become", "remain"})
_NOUNS = frozenset({"NN", "NNS"})
_ARTICLES = frozenset({"a", "an", "the"})
_BEFORE_NOUNS = ("det", "amod", "compound", "nmod", "poss", "nummod")
_IS_A = ["is", "a"]
_NEVER_MODIFIERS = frozenset({"Person", "Location", "Date", "Role"})
_BEFORE_NAMES = frozenset({"the", "all", "both", ",", "(", '"', "“"})


def phrase_triples(tree: SentenceTree, clause: Clause) -> Iterator[Found]:
    """The triples of a clause whose subject is a name and whose object or complement is a phrase."""
    most = 1 if clause.lemma == "be" and not clause.passive else _MAX_SUBJECTS
    if len(clause.subjects) > most or not _may_state(tree, clause):
        return
    complement = _complement(tree, clause)
    if complement is None:
        return
    for subject in clause.subjects:
        if subject.certainty >= _MIN_CERTAINTY and subject.token < clause.verb:
            holder = _holder(tree, _described(tree, subject.token))
            if holder is not None:
                yield from _of_name(tree, clause, (subject, holder), complement)


def is_of_tracker(prose: str, span: Span) -> bool:
    """Whether a sentence is the title of an issue, which tells of an error: "Bug 14 - `foo` causes failures"."""
    return _TRACKED.match(prose, *span) is not None


def without_end(clause: Clause, found: Found) -> Found:
    """What happened once has no end, also where its phrase goes on with one: "returned to power until 2002"."""
    happened = clause.tense == "past" and not clause.passive and clause.lemma not in _STATES
    return (
        found._replace(draft=found.draft._replace(valid_to=None))
        if happened and found.draft.object.type == PHRASE
        else found
    )


def _of_name(
    tree: SentenceTree, clause: Clause, holder: tuple[Argument, DraftMention], complement: int
) -> Iterator[Found]:
    """The triple of a name with a phrase as its object."""
    span = to_clause_end(tree, clause.verb, complement)
    is_past = clause.tense == "past" and not (clause.lemma == "be" or clause.passive)
    if span is None or not says_something(tree, span, is_past=is_past):
        return
    words, first = _predicate(tree, clause, complement, span[0], span[1] - 1)
    span = first, span[1]
    if (
        not words
        or not is_specific(tree, span, of_object=words != _IS_A)
        or (words == _IS_A and tree.words[first] in WORDS.possessives)
    ):
        return
    if words == _IS_A and "or" in tree.child_words(complement, "cc"):
        return
    if holder[1].name.casefold() == tree.words[complement]:
        return  # "the Sonata is a sonata"
    if words[-1] == "between" and "and" not in tree.words[slice(*span)]:
        return
    if words == _IS_A and tree.words[first] in _ARTICLES:
        span = first + 1, span[1]
    surface = " ".join(tree.words[clause.verb : span[0]])
    certainty = min(holder[0].certainty, tree.certainty(complement, clause.verb))
    draft = DraftTriple(holder[1], predicate_name(words), phrase_mention(tree, span), surface, _CONFIDENCE)
    yield Found(draft, clause.verb, certainty)


def _may_state(tree: SentenceTree, clause: Clause) -> bool:
    """Whether the verb of a clause says something, and nothing in front of its subject limits what it says."""
    verb = clause.verb
    is_told = is_finite(tree, verb) and (clause.tense != "other" or _is_able(tree, clause))
    if not is_told or clause.lemma in GRAMMAR.saying_little or not clause.lemma.isalpha():
        return False
    above = verb
    while tree.labels[above] == "conj" and tree.is_verb(tree.heads[above]) and not tree.has_subject(above):
        above = tree.heads[above]
    if tree.children(verb, "expl", "neg") or any(map(_UNWANTED.match, tree.child_words(verb, "advmod"))):
        return False
    return _is_stated_of_noun(tree, clause, above) if tree.labels[above] == "relcl" else _opens(tree, clause, above)


def _is_stated_of_noun(tree: SentenceTree, clause: Clause, verb: int) -> bool:
    """Whether a clause with "which" or "who" as its subject is of a name, or of what the subject is said to be."""
    noun = tree.heads[verb]
    if RELATIVES.isdisjoint(tree.child_words(verb, "nsubj", "nsubjpass")):
        return False  # "which B had bought"
    if noun in tree.mentions:
        return "," in tree.words[noun:verb]
    above = tree.heads[noun]
    return tree.labels[noun] == "attr" and tree.lemma(above) == "be" and _opens(tree, clause, above)


def _opens(tree: SentenceTree, clause: Clause, verb: int) -> bool:
    """Whether the subject of a verb opens its clause, but for what limits nothing."""
    subjects = tree.children(verb, "nsubj", "nsubjpass")
    if tree.labels[verb] not in _STATING or len(subjects) != 1:
        return False
    inside = tokens_below(tree, subjects[0])
    in_front = [child for child in tree.children(verb) if child < inside[0] and tree.labels[child] != "mark"]
    return all(_may_open(tree, clause, child) for child in in_front)


def _is_able(tree: SentenceTree, clause: Clause) -> bool:
    """Whether a clause says what something can do: "A can read B and write C"."""
    verb, head = clause.verb, tree.heads[clause.verb]
    words = tree.child_words(verb, "aux")
    is_joined = tree.labels[verb] == "conj" and not words and not tree.has_subject(verb)
    if is_joined and tree.parse.fine_tags[verb] == tree.parse.fine_tags[head]:
        words = tree.child_words(head, "aux")
    return words == ["can"]


def _may_open(tree: SentenceTree, clause: Clause, child: int) -> bool:
    """Whether what stands in front of a subject limits nothing, or only says when something happened."""
    if tree.labels[child] in _IN_FRONT and len(tokens_below(tree, child)) == 1:
        return tree.words[child] not in GRAMMAR.hedges
    if tree.labels[child] != "prep":
        return False
    is_added = tree.words[child : child + 2] == ["in", "addition"] or tree.words[child] in {"besides", "like", "unlike"}
    return is_added or (clause.tense == "past" and has_date(tree, child))


def _described(tree: SentenceTree, token: int) -> int:
    """The subject of the sentence for the noun that says what it is: "A is the object that …"."""
    verb = tree.heads[token]
    is_kind = tree.labels[token] == "attr" and tree.lemma(verb) == "be"
    return next(iter(tree.children(verb, "nsubj")), token) if is_kind else token


def _holder(tree: SentenceTree, token: int) -> DraftMention | None:
    """The name that a subject is, alone or with the nouns behind it: "`foo`", "SSH connections"."""
    holder = mention_of(tree, token) if tree.words[token] not in _FOR_NAMES else None
    if holder is not None and _is_qualified(tree, token, holder):
        return None
    if holder is None or not _may_be_end(holder):
        return _with_nouns(tree, token) if holder is None else None
    word = next((tree.words[at] for at, one in tree.mentions.items() if one.start == holder.start), "")
    is_thing = holder.kind == PRONOUN and word in WORDS.he and holder.type not in {None, "Person"}
    return None if is_thing else holder


def _is_qualified(tree: SentenceTree, token: int, holder: DraftMention) -> bool:
    """Whether a word in front of a name makes it another one: "the catalogue XML", "the old Moss"."""
    if holder.type == "Person" or token not in tree.mentions:
        return False
    before = [child for child in tree.children(token, "compound", "amod", "nmod") if child < token]
    return any(tree.words[child] not in GRAMMAR.kinds and child not in tree.mentions for child in before)


def _may_be_end(mention: DraftMention) -> bool:
    return mention.kind not in _NO_ENDS and mention.name[0].isalnum()


def _with_nouns(tree: SentenceTree, noun: int) -> DraftMention | None:
    """A name with the nouns behind it as the name of something else: "Kea servers", "SSH connection attempts"."""
    first, tags = noun - 1, tree.parse.fine_tags
    while first > 0 and first not in tree.mentions and tags[first] in _NOUNS:
        first -= 1
    name = tree.mentions.get(first)
    if name is None or name.kind not in {"name", "code"} or noun in tree.mentions or tags[noun] not in _NOUNS:
        return None
    is_inside = tree.heads[first] in range(first + 1, noun + 1) and tree.labels[first] in {"compound", "nmod", "amod"}
    is_alone = all(tree.labels[child] in {"compound", "nmod", "det"} or child == first for child in tree.children(noun))
    is_plain = {"the", "all", "both"}.issuperset(tree.child_words(noun, "det"))
    opens = first == 0 or tree.words[first - 1] in _BEFORE_NAMES
    if not (is_inside and is_alone and is_plain and opens) or name.type in _NEVER_MODIFIERS or is_demonym(name.name):
        return None
    return DraftMention(name.start, tree.token(noun).end, text_of(tree, (first, noun + 1)), None, "kind", 0.5)


def _complement(tree: SentenceTree, clause: Clause) -> int | None:
    """The token of the object, predicate noun or phrase behind a verb; None where something else comes first."""
    verb = clause.verb
    behind = [child for child in tree.children(verb) if child > verb and tree.labels[child] not in {"punct", "prt"}]
    first = next((child for child in behind if tree.words[child] not in _NOT_SAID), None)
    if first is None:
        return None
    label = tree.labels[first]
    if label in {"ccomp", "xcomp"} and "to" in tree.child_words(first, "aux"):
        is_object = clause.lemma in GRAMMAR.allowing and not clause.passive and tree.has_subject(first)
        return first if is_object or (clause.passive and clause.lemma in GRAMMAR.made_for) else None
    if label == "attr" and tree.parse.fine_tags[first] == "NN" and not tree.children(first, *_BEFORE_NOUNS):
        return None  # "is copyright by B"
    if tree.children(verb, "ccomp", "dative") or (label == "acomp" and not tree.children(first, "prep")):
        return None
    if clause.passive:
        wanted = {"agent", "prep", "oprd"}
    else:
        wanted = {"attr", "acomp", "prep"} if clause.lemma in _COPULAS else {"dobj", "prep"}
    return first if label in wanted else None


def _predicate(tree: SentenceTree, clause: Clause, complement: int, first: int, last: int) -> tuple[Sequence[str], int]:
    """The words of the predicate, and the first token of what it says; no words where it is of none of the forms."""
    label, lemma = tree.labels[complement], clause.lemma
    is_copula = lemma == "be" and not clause.passive
    if _is_able(tree, clause):
        if is_copula:
            return [], first
        words = ["can", "be", tree.words[clause.verb]] if clause.passive else ["can", lemma]
    elif clause.passive:
        words = [tree.words[clause.verb]]
    elif is_copula and label == "attr":
        return _IS_A, first
    elif is_copula and label == "acomp":
        words, first = [tree.words[complement]], complement + 1
        is_adjective = tree.parse.tags[complement] == "ADJ" and tree.parse.tags[first] == "ADP"
        if not is_adjective or words[0] in GRAMMAR.opinions | GRAMMAR.prospective:
            return [], first
    else:
        words = ["is" if lemma == "be" else third_person(lemma)]
    words += [clause.particle] if clause.particle else []
    if label == "xcomp" and clause.passive:
        words.append("to")
        first = complement
    while first < last and tree.parse.tags[first] == "ADP" and tree.words[first + 1] not in {"least", "most"}:
        words.append(tree.words[first])
        first += 1
    return ([], first) if is_copula and len(words) == 1 and label != "acomp" else (words, first)
