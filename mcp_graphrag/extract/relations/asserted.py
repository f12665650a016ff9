"""What a sentence asserts, by its tree: not what is denied, possible, planned, asked, supposed or said by others."""

import re
from typing import Literal, TypeAlias

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.unasserted.sentence_frames import is_ahead
from mcp_graphrag.extract.relations.exclusions import is_negated_noun, is_question
from mcp_graphrag.extract.relations.find_subjects import RELATIVES, SHARING_PREPOSITIONS, own_report
from mcp_graphrag.extract.relations.limits import has_date, is_limited
from mcp_graphrag.extract.relations.read_clauses import is_finite, is_object_relative, tense_of
from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, SentenceTree

# It holds; it is going on, so that an event has not happened yet; it will hold, which counts with a date from when; it
# held for a time; it is not asserted.
Status: TypeAlias = Literal["holds", "ongoing", "future", "over", "denied"]

_FUTURE = frozenset({"will", "'ll", "shall"})
_LATER = frozenset({"later", "eventually", "subsequently", "soon"})
_CONDITIONS = frozenset({"if", "unless", "whether", "lest", "provided", "providing", "assuming", "supposing"})
_CAUSING = frozenset({"have", "get", "need", "want"})
_MAX_DEPTH = 12
_EXAMPLE = frozenset({"e.g.", "e.g", "eg"})
_CONCLUDES = re.compile(r", (?:so|thus|hence|therefore) ")
_LIKE_PREPOSITIONS = frozenset({"starting", "beginning"})
_WITHDRAWN = frozenset({"decline", "refuse", "fail", "withdraw"})
_TAKING = frozenset({"take", "assume", "accept", "enter"})
_TAKEN_UP = frozenset({"office", "post", "position", "seat", "job", "role", "oath", "chair", "throne", "appointment"})
_PAST_NOUNS = frozenset({"past", "time", "beginning", "outset", "start", "first", "that", "then", "days"})
_AT_TIMES = frozenset({"after", "before", "when", "while", "upon", "on"})
_CASES = frozenset({"case", "cases", "situation", "situations", "scenario", "event", "chance", "possibility"})
_MAX_BEFORE_DATE = 5  # words up to the date in "until the end of 2019"
_NOT_YET = frozenset({"before", "until", "once", "after", "when", "whenever"})
_TELLING = frozenset({"tell", "inform", "assure", "remind", "warn", "promise", "show", "teach", "persuade", "advise"})
_ENDINGS = frozenset({"until", "till", "before", "prior"})
_STARTINGS = frozenset({"from", "of", "starting", "beginning", "effective"})  # "as of Monday"
_LATER_DAYS = frozenset({"tomorrow", *(day.lower() for day in WORDS.weekdays)})
_DAYS = frozenset({"day", "date", "moment", "time", "point", "week", "month", "year", "hour"})


def status_of(tree: SentenceTree, verb: int, *, able: bool = False) -> Status:
    """Whether what a clause says is asserted; with `able` also what something can do."""
    if tree.words[verb] in _LIKE_PREPOSITIONS and not tree.has_subject(verb) and not tree.children(verb, "aux"):
        return "denied"  # "Starting in May, A uses B"
    if verb and tree.token(verb).text.istitle() and tree.parse.fine_tags[verb] in {"VBN", "VBD"}:
        return "denied"  # a title: "Functions, Built in Aggregate", "Moss Added to Fern"
    if tree.lemma(verb) == "be" and _has_relative_behind_preposition(tree, verb):
        return "denied"  # "the treaty to which A was a party"
    own = own_status(tree, verb, able=able)
    if own == "denied" or "respectively" in tree.words or not is_finite(tree, verb) or not is_stated(tree, verb):
        return "denied"
    outer = tree.heads[verb] if tree.labels[verb] == "xcomp" else verb  # "starts using B in January"
    return "future" if tense_of(tree, outer) == "present" and is_ahead(_text(tree)) else own


def _has_relative_behind_preposition(tree: SentenceTree, verb: int) -> bool:
    nouns = (noun for child in tree.children(verb, "prep") for noun in tree.children(child))
    return any(tree.words[noun] in RELATIVES for noun in nouns)


def _text(tree: SentenceTree) -> str:
    """The words of a sentence with X for its names; dates stay."""
    named = {token for token, mention in tree.mentions.items() if mention.kind != "date"}
    return " ".join("X" if index in named else word for index, word in enumerate(tree.words))


def own_status(tree: SentenceTree, verb: int, *, able: bool = False) -> Status:
    """What the auxiliaries, adverbs and determiners of a clause say of it."""
    auxiliaries = set(tree.child_words(verb, "aux", "auxpass")) - ({"can"} if able else set())
    adverbs = {
        word
        for node in (verb, *tree.children(verb, "acomp"))
        for word in tree.child_words(node, "advmod", "neg", "preconj", "npadvmod")
    }
    if _is_inherited(tree, verb, auxiliaries) and (status := own_status(tree, tree.heads[verb])) != "holds":
        return status
    if _is_denied(tree, verb, auxiliaries, adverbs):
        return "denied"
    if not auxiliaries.isdisjoint(_FUTURE) or _is_next(tree, verb):
        return "future"
    if (status := _from_then(tree, verb)) != "holds":
        return status
    was_then = "then" in adverbs and _is_state_of_past(tree, verb)
    if was_then or _is_of_former(tree, verb) or not GRAMMAR.formerly.isdisjoint(adverbs) or _is_over(tree, verb):
        return "over"
    is_going_on = tree.parse.fine_tags[verb] == "VBG" and not auxiliaries.isdisjoint({"is", "are", "'s", "'re"})
    return "ongoing" if is_going_on or "being" in auxiliaries else "holds"


def _is_of_former(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause says which one something was: "was originally a library written in B"."""
    noun = tree.heads[verb]
    is_of_noun = tree.labels[verb] in {"acl", "relcl"} and tree.labels[noun] == "attr"
    return is_of_noun and not GRAMMAR.formerly.isdisjoint(tree.child_words(tree.heads[noun], "advmod"))


def _is_state_of_past(tree: SentenceTree, verb: int) -> bool:
    """Whether "then" says when it was so, and not what came next: "was then married to", "A, then owned by B"."""
    if tree.lemma(verb) == "be" or tree.children(verb, "auxpass"):
        return tense_of(tree, verb) == "past"
    return tree.labels[verb] == "acl" and tree.parse.fine_tags[verb] == "VBN"


def _is_denied(tree: SentenceTree, verb: int, auxiliaries: set[str], adverbs: set[str]) -> bool:
    """Whether a clause is negated, doubted, possible, intended, limited or taken back."""
    modals = auxiliaries & GRAMMAR.modals - _FUTURE
    would_later = modals == {"would"} and not _LATER.isdisjoint(adverbs)
    return (
        (bool(modals) and not would_later)
        or _is_negated(tree, verb, adverbs)
        or not GRAMMAR.hedges.isdisjoint(adverbs)
        or _is_request(tree, verb)
        or _is_example_or_case(tree, verb)
        or ("less" in adverbs and "than" in tree.words[verb:])
        or ("to" in auxiliaries and not _is_implied(tree, verb))
        or is_limited(tree, verb)
        or any(_is_withdrawn(tree, child) for child in tree.children(verb, "conj"))
    )


def _is_request(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause asks for something: "please see B".

    What the tree joins to an imperative that opens the sentence is a part of its object: "See A and the B notes of C".
    """
    head = tree.heads[verb]
    is_joined = tree.labels[verb] == "conj" and head == 0
    is_of_imperative = is_joined and tree.parse.fine_tags[head] == "VB" and not tree.has_subject(head)
    return is_of_imperative or "please" in tree.child_words(verb, "intj", "advmod")


def _is_example_or_case(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause is one example, or holds in one case: "e.g., A uses B", "in which case A uses B"."""
    first = min([verb, *tree.children(verb, *SUBJECTS)])
    is_case = tree.words[max(first - 3, 0) : first] == ["in", "which", "case"]
    return is_case or not _EXAMPLE.isdisjoint(tree.words[max(first - 2, 0) : first])


def _is_withdrawn(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause takes back the one in front: "was elected but declined", "… but never took office"."""
    if tree.lemma(verb) in _WITHDRAWN:
        return True
    taken = not _TAKEN_UP.isdisjoint(tree.child_words(verb, "dobj"))
    return (
        tree.lemma(verb) in _TAKING
        and taken
        and not GRAMMAR.denying.isdisjoint(tree.child_words(verb, "neg", "advmod"))
    )


def _is_next(tree: SentenceTree, verb: int) -> bool:
    """Whether a time to come is named: "from next year", "starting next quarter"."""
    for index in range(tree.size - 1):
        if tree.words[index] == "next" and tree.words[index + 1] in GRAMMAR.times:
            return any(above == verb for above in tree.ancestors(index))
    return False


def _from_then(tree: SentenceTree, verb: int) -> Status:
    """The status of the present from or until a day named in front, or a weekday: "from that day", "until then"."""
    if tense_of(tree, verb) != "present":
        return "holds"
    opens = all(index not in tree.mentions for index in range(min(verb, 3)))
    for index in range(tree.size - 1):
        word, behind = tree.words[index], [*tree.words[index + 1 : index + 3], ""]
        if word == "of" and tree.words[index - 1] != "as":
            continue
        is_weekly = behind[1] in {"to", "through", "until", "till"}
        is_later = (behind[0] in _LATER_DAYS and not is_weekly) or (behind[0] == "that" and behind[1] in _DAYS)
        if (word in _ENDINGS or word in _STARTINGS) and (is_later or (behind[0] == "then" and word in _ENDINGS)):
            is_own = (index <= 1 and opens) or any(above == verb for above in tree.ancestors(index))
            return "holds" if not is_own else "over" if word in _ENDINGS else "future"
    return "holds"


_BEGINNING = frozenset({"begin", "start", "continue", "keep", "stop", "finish"})


def _is_inherited(tree: SentenceTree, verb: int, auxiliaries: set[str]) -> bool:
    """Whether a verb has the auxiliaries of the one in front of it: "may use A and call B", "will begin using A"."""
    head = tree.heads[verb]
    if tree.labels[verb] in {"xcomp", "pcomp"} and tree.is_verb(head) and tree.lemma(head) in _BEGINNING:
        return True
    if tree.labels[verb] != "conj" or auxiliaries or not tree.is_verb(head) or tree.has_subject(verb):
        return False
    tags = tree.parse.fine_tags[verb], tree.parse.fine_tags[head]
    return tags[0] == tags[1] and tags[0] in {"VB", "VBN", "VBG"} and "but" not in tree.child_words(head, "cc")


def _is_negated(tree: SentenceTree, verb: int, adverbs: set[str]) -> bool:
    only = adverbs & {"only", "just", "merely"}
    if not adverbs.isdisjoint(GRAMMAR.denying) and not (only and "not" in adverbs):
        return True
    if any("no" in tree.child_words(child, "neg", "det", "advmod") for child in tree.children(verb, "advmod", "neg")):
        return True  # "no longer"
    if tree.words[verb - 1] == ")" and "(" in tree.words[:verb]:
        opening = verb - 1 - tree.words[verb - 1 :: -1].index("(")
        if tree.words[opening - 1] in GRAMMAR.denying:
            return True  # "not (or not yet) supported"
    nouns = tree.children(verb, *SUBJECTS, "dobj", "attr", "acomp", "oprd")
    nouns += [noun for child in tree.children(verb, "prep", "agent") for noun in tree.children(child, "pobj")]
    return any(is_negated_noun(tree, noun) for noun in nouns)


def _is_implied(tree: SentenceTree, verb: int) -> bool:
    """Whether an infinitive is stated: "began to use"; not "planned to use" and not "a plan to use"."""
    head = tree.heads[verb]
    if tree.labels[verb] == "conj" and tree.is_verb(head):
        return _is_implied(tree, head)
    is_ahead = tree.words[head] == "going"  # "is going to use"
    return tree.labels[verb] == "xcomp" and tree.lemma(head) in GRAMMAR.implying and not is_ahead


def _opens_over(tree: SentenceTree, verb: int) -> bool:
    """Whether the sentence opens with what limits it to a time of no known date: "until the merger, …", "at first"."""
    opening = tree.words[:verb]
    end = opening.index(",") if "," in opening else len(opening)
    if opening[:2] == ["at", "first"] or (opening[:1] == ["when"] and "first" in opening[:end]):
        return True
    # "Prior to version 3.8 (2013-08-26), A used B" has a date too, but is not dated by it.
    near = min(end, _MAX_BEFORE_DATE)
    dated = any(mention.kind == "date" for token, mention in tree.mentions.items() if token < near)
    return bool(opening) and opening[0] in _ENDINGS and not dated


def _is_over(tree: SentenceTree, verb: int) -> bool:
    """Whether a phrase says that it was so only then: "at first", "in the past", "until then", "until the merger"."""
    if tense_of(tree, verb) == "past" and _opens_over(tree, verb):
        return True
    nodes = (verb, *tree.children(verb, "acomp"))
    for preposition in (child for node in nodes for child in tree.children(node, "prep", "advmod")):
        word = tree.words[preposition]
        behind = preposition + 1 if word == "prior" else preposition  # "prior to"
        for noun in tree.children(min(behind, tree.size - 1), "pobj", "pcomp", "advmod"):
            if word in _ENDINGS and not has_date(tree, noun):
                return True
            if word in {"at", "in", "for", "to", "up"} and tree.words[noun] in _PAST_NOUNS:
                several = tree.child_words(noun, "amod", "nummod", "nmod", "prep")
                return not several or word == "for" or "early" in several
    first = tree.children(verb, "advcl")
    if any(_opens_with_ending(tree, child) for child in first):
        return tense_of(tree, verb) == "past"
    return "then" in tree.child_words(verb, "advmod") and "back" in tree.words


def _opens_with_ending(tree: SentenceTree, clause: int) -> bool:
    """Whether a clause begins with "until" or "before"; in "after A was B until 2021" it is the end of that clause."""
    opening = [child for child in tree.children(clause, "mark", "prep") if child < clause]
    return any(tree.words[child] in _ENDINGS for child in opening)


def is_stated(tree: SentenceTree, verb: int, depth: int = 0) -> bool:
    """Whether the clauses around a clause let it be stated: it is no condition, question, plan or report."""
    label, head = tree.labels[verb], tree.heads[verb]
    supposed = _has_condition(tree, verb) or (_is_reported(tree, verb) and own_report(tree, verb) is None)
    if depth > _MAX_DEPTH or supposed or label == "ROOT":
        return label == "ROOT" and not supposed and not is_question(tree, verb)
    if label in {"relcl", "acl"}:
        return _is_stated_of_noun(tree, verb, depth)
    if label == "pcomp":
        above = tree.heads[head]
        # "After calling A": whenever it is called.
        is_once = tree.words[head] not in _AT_TIMES or tense_of(tree, above) == "past"
        return (
            is_once
            and tree.words[head] in SHARING_PREPOSITIONS
            and tree.is_verb(above)
            and own_status(tree, above) != "denied"  # "may grant rights by sending A to B"
            and is_stated(tree, above, depth + 1)
        )
    if not tree.is_verb(head):
        return label in {"conj", "parataxis"} and _at_noun(tree, head, depth)
    is_next_to = label in {"conj", "parataxis"} or (label == "ccomp" and _is_beside(tree, verb))
    if not is_next_to and (not _is_stated_by(tree, verb) or own_status(tree, head) == "denied"):
        return False
    return is_stated(tree, head, depth + 1)


def _is_reported(tree: SentenceTree, verb: int) -> bool:
    """Whether a verb of saying or thinking stands right in front of a clause, which the parser may hang elsewhere."""
    subjects = tree.children(verb, *SUBJECTS)
    first = min([subjects[0], *tree.children(subjects[0])]) if subjects and subjects[0] < verb else 0
    return first > 0 and tree.lemma(first - 1) in GRAMMAR.reporting and tree.has_subject(first - 1)


def _is_beside(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause is not what a verb is about, but stands next to it: "A uses B, C uses D", "A uses B; it …"."""
    head = tree.heads[verb]
    behind = " ".join(tree.words[verb:head])
    if ";" in behind or (_CONCLUDES.search(behind) is not None and tree.has_subject(verb)):
        return True  # "A uses B, so you may see C"
    if head > verb or tree.lemma(head) in _TELLING or tree.children(verb, "mark") or not tree.has_subject(verb):
        return False
    objects = [child for child in tree.children(head, "dobj") if head < child < verb]
    return bool(objects) and "," in tree.words[objects[-1] : verb]


def _is_stated_by(tree: SentenceTree, verb: int) -> bool:
    """Whether a clause that depends on a verb is stated with it: "found that", "because", "began to"."""
    label, lemma = tree.labels[verb], tree.lemma(tree.heads[verb])
    marks = set(tree.child_words(verb, "mark"))
    if label == "advcl":
        if tree.parse.fine_tags[verb] == "VBG" and _wh_adverbs(tree, verb) | marks & _AT_TIMES:
            return tense_of(tree, tree.heads[verb]) == "past" and not _wh_adverbs(tree, verb) - {"when"}
        if not (marks | _wh_adverbs(tree, verb)).isdisjoint(_NOT_YET) and tense_of(tree, verb) == "present":
            return False  # "call A before B has returned C", "is supported when it runs on D"
        allowed = marks | _wh_adverbs(tree, verb) <= GRAMMAR.stating
        return allowed and "to" not in tree.child_words(verb, "aux")
    if label == "xcomp":
        return lemma in GRAMMAR.implying
    is_factive = lemma in GRAMMAR.factive and "whether" not in marks
    return label == "ccomp" and (is_factive or own_report(tree, verb) is not None)


def _wh_adverbs(tree: SentenceTree, verb: int) -> set[str]:
    return {word for word in tree.child_words(verb, "advmod") if word in {"when", "where", "how", "why", "whenever"}}


def _has_condition(tree: SentenceTree, verb: int) -> bool:
    """Whether the clause is a condition or has one: "if", "unless", "whether"."""
    if not _CONDITIONS.isdisjoint(tree.child_words(verb, "mark")):
        return True
    return any(
        not _CONDITIONS.isdisjoint(tree.child_words(child, "mark", "advmod"))
        and "even" not in tree.child_words(child, "advmod")
        for child in tree.children(verb, "advcl")
    )


def _is_stated_of_noun(tree: SentenceTree, verb: int, depth: int) -> bool:
    """Whether a clause behind a noun is stated: "who founded A", "published in"; not "the claim that"."""
    noun = tree.heads[verb]
    if tree.words[noun] in _CASES:
        return False  # "the case where A returns B"
    if "to" in tree.child_words(verb, "aux") or is_negated_noun(tree, noun):
        return False
    above = tree.heads[noun]
    if tree.labels[noun] == "dobj" and tree.lemma(above) in _CAUSING and own_status(tree, above) == "denied":
        return False  # "you can have A signed by B"
    is_claim = tree.labels[verb] == "acl" or "that" in tree.child_words(verb, "mark")
    if is_claim and tree.has_subject(verb) and not is_object_relative(tree, verb):
        return tree.words[noun] == "fact"  # not "the error that A wrote B"
    relative = any(tree.words[child] in RELATIVES for child in tree.children(verb))
    if tree.labels[verb] == "relcl" and not relative and noun not in tree.mentions and depth > 6:
        return False
    return _at_noun(tree, noun, depth)


def _at_noun(tree: SentenceTree, noun: int, depth: int) -> bool:
    """Whether the clause of a noun is no condition, question or report; it may be a negated one."""
    verb = next((ancestor for ancestor in tree.ancestors(noun) if tree.is_verb(ancestor)), None)
    return verb is None or is_stated(tree, verb, depth + 1) or not _is_supposed(tree, verb)


def _is_supposed(tree: SentenceTree, verb: int, depth: int = 0) -> bool:
    """Whether a clause is part of a condition, question or report."""
    label, head = tree.labels[verb], tree.heads[verb]
    if _has_condition(tree, verb) or (label == "ROOT" and is_question(tree, verb)):
        return True
    if (
        label == "ccomp"
        and ";" not in tree.words[verb:head]
        and not (tree.is_verb(head) and tree.lemma(head) in GRAMMAR.factive)
    ):
        return True
    above = next((ancestor for ancestor in tree.ancestors(verb) if tree.is_verb(ancestor)), None)
    return above is not None and depth < 8 and _is_supposed(tree, above, depth + 1)
