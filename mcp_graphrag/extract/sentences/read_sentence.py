"""The triples of one sentence: what its clauses state, with the time for which they state it, and its punctuation."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.parser import Parse
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import OCCURRED_ON, DraftTriple, with_type
from mcp_graphrag.extract.periods import EVENTS, Period, find_periods
from mcp_graphrag.extract.sentences.asserted import Status, status_of
from mcp_graphrag.extract.sentences.brackets import address_triples, addresses, bracket_triples
from mcp_graphrag.extract.sentences.clause_tree import Clause, ClauseTree, read_clauses
from mcp_graphrag.extract.sentences.phrases import can_only, phrase_triples
from mcp_graphrag.extract.sentences.relations import Found, RelationReader
from mcp_graphrag.mentions.find_mentions import DraftMention

MIN_CERTAINTY = 0.4  # arcs that are less certain state nothing
_AT = frozenset({"in", "on", "at", "during"})
_AT_PLACES = frozenset(
    {"located_in", "born_in", "died_in", "based_in", "headquartered_in", "buried_in", "lives_in", "founding_place"}
)


def triples_of_sentence(
    prose: str, span: Span, parse: Parse | None, mentions: Sequence[DraftMention], lexicon: Lexicon
) -> list[DraftTriple]:
    """The asserted triples of a sentence; without a parse only those that punctuation states."""
    tree = ClauseTree(parse, mentions) if parse is not None else None
    chains = [chain for chain in addresses(prose, mentions) if tree is None or _is_joined(tree, chain)]
    found = [*bracket_triples(prose, span, mentions), *address_triples(chains)]
    if tree is not None:
        for draft in _of_grammar(prose, span, tree, mentions, lexicon):
            found.append(draft)
            if draft.predicate in _AT_PLACES:
                outer = [place for chain in chains if chain[0].start == draft.object.start for place in chain[1:]]
                found += [draft._replace(object=with_type(place, "Location")) for place in outer]
    distinct = {(one.subject.name, one.predicate, one.object.name): one for one in reversed(found)}
    return [one for one in reversed(distinct.values()) if one.subject.name != one.object.name]


def _is_joined(tree: ClauseTree, chain: Sequence[DraftMention]) -> bool:
    """Whether the outer places of an address hang on those in front: in "At Acme, Ann leads B" they do not."""
    token_of = {mention.start: token for token, mention in tree.mentions.items()}
    tokens = [token_of.get(mention.start) for mention in chain]
    return all(token is not None and tree.heads[token] in tokens for token in tokens[1:])


def _of_grammar(
    prose: str, span: Span, tree: ClauseTree, mentions: Sequence[DraftMention], lexicon: Lexicon
) -> Iterator[DraftTriple]:
    reader = RelationReader(tree, lexicon)
    found: list[Found] = list(reader.beside_names())
    clauses: dict[int, tuple[Clause, Status]] = {}
    for clause in read_clauses(tree):
        stated, able = list(reader.of_clause(clause)), False
        if not stated:
            stated, able = list(phrase_triples(tree, clause)), can_only(tree, clause)
        if stated and (status := status_of(tree, clause.verb, able=able)) != "not":
            clauses[clause.verb] = clause, status
            found += stated
    found = [one for one in found if one.certainty >= MIN_CERTAINTY]
    periods = _periods_by_anchor(prose, span, tree, mentions, {one.anchor for one in found}) if found else {}
    for one in found:
        dated = periods[one.anchor].apply_to(one.draft, prose) if one.anchor in periods else one.draft
        if one.anchor not in clauses:
            yield dated._replace(certainty=one.certainty)
            continue
        clause, status = clauses[one.anchor]
        for draft in _with_event_date(tree, clause, dated, lexicon):
            if _holds(draft, status, lexicon):
                yield draft._replace(certainty=one.certainty)


def _holds(draft: DraftTriple, status: Status, lexicon: Lexicon) -> bool:
    """Whether a triple counts for what the sentence says of its time."""
    is_event = draft.predicate in EVENTS or draft.predicate in lexicon.events
    if status == "ongoing":  # "is rewriting B" has not rewritten it
        return draft.predicate in lexicon.predicates and not is_event
    if status == "future":
        return draft.valid_from is not None
    return status == "holds" or draft.valid_to is not None or (is_event and draft.predicate != "is_a")


def _periods_by_anchor(
    prose: str, span: Span, tree: ClauseTree, mentions: Sequence[DraftMention], anchors: set[int]
) -> dict[int, Period]:
    """The period of each verb or noun that states something: the one whose date hangs on it, or opens the sentence."""
    found: dict[int, Period] = {}
    token_of = {mention.start: token for token, mention in tree.mentions.items()}
    for period in find_periods(prose, span, mentions):
        tokens = [token_of[start] for at in period.dates if (start := mentions[at].start) in token_of]
        above = next(
            (one for token in tokens for one in tree.ancestors(token) if one in anchors or tree.is_verb(one)), None
        )
        if above in anchors:
            found.setdefault(above, period)
        elif len(anchors) == 1 and (not tokens or not any(at < min(tokens) for at in tree.mentions)):
            found.setdefault(next(iter(anchors)), period)
    return found


def _with_event_date(tree: ClauseTree, clause: Clause, draft: DraftTriple, lexicon: Lexicon) -> Iterator[DraftTriple]:
    """The triple with the date of its event: as a triple of its own, or as words beside it.

    "She founded Acme in 2014" dates Acme; "Bob joined Initech in 2019" happened in 2019. The present tense with a date
    is a plan, and asserts nothing.
    """
    date = _date_of(tree, clause)
    if date is None or "date" in {draft.subject.kind, draft.object.kind}:
        yield draft
        return
    if clause.tense == "present" and not clause.passive and not (draft.valid_from or draft.valid_to):
        return
    predicate = _date_predicates(lexicon).get(draft.predicate, OCCURRED_ON)
    if predicate != OCCURRED_ON and read_date(date.name):
        yield draft
        yield DraftTriple(draft.subject, predicate, with_type(date, "Date"), draft.surface, "date")
    else:
        yield draft._replace(when=draft.when or date.name)


def _date_of(tree: ClauseTree, clause: Clause) -> DraftMention | None:
    """The date on which what a verb says happened: behind "in" or "on", or without a preposition."""
    behind = [one.token for one in clause.phrases if one.preposition in _AT]
    dates = [tree.mentions[one] for one in (*behind, *tree.children(clause.verb, "npadvmod")) if one in tree.mentions]
    return next((one for one in dates if one.kind == "date"), None)


@lru_cache(maxsize=8)
def _date_predicates(lexicon: Lexicon) -> dict[str, str]:
    return {cue.predicate: cue.date for cues in lexicon.cues.values() for cue in cues if cue.date != OCCURRED_ON}
