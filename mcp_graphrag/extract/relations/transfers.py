"""Transfers: who held something until a date, and who holds it from then on."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.english.discourse.coreference import PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple, is_software, with_type
from mcp_graphrag.extract.relations.clause_times import SentenceTimes
from mcp_graphrag.extract.relations.names.named import Found, mention_of
from mcp_graphrag.extract.relations.read_clauses import Clause
from mcp_graphrag.extract.relations.sentence_tree import Argument, SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention

_VERBS = frozenset({"move", "pass", "go", "transfer", "hand", "reassign", "change", "shift", "switch"})
# Of these the subject is who had it, if there is an object; the others may be what somebody else does.
_GIVING = frozenset({"hand", "pass", "transfer"})
_WITH_OBJECT = frozenset({"hand", "reassign"})
_TAKING = frozenset({"take", "inherit"})
_OWNERSHIP = frozenset({"ownership", "responsibility", "custody", "maintenance"})
_HOLDERS = frozenset({"Team", "Organization", "Person"})


class _Parts(NamedTuple):
    """What is held, who had it and who has it then; `is_given` if it is the subject that had it."""

    held: Argument
    old: Argument | None
    new: Argument
    is_given: bool


def transfer_triples(tree: SentenceTree, clause: Clause, times: SentenceTimes) -> Iterator[Found]:
    """The two triples of a transfer with a date.

    "X moves from A to B on 1 March 2025", "A hands X over to B in May 2025", "B took over X from A in March 2025".
    """
    parts = _parts(tree, clause)
    held = _held(tree, parts.held) if parts is not None else None
    if parts is None or held is None:
        return
    moment = times.moment_of(clause.verb)
    certainty = min(one.certainty for one in (parts.held, parts.old, parts.new) if one is not None)
    holders = [mention_of(tree, one.token) if one is not None else None for one in (parts.old, parts.new)]
    if moment is None:
        if parts.old is not None:
            yield from _undated(tree, clause, held, holders, certainty)
        return
    said = tree.mentions.get(parts.held.token)
    first = said.name.partition(" ")[0].lower() if said is not None else tree.words[parts.held.token]
    is_owned = first in _OWNERSHIP
    predicate = (
        "owned_by" if is_owned else _predicate(tree, clause.lemma, held, [one for one in holders if one is not None])
    )
    if holders[1] is None:
        return
    if predicate is None:
        for found in _undated(tree, clause, held, holders, certainty) if parts.old is not None else ():
            yield found._replace(draft=found.draft._replace(when=moment[1]))
        return
    if predicate == "member_of" and parts.is_given:
        holders[0] = None  # who moves a person may keep that one
    date, words = moment
    type_ = "Person" if predicate == "member_of" else None
    for holder, valid_from, valid_to in ((holders[0], None, date), (holders[1], date, None)):
        if holder is not None:
            surface = tree.words[clause.verb]
            draft = DraftTriple(with_type(held, type_), predicate, holder, surface, "verb", words)
            yield Found(draft._replace(valid_from=valid_from, valid_to=valid_to), clause.verb, certainty)


def _parts(tree: SentenceTree, clause: Clause) -> _Parts | None:
    """What a verb of a transfer is about; None for other verbs, and where no thing or new holder is named."""
    by_preposition = {
        one.preposition.removeprefix("over ").removeprefix("on "): one for one in reversed(clause.obliques)
    }
    subject, moved = next(iter(clause.subjects), None), None if clause.passive else _object(tree, clause)
    old, new, held = by_preposition.get("from"), by_preposition.get("to"), moved or subject
    if clause.lemma in _TAKING and not clause.passive:
        held, new = moved, subject
    elif clause.lemma not in _VERBS or (clause.lemma in _WITH_OBJECT and not (moved or clause.passive)):
        return None
    is_given = old is None and moved is not None and clause.lemma in _GIVING
    return _Parts(held, subject if is_given else old, new, is_given) if held is not None and new is not None else None


def _object(tree: SentenceTree, clause: Clause) -> Argument | None:
    """The object of a verb, also behind "over": "handed over X"."""
    for one in clause.objects:
        return one
    for child in tree.children(clause.verb, "prt", "prep"):
        if tree.words[child] == "over":
            for noun in tree.children(child, "pobj", "dobj"):
                return Argument(noun, "", tree.certainty(noun, clause.verb))
    return None


def _undated(
    tree: SentenceTree, clause: Clause, held: DraftMention, holders: Sequence[DraftMention | None], certainty: float
) -> Iterator[Found]:
    """The triples of "checkout-api goes from A to B", of software and groups, which do not travel."""
    is_group = held.type in {"Team", "Service"} or held.kind.startswith("hyphenated") or is_software(held)
    if clause.lemma not in _VERBS - {"pass", "change"} or not is_group:
        return  # what changes from A to B is a value
    for predicate, holder in zip(("moved_from", "moved_to"), holders, strict=True):
        if holder is not None and holder.kind not in {"date", "role"}:
            yield Found(DraftTriple(held, predicate, holder, tree.words[clause.verb], "verb"), clause.verb, certainty)


def _held(tree: SentenceTree, subject: Argument) -> DraftMention | None:
    """What is transferred; of "ownership of X" it is X."""
    if tree.words[subject.token] in _OWNERSHIP:
        for preposition in tree.children(subject.token, "prep"):
            for noun in tree.children(preposition, "pobj"):
                return mention_of(tree, noun)
    mention = mention_of(tree, subject.token)
    for word in _OWNERSHIP:
        for link in (" of the ", " for the ", " of ", " for "):
            if mention is not None and mention.name.lower().startswith(f"{word}{link}"):
                start = len(word) + len(link)
                return mention._replace(start=mention.start + start, name=mention.name[start:])
    return mention


def _predicate(tree: SentenceTree, lemma: str, held: DraftMention, holders: Sequence[DraftMention]) -> str | None:
    """The predicate between what is held and its holders: a team owns a service, a person is a member of a team."""
    types = {mention.type for mention in holders} - {None}
    if lemma == "go" and held.type is None and held.kind == "name" and "Organization" in types:
        return None  # "Kerry-Ann went to the Moss School in 2020"
    if not types or not types <= _HOLDERS or held.kind in {"date", "role"}:
        return None
    token = tree.token_of(held)
    has_article = token is not None and "the" in tree.child_words(token, "det")
    may_be_person = held.type is None and not has_article and 2 <= len(held.name.split()) <= 3
    if (held.type == "Person" or may_be_person) and held.kind in {"name", PRONOUN}:
        return "member_of" if "Person" not in types else None
    return "owned_by"
