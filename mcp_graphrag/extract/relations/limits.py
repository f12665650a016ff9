"""What a clause says only of some times, places or cases: "only in tests", "at night", "except in Oslo"."""

from itertools import pairwise

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.relations.read_clauses import Clause, tense_of
from mcp_graphrag.extract.relations.sentence_tree import SUBJECTS, SentenceTree
from mcp_graphrag.mentions.gazetteer import GAZETTEER

_ONCE_DONE = frozenset({"once", "after", "soon"})
_EXCEPT_AT = frozenset({"in", "at", "on", "for", "where", "when", "during", "within", "under"})
_AT = frozenset({"in", "at", "on", "over", "by"})
_NEEDING = frozenset({"require", "need"})
_ELSEWHERE = frozenset({"elsewhere", "abroad", "overseas"})
_SOME = frozenset({"many", "some", "most", "certain", "several", "few", "other", "older"})
_NOT_AT = frozenset({"outside", "beyond", "except", "during"})
# In front of "A is the founder of B": who thinks so.
_WHO_THINKS = frozenset({"among", "amongst", "for", "to"})
_NO_THINKERS = frozenset({"north", "south", "east", "west", "left", "right", "date", "day", "end", "side"})


def is_limited(tree: SentenceTree, verb: int) -> bool:
    """Whether it is so only at times or in places: "only in tests", "once it is done", "On Windows the agent …"."""
    in_front = (_limits_in_front(tree, verb, preposition) for preposition in _in_front(tree, verb))
    readings = (_is_at_times, _is_for_one_use, _is_found_to, _is_first)
    if any(limits(tree, verb) for limits in readings) or any(in_front):
        return True
    behind = tree.words[verb + 1 :]
    if any(word == "except" and after in _EXCEPT_AT for word, after in pairwise(behind)):
        return True  # "A replaced B, except in Oslo"
    only = [index for index in range(tree.size - 1) if tree.words[index] == "only"]
    limits = (index for index in only if verb in tree.ancestors(index))
    return any(tree.words[index + 1] in GRAMMAR.limits or _is_on_no_name(tree, index + 1) for index in limits)


def _is_at_times(tree: SentenceTree, verb: int) -> bool:
    """Whether a present is told of a part of a story, a time that comes again, another place or a case."""
    is_present = tense_of(tree, verb) == "present"
    for preposition in tree.children(verb, "prep"):
        word = tree.words[preposition]
        if word in {"in", "during", "throughout"} and _is_of_story(tree, verb, preposition):
            return True
        nouns = tree.children(preposition, "pobj")
        if is_present and word == "in" and any(_is_of_some(tree, noun) and noun not in tree.mentions for noun in nouns):
            return True
        if is_present and word in _AT and any(_recurs(tree, noun) for noun in nouns):
            return True
    for clause in tree.children(verb, "advcl"):
        marks = {*tree.child_words(clause, "mark", "advmod")}
        is_when = "when" in marks and not tree.has_subject(clause)  # "uses B when started like this"
        if is_present and (is_when or not marks.isdisjoint(_ONCE_DONE)):
            return True
    adverbs = (word for word, label in zip(tree.words, tree.labels, strict=True) if label == "advmod")
    return is_present and not _ELSEWHERE.isdisjoint(adverbs)  # "is owned by A in Asia and by B elsewhere"


def _is_for_one_use(tree: SentenceTree, verb: int) -> bool:
    """Whether something is needed, or was used, for one purpose: "requires SSL for app links", "used B to save C"."""
    lemma = tree.lemma(verb)
    if lemma == "use" and tense_of(tree, verb) == "past":
        return _has_infinitive(tree, verb)
    if lemma not in _NEEDING:
        return False
    holders = [verb, *tree.children(verb, "dobj")]
    uses = [preposition for holder in holders for preposition in tree.children(holder, "prep")]
    nouns = [noun for at in uses if tree.words[at] == "for" for noun in tree.children(at, "pobj")]
    return any(noun not in tree.mentions and tree.is_noun(noun) for noun in nouns)


def _is_found_to(tree: SentenceTree, verb: int) -> bool:
    """Whether somebody found out something about it: "was found by B to omit C"."""
    return tree.lemma(verb) == "find" and bool(tree.children(verb, "agent")) and _has_infinitive(tree, verb)


def _has_infinitive(tree: SentenceTree, verb: int) -> bool:
    return any("to" in tree.child_words(clause, "aux") for clause in tree.children(verb, "xcomp", "advcl"))


def has_goal(tree: SentenceTree, clause: Clause) -> bool:
    """Whether somebody leads others to something, whom they need not lead else: "led the club to the title"."""
    goals = (one for one in clause.obliques if one.preposition == "to" and one.token not in tree.mentions)
    return clause.lemma == "lead" and any(goals)


def _is_first(tree: SentenceTree, verb: int) -> bool:
    """Whether something is the first of many that are not named: "becomes first in Norway to have two stars"."""
    return tree.lemma(verb) in {"be", "become"} and "first" in tree.child_words(verb)


def has_date(tree: SentenceTree, noun: int) -> bool:
    """Whether there is a date in the phrase of a noun."""
    below = [noun]
    while below:
        at = below.pop()
        if at in tree.mentions and tree.mentions[at].kind == "date":
            return True
        below += tree.children(at)
    return False


def _in_front(tree: SentenceTree, verb: int) -> list[int]:
    """The prepositions in front of the subject, which may be that of a verb joined in front: "In B, A runs C and …"."""
    subjects = tree.children(verb, *SUBJECTS)
    head = tree.heads[verb]
    if not subjects and tree.labels[verb] == "conj" and tree.is_verb(head):
        return _in_front(tree, head)
    return [child for child in tree.children(verb, "prep") if subjects and child < subjects[0]]


def _limits_in_front(tree: SentenceTree, verb: int, preposition: int) -> bool:
    """Whether a phrase in front of the subject says when or where alone it is so: "In Norway, A owns B"."""
    word = tree.words[preposition]
    if word == "except":
        return True
    if tense_of(tree, verb) != "present" or any(has_date(tree, noun) for noun in tree.children(preposition)):
        return False
    if word in _NOT_AT or word == "after" or _is_only_then(tree, verb, preposition):
        return True
    nouns = tree.children(preposition, "pobj")
    if word in _WHO_THINKS and tree.lemma(verb) == "be":
        return not any(noun in tree.mentions or tree.words[noun] in _NO_THINKERS for noun in nouns)
    return any(_limits(tree, preposition, noun) for noun in nouns)


def _limits(tree: SentenceTree, preposition: int, noun: int) -> bool:
    """Whether it is so only with, on, for or in a noun: "With the plugin installed", "On Windows", "In Norway"."""
    kinds = {
        "with": tree.has_subject(noun),
        "on": (preposition == 0 and noun in tree.mentions) or _is_of_some(tree, noun),
        "for": tree.words[noun] == "purposes",
        "in": tree.words[noun] == "absence" or _is_region(tree, noun),
    }
    return kinds.get(tree.words[preposition], False)


def _is_of_some(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun is of some of its kind: "on many systems", "in some ways"."""
    return not _SOME.isdisjoint(tree.child_words(noun, "amod", "det"))


def _is_only_then(tree: SentenceTree, verb: int, preposition: int) -> bool:
    """Whether "only" stands behind a phrase in front of the subject: "In the EU only, A uses B"."""
    opening = tree.words[preposition : min([*tree.children(verb, *SUBJECTS), verb])]
    return "only" in opening[1:]


def _recurs(tree: SentenceTree, noun: int) -> bool:
    """Whether a noun is a time that comes again and again: "at night", "in winter", "on Sundays"."""
    word = tree.words[noun]
    is_weekly = word.endswith("s") and word.removesuffix("s").capitalize() in WORDS.weekdays
    if is_weekly or (noun in tree.mentions and tree.mentions[noun].kind != "date"):
        return is_weekly
    singular = word.removesuffix("s") if not word.endswith("ies") else f"{word.removesuffix('ies')}y"
    return (
        singular in GRAMMAR.recurring and not tree.children(noun, "prep", "relcl", "acl") and not has_date(tree, noun)
    )


def _is_region(tree: SentenceTree, noun: int) -> bool:
    mention = tree.mentions.get(noun)
    return mention is not None and (mention.type == "Location" or mention.name in GAZETTEER.places)


def _is_on_no_name(tree: SentenceTree, preposition: int) -> bool:
    """Whether "on" or "at" leads to no name: "uses A only on Mondays", unlike "depends only on A"."""
    nouns = tree.children(preposition, "pobj") if tree.words[preposition] in {"on", "at", "under"} else []
    return any(
        noun not in tree.mentions
        or tree.mentions[noun].kind == "date"
        or tree.words[noun].removesuffix("s").capitalize() in WORDS.weekdays
        for noun in nouns
    )


def _is_of_story(tree: SentenceTree, verb: int, preposition: int) -> bool:
    """Whether a phrase behind a verb in the present says in which part of a story it happens: "… in season two"."""
    is_present = tree.parse.fine_tags[verb] in {"VBZ", "VBP"} and tree.lemma(verb) != "be"
    return is_present and any(tree.words[noun] in GRAMMAR.stories for noun in tree.children(preposition, "pobj"))
