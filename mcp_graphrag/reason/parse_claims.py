"""Claims in a text, read sentence by sentence, each checked against the graph, with the passages to read beside it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.clean_input import check_length
from mcp_graphrag.english.lexicon import lexicon_with
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.find_entities import Linked, link_name
from mcp_graphrag.lookup.query_triples import predicates_of_names
from mcp_graphrag.reason.check_claim import CheckedClaim, Claim, Verdict, check_claim, overall
from mcp_graphrag.reason.claim_evidence import IS_A
from mcp_graphrag.reason.claim_passages import passages_of_claim, passages_of_sentence
from mcp_graphrag.reason.judge_passages import Judgement
from mcp_graphrag.reason.parse_sentence import Said, SentenceParser
from mcp_graphrag.reason.relation_words import RelationWords
from mcp_graphrag.search.passages import MAX_PASSAGES, Passage
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.search.search import search
from mcp_graphrag.snapshot import Snapshot

MAX_CLAIM_LENGTH, MAX_CLAIMS = 4000, 20
MAX_NEAREST = 2  # unread words for which the nearest names are given
FORMS = "Not read, as it is not of the form A verb B, A's R is B, or A is a type"
NAME_PARTS_HINT = "Give subject, predicate and object; `find_entities` and `brief` list names and predicates."


@dataclass(frozen=True)
class CheckedText:
    """The verdict on a text and on each of its claims; `unread` are the sentences that were not read whole.

    `notes` say which words were not read. A text with unread sentences is never supported. `passages` are what to read
    beside it, whatever the verdict, and `judgements` what a model made of these, if it was asked.
    """

    verdict: Verdict
    claims: Sequence[CheckedClaim]
    unread: Sequence[str] = ()
    more: int = 0
    notes: Sequence[str] = ()
    passages: Sequence[Passage] = ()
    judgements: Sequence[Judgement] = ()


def check_single(snapshot: Snapshot, claim: Claim, *, precedence: Sequence[str] = ()) -> CheckedText:
    """The verdict on one claim by names, with its passages."""
    checked = check_claim(snapshot, claim, precedence=precedence)
    lexicon = lexicon_with(snapshot.ontology.phrases)
    return CheckedText(checked.verdict, [checked], passages=passages_of_claim(snapshot, lexicon, checked))


def check_text(snapshot: Snapshot, text: str, *, precedence: Sequence[str] = (), read: bool = True) -> CheckedText:
    """The verdict on each claim of a text: on plain statements, and on questions that yes or no answers.

    A sentence is read whole or not at all. At most `MAX_CLAIMS` claims are checked; `more` counts the rest. Passages
    are left out unless `read`.
    Raises BadInput for a text that is empty or longer than `MAX_CLAIM_LENGTH` characters.
    """
    if not text.strip():
        raise BadInput("The claim is empty.", NAME_PARTS_HINT)
    check_length(text, "claim", MAX_CLAIM_LENGTH, "Check its sentences one by one.")
    words = RelationWords(predicates_of_names(snapshot), snapshot.ontology)
    claims: list[CheckedClaim] = []
    unread: list[str] = []
    notes: list[str] = []
    verdicts: list[Verdict] = []
    passages: list[list[Passage]] = []
    more = 0
    for parser, sentence in _parsers(snapshot, words, text):
        room = max(MAX_CLAIMS - len(claims), 0)
        said = parser.claims()
        found = [_check(snapshot, each, precedence) for each in said[:room]]
        if not any(map(_is_decided, found)) and (others := parser.other_claims()):
            by_others = [_check(snapshot, each, precedence) for each in others[:room]]
            if not found or any(map(_is_decided, by_others)):
                said, found = others, by_others
        more += len(said) - len(found)
        claims += found
        verdicts.extend(each.verdict for each in found)
        if not said:
            verdicts.append("unknown")
            unread.append(sentence)
            notes += _why_unread(snapshot, parser, sentence)
        if read and found:
            lexicon = lexicon_with(snapshot.ontology.phrases)
            hits = search(snapshot, SearchQuery(sentence, limit=MAX_PASSAGES)).hits
            passages += [passages_of_claim(snapshot, lexicon, each, sentence, hits) for each in found]
        elif read:
            passages.append(passages_of_sentence(snapshot, sentence, parser.names()))
    if more:
        verdicts.append("unknown")
    agreed = _of_one_entity(snapshot, claims)
    if agreed != claims:
        verdicts.append("unknown")
    return CheckedText(overall(verdicts), agreed, unread, more, notes, _in_turn(passages))


def _in_turn(passages: Sequence[Sequence[Passage]]) -> list[Passage]:
    """The passages of several claims, as many of each, at most `MAX_PASSAGES`; each once."""
    share = max(MAX_PASSAGES // max(len(passages), 1), 1)
    found = {one.citation: one for each in passages for one in each[:share]}
    return list(found.values())[:MAX_PASSAGES]


def _is_decided(checked: CheckedClaim) -> bool:
    """Whether triples speak for or against a claim."""
    return checked.verdict != "unknown" or checked.disputed


def _of_one_entity(snapshot: Snapshot, claims: Sequence[CheckedClaim]) -> list[CheckedClaim]:
    """The claims, those unknown that are supported of different entities of one name."""
    supported = [claim for claim in claims if claim.supporting and claim.verdict == "supported"]
    names = Counter(name for each in supported for name in {each.claim.subject, each.claim.object})
    found = list(claims)
    for name in (name for name, count in names.items() if count > 1):
        heads = _heads(snapshot, name)
        if heads is None or not heads.is_ambiguous:
            continue
        about = [each for each in supported if name in {each.claim.subject, each.claim.object}]
        ids = {head.id for head in heads.entities}
        ends = [
            {end for reason in each.supporting for one in reason.premises for end in (one.subject_id, one.object_id)}
            for each in about
        ]
        if not ids.intersection(*ends):
            note = f"{len(ids)} entities have the name {name}; what is claimed holds of no single one."
            found = [
                replace(each, verdict="unknown", notes=[*each.notes, note]) if each in about else each for each in found
            ]
    return found


def _heads(snapshot: Snapshot, name: str) -> Linked | None:
    try:
        return link_name(snapshot, name)
    except UnknownName:
        return None


def _parsers(snapshot: Snapshot, words: RelationWords, text: str) -> Iterator[tuple[SentenceParser, str]]:
    """A parser for each sentence; sentences between which a stored name stands are one."""
    spans = list(sentence_spans(text))
    while len(spans) > 1:
        (start, _), (_, end) = spans[0], spans[1]
        joined = SentenceParser(snapshot, words, text[start:end])
        if not joined.has_name_across(spans[0][1] - start):
            yield SentenceParser(snapshot, words, text[slice(*spans[0])]), text[slice(*spans[0])]
            spans = spans[1:]
        else:
            spans[:2] = [(start, end)]
    for start, end in spans:
        yield SentenceParser(snapshot, words, text[start:end]), text[start:end]


def _why_unread(snapshot: Snapshot, parser: SentenceParser, sentence: str) -> Iterator[str]:
    """Which words were not read, and for those written like a name the nearest stored ones."""
    unread = ", ".join(f"'{words}'" for words in parser.unread())
    yield f"Not read because of {unread}: {sentence}" if unread else f"{FORMS}: {sentence}"
    for name in parser.unread_names()[:MAX_NEAREST]:
        try:
            link_name(snapshot, name)
        except UnknownName as unknown:
            yield f"{unknown.fact} {unknown.hint}".strip()


def _check(snapshot: Snapshot, said: Said, precedence: Sequence[str]) -> CheckedClaim:
    """The verdict on a claim by any of the predicates that its words mean."""
    claims = [
        Claim(said.object, predicate, said.subject, said.negated, said.time)
        if swap
        else Claim(said.subject, predicate, said.object, said.negated, said.time)
        for predicate, swap in said.relations
    ] or [Claim(said.subject, IS_A, said.object, said.negated, said.time)]
    checked = [check_claim(snapshot, claim, precedence=precedence) for claim in claims]
    decided = list(filter(_is_decided, checked))
    agree = len({(each.verdict, each.disputed) for each in decided}) == 1
    return decided[0] if agree else checked[0]
