"""Dates as the objects of verbs that say when something happened: "founded in 1998", "accepted on 3 May 2024"."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.lexicon import Cue
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import OCCURRED_ON, DraftTriple, is_software, with_type
from mcp_graphrag.extract.relations.names.named import Found, fits
from mcp_graphrag.extract.relations.read_clauses import Clause
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_AT = frozenset({"in", "on", "at", "for", "during"})
_OF_THINGS = frozenset({"founded_on", "created_on", "released_on", "closed_on", "retired_on"})
_DONE_TO = frozenset({"closed_on", "retired_on"})  # but a market closes every day
_AHEAD = frozenset({"schedule", "plan", "expect", "book", "date", "base", "use", "propose", "announce"})
_US = frozenset({"us", "them", "me", "him", "her", "you"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\b\d{1,2}(?:st|nd|rd|th)?\b.*\b(?:1\d|20)\d\d\b")


def dates_of_event(
    tree: SentenceTree,
    clause: Clause,
    subject: tuple[Argument, DraftMention],
    date: tuple[Argument, DraftMention],
    cue: Cue | None,
) -> Iterator[Found]:
    """The triple of a subject and the date behind its verb, which `cue` has if the lexicon has it."""
    (holder, mention), (argument, when) = subject, date
    noun = "" if holder.token in tree.mentions else tree.words[holder.token]
    if WORDS.last_word.get(noun) == "Location":
        return  # "the Ayr bridge was built in 1902": not Ayr
    certainty = min(holder.certainty, argument.certainty)
    if cue is None:
        if _is_done_on(tree, clause, argument, when.name):
            verb = tree.words[clause.verb]
            draft = DraftTriple(mention, f"{verb}_on", when, f"{verb} on", "date")
            yield Found(draft, clause.verb, certainty)
        return
    if argument.preposition not in _AT or not any(map(str.isdigit, when.name)):
        return
    if (cue.date in _DONE_TO and not clause.passive) or is_set_up(mention, cue):
        return
    if cue.date == OCCURRED_ON and (cue.predicate != OCCURRED_ON or mention.type == "Person"):
        return  # in "A used B in 2018" the year is the time of the statement
    is_of_work = cue.date == "started_on" and any(tree.words[one.token] in _US for one in clause.obliques)
    if is_of_work or (clause.lemma == "form" and any(one.preposition == "from" for one in clause.obliques)):
        return  # "started with us in 2017", "the storm formed on 3 May from a wave"
    if fits(mention, cue.subject, of_person=True) and not (cue.date in _OF_THINGS and mention.type == "Person"):
        draft = DraftTriple(with_type(mention, cue.subject), cue.date, when, " ".join(cue.words), "date")
        yield Found(draft, clause.verb, certainty)


def is_set_up(mention: DraftMention, cue: Cue) -> bool:
    """Whether a machine or program is set up, which founds nothing."""
    return cue.words[:2] == ("set", "up") and is_software(mention)


def _is_done_on(tree: SentenceTree, clause: Clause, argument: Argument, date: str) -> bool:
    """Whether a passive says no more than what was done to its subject on a day: "was accepted on 3 March 2024"."""
    verb, others = clause.verb, [one for one in clause.obliques if one.token != argument.token]
    is_done = clause.passive and clause.tense == "past" and clause.lemma not in GRAMMAR.empty_verbs | _AHEAD
    is_whole = not (others or clause.objects or clause.attributes or clause.particle or clause.agents)
    is_beside = tree.words[verb + 1 : verb + 2] == ["on"] or tree.words[0] == "on"
    return is_done and is_whole and is_beside and argument.preposition == "on" and _DAY.search(date) is not None
