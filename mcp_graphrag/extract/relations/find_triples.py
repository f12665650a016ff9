"""The triples of one sentence that its grammar states."""

import re
from collections.abc import Iterable, Iterator, Sequence

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.parser import Parse
from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple, with_type
from mcp_graphrag.extract.english.marriages import MARRIAGES
from mcp_graphrag.extract.english.parents import name_parents
from mcp_graphrag.extract.english.periods import EVENTS
from mcp_graphrag.extract.english.set_apart import is_set_apart
from mcp_graphrag.extract.relations.asserted import Status, is_stated, status_of
from mcp_graphrag.extract.relations.brackets_and_places import address_triples, addresses, bracket_triples
from mcp_graphrag.extract.relations.clause_times import SentenceTimes, with_events
from mcp_graphrag.extract.relations.names.named import Found, mention_of
from mcp_graphrag.extract.relations.nouns.appositions import appositions
from mcp_graphrag.extract.relations.nouns.titles_in_front import titles_in_front
from mcp_graphrag.extract.relations.past_states import with_past_states
from mcp_graphrag.extract.relations.phrases.phrase_triples import phrase_triples
from mcp_graphrag.extract.relations.plain_sentences import plain_triples
from mcp_graphrag.extract.relations.read_clauses import Clause, read_clauses
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.extract.relations.transfers import transfer_triples
from mcp_graphrag.extract.relations.verb_relations import ClauseReader
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

# Arcs that are less certain than this state nothing.
MIN_CERTAINTY = 0.4
_ONE_TO_ONE = frozenset({"renamed_to", "replaces", "replaced_by"})
_AT_PLACES = frozenset(
    {"located_in", "born_in", "died_in", "based_in", "headquartered_in", "buried_in", "lives_in", "founding_place"}
)
_WORKING = frozenset({"work", "run", "start", "function", "operate", "boot", "build", "compile"})
_UNABLE = frozenset({"can", "ca", "do", "does", "will", "wo"})
_MANNER = frozenset({"not", "n't", "properly", "correctly"})
_NEVER = frozenset({"Person", "Location", "Date", "Role"})
# In front of a name that only a part of it is meant.
_PART_OF = re.compile(
    r"\b(?:(?:(?:north|south)(?:east|west)?|east|west)(?:ern)?|central|upper|lower"
    r"|(?:parts?|much|most|half|swath(?:e?s)?|areas|portions?|sections?) of(?: the)?) \Z"
)
# Behind a name that the sentence says it of a part of its subject: "on Windows only".
# What is in a part of a place is in the place.
_OF_PLACES = ("_in", "_at", "_on", "_to", "_from", "_near", "_through", "_of", "birthplace", "place")
_WHERE = r"(?:on|in|for|with|at|when|if|during|under|from|to)\b"
_ONLY = re.compile(rf"[ \xa0{MASK}]+(?:only[ \xa0]{_WHERE}|{_WHERE}[^.;,\n]{{1,40}}\bonly{MASK}*(?=[.;,)\n]|\Z))")


def find_triples(
    prose: str, span: Span, parse: Parse | None, mentions: Sequence[DraftMention], lexicon: Lexicon
) -> list[DraftTriple]:
    """The asserted triples of a sentence in text order; without a parse only those that punctuation states."""
    titles = list(titles_in_front(prose, span, mentions))
    if parse is None and len(mentions) < 2:
        return titles  # sooner
    tree = SentenceTree(parse, mentions) if parse is not None else None
    chains = addresses(prose, mentions, tree)
    found = [*titles, *bracket_triples(prose, span, mentions), *address_triples(chains)]
    if tree is not None:
        of_grammar = list(_of_grammar(prose, span, tree, mentions, lexicon))
        stated = of_grammar or plain_triples(prose, span, mentions, lexicon)
        found += _with_outer_places(name_parents(prose, stated, mentions), chains)
    return found


def _of_grammar(
    prose: str, span: Span, tree: SentenceTree, mentions: Sequence[DraftMention], lexicon: Lexicon
) -> Iterator[DraftTriple]:
    times = SentenceTimes(prose, span, tree, mentions)
    reader = ClauseReader(tree, lexicon)
    clauses: dict[int, tuple[Clause, Status]] = {}
    transfers: list[Found] = []
    undated: list[Found] = list(appositions(tree, lexicon))
    for clause in read_clauses(tree):
        undated += _needs(tree, clause.verb)
        moved = list(transfer_triples(tree, clause, times))
        stated = [] if moved else list(reader.triples(clause))
        said = [] if moved or stated else list(phrase_triples(tree, clause))
        # The status comes last, as it takes most of the time and most clauses state nothing.
        if not (moved or stated or said) or (status := status_of(tree, clause.verb, able=bool(said))) == "denied":
            continue
        clauses[clause.verb] = clause, status
        is_done = status not in {"future", "ongoing"}
        transfers += (one for one in moved if is_done or one.draft.valid_from or one.draft.valid_to)
        undated += stated or (said if status == "holds" else [])
    found = transfers
    by_anchor: dict[int, list[Found]] = {}
    for one in with_past_states(tree, times.dated(undated), clauses, lexicon):
        by_anchor.setdefault(one.anchor, []).append(one)
    for anchor, group in ((anchor, _paired(each)) for anchor, each in by_anchor.items()):
        if anchor in clauses:
            clause, status = clauses[anchor]
            with_dates = with_events(clause, group, times, lexicon)
            found += (one for one in with_dates if _holds(one.draft, status, lexicon))
        else:
            found += group
    found.sort(key=lambda one: one.anchor)
    seen: set[tuple[str, str, str]] = set()
    for one in found:
        key = one.draft.subject.name, one.draft.predicate, one.draft.object.name
        if one.certainty >= MIN_CERTAINTY and key not in seen and key[0] != key[2] and _is_of_whole(prose, tree, one):
            seen.add(key)
            yield one.draft._replace(certainty=one.certainty)


def _is_of_whole(prose: str, tree: SentenceTree, found: Found) -> bool:
    """Whether a triple is about the whole of its ends: not the nation of a noun, not "annexed southern Gaul"."""
    start = found.draft.object.start
    predicate = found.draft.predicate
    if predicate == "located_in" and found.draft.subject.type in {"Document", "Ticket", "Incident"}:
        return False  # "ADR 14 (second region in Oslo)" says what a document is about
    is_part = not predicate.endswith(_OF_PLACES) and _PART_OF.search(prose, max(start - 30, 0), start)
    return not (
        is_part
        or _ONLY.match(prose, found.draft.object.end)
        or _is_adjective(tree, found)
        or _names_another(tree, found)
        or (predicate != "won" and any(is_set_apart(prose, end) for end in (found.draft.subject, found.draft.object)))
    )


def _names_another(tree: SentenceTree, found: Found) -> bool:
    """Whether the new name is that of something else than the subject: "Acme renamed the tool Moss"."""
    if found.draft.predicate != "renamed_to" or not tree.children(found.anchor, "nsubj"):
        return False
    objects = tree.child_words(found.anchor, "dobj", "ccomp", "oprd", "npadvmod")
    return bool(objects) and {"itself", "themselves"}.isdisjoint(objects)


def _is_adjective(tree: SentenceTree, found: Found) -> bool:
    """Whether the subject is the nation of a noun: "the Canadian company that owns B"."""
    subject = found.draft.subject
    if subject.name not in GAZETTEER.nationalities:
        return False
    token = tree.token_of(subject)
    return token is not None and tree.parse.fine_tags[token + 1 : token + 2] in (("NN",), ("NNS",))


def _needs(tree: SentenceTree, verb: int) -> Iterator[Found]:
    """What a thing cannot do without another, as a dependency: "Without the Vault, the Till cannot start"."""
    if "without" not in tree.words or tree.lemma(verb) not in _WORKING or not tree.children(verb, "neg"):
        return
    children = tree.children(verb)
    prepositions = tree.children(verb, "prep")
    known = {"prep", "neg", "aux", "nsubj", "advmod", "punct"}
    limited = {tree.labels[child] for child in children} - known or not _MANNER.issuperset(
        tree.child_words(verb, "neg", "advmod")
    )
    if limited or len(prepositions) != 1 or tree.words[prepositions[0]] != "without":
        return
    if not _UNABLE.issuperset(tree.child_words(verb, "aux")) or not is_stated(tree, verb):
        return
    needed, subjects = tree.children(prepositions[0], "pobj"), tree.children(verb, "nsubj")
    if len(needed) != 1 or len(subjects) != 1 or len(tree.conjuncts(subjects[0])) != 1:
        return
    subject = mention_of(tree, subjects[0])
    for noun in tree.conjuncts(needed[0]):
        # A name itself, as "without the Vault team's keys" is about keys; what "without" excludes is no negated noun.
        other = tree.mentions.get(noun)
        if subject is None or other is None or {subject.type, other.type} & _NEVER or subject.name == other.name:
            continue
        least = min(tree.certainty(noun, verb), tree.certainty(subjects[0], verb))
        yield Found(DraftTriple(subject, "depends_on", other, "cannot work without", "verb"), verb, least)


def _paired(group: Sequence[Found]) -> Sequence[Found]:
    """The triples of one verb; of "A and B are renamed to C and D" those of A and C, and of B and D."""
    several = [one for one in group if one.draft.predicate in _ONE_TO_ONE]
    firsts = {one.draft.subject.start for one in several}
    seconds = {one.draft.object.start for one in several}
    if not (firsts and seconds) or 1 in {len(firsts), len(seconds)}:
        return group
    pairs = list(zip(sorted(firsts), sorted(seconds), strict=False)) if len(firsts) == len(seconds) else []
    return [one for one in group if one not in several or (one.draft.subject.start, one.draft.object.start) in pairs]


def _holds(draft: DraftTriple, status: Status, lexicon: Lexicon) -> bool:
    """Whether a triple counts for what the sentence says of its time."""
    if status == "ongoing":  # "is rewriting B" has not rewritten it
        is_known = draft.predicate in lexicon.predicates
        return is_known and draft.predicate not in lexicon.events and draft.predicate not in EVENTS
    if status == "future":
        return draft.valid_from is not None
    if status == "over":
        is_event = draft.predicate in EVENTS.union(lexicon.events) - MARRIAGES - {"is_a"}
        return is_event or draft.valid_to is not None
    return True


def _with_outer_places(
    drafts: Iterable[DraftTriple], chains: Sequence[Sequence[DraftMention]]
) -> Iterator[DraftTriple]:
    """The triples, and for the first place of an address the same with the places around it."""
    for draft in drafts:
        yield draft
        if draft.predicate in _AT_PLACES:
            for chain in chains:
                if chain[0].start == draft.object.start:
                    for outer in chain[1:]:
                        yield draft._replace(object=with_type(outer, "Location"))
