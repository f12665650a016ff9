"""The triples of a sentence with the time for which it says they hold."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from mcp_graphrag.extract.english.coreference import PRONOUN
from mcp_graphrag.extract.english.dates import Period, find_periods, read_date, without_periods
from mcp_graphrag.extract.english.draft_triple import DraftTriple, with_type
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import Lexicon
from mcp_graphrag.extract.english.relations import find_triples
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.extract.spans import MASK, Span

# Between a triple and the period that dates it: "reports to Ann directly since 2020".
MAX_WORDS_BETWEEN = 4
_WORD = re.compile(r"[^\W_][\w'’-]*")
_TRANSFER = re.compile(
    r"\s*(?:(?:is|was|were|are|has|have|had|been|being|be|will|to)\s+)*"
    r"(?P<verb>moves?|moved|moving|passe[sd]|pass|goes|went|transfers|transfer(?:red)?|handed(?: over)?|reassigned"
    r"|changes?(?: hands)?)\s+(?:over\s+)?from\s+(?:the\s+)?",
    re.IGNORECASE,
)
_TO = re.compile(r"\s*(?:over\s+)?to\s+(?:the\s+)?", re.IGNORECASE)
_ON = r"(?:on|in|since|from|as of|as from|with effect from|effective(?: from| on)?)\s+(?:the\s+)?"
_ON_DATE = re.compile(rf"[\s\x1f,(]*{_ON}", re.IGNORECASE)
_OPENING = re.compile(rf"[\s\x1f\"'“(]*{_ON}", re.IGNORECASE)
_OWNERSHIP = re.compile(r"(?:Ownership|Responsibility|Custody|Maintenance) (?:of|for) (?:the )?", re.IGNORECASE)
_HOLDERS = frozenset({"Team", "Organization", "Person"})


def find_temporal_triples(
    prose: str, span: Span, mentions: Sequence[DraftMention], lexicon: Lexicon
) -> list[DraftTriple]:
    """The triples of one sentence, with a period where the sentence dates them and they can hold for a time."""
    if not any(mention.kind == "date" for mention in mentions):
        return find_triples(prose, span, mentions, lexicon)  # the same result sooner
    transfer = list(_transfer(prose, span, mentions))
    if transfer:
        return transfer
    periods = find_periods(prose, span, mentions)
    if not periods:
        return find_triples(prose, span, mentions, lexicon)
    used = {index for period in periods for index in period.dates}
    others = [mention for index, mention in enumerate(mentions) if index not in used]
    start = span[0]
    if periods[0].span[0] - start <= 2:
        start = periods[0].span[1]
    plain = without_periods(prose, span[0], periods)
    while start < span[1] and plain[start] in f" {MASK},":
        start += 1
    drafts = find_triples(plain, (start, span[1]), others, lexicon)
    return _dated(prose, span, drafts, periods)


def _dated(prose: str, span: Span, drafts: Sequence[DraftTriple], periods: Sequence[Period]) -> list[DraftTriple]:
    dated = list(drafts)
    previous_end = span[0]
    for period in periods:
        for index in _indexes_dated_by(prose, span, drafts, period, previous_end):
            dated[index] = period.apply_to(dated[index], prose)
        previous_end = period.span[1]
    return dated


def _indexes_dated_by(
    prose: str, span: Span, drafts: Sequence[DraftTriple], period: Period, previous_end: int
) -> list[int]:
    """The triples that a period dates: all if it opens the sentence, else those in front of it or around it.

    The period before it ends at `previous_end`.
    """
    if period.span[0] - span[0] <= 2:
        return list(range(len(drafts)))
    ends = [sorted((draft.subject.start, draft.object.start)) for draft in drafts]
    in_front = [index for index, (_, last) in enumerate(ends) if previous_end <= last < period.span[0]]
    nearest = max(in_front, key=lambda index: ends[index][1], default=None)
    if nearest is None or not _is_adjacent(prose, drafts[nearest], period):
        return [index for index, (first, last) in enumerate(ends) if first < period.span[0] < last]
    draft = drafts[nearest]
    return [
        index
        for index in in_front
        if (drafts[index].predicate, drafts[index].surface) == (draft.predicate, draft.surface)
        and (drafts[index].subject == draft.subject or drafts[index].object == draft.object)
    ]


def _is_adjacent(prose: str, draft: DraftTriple, period: Period) -> bool:
    """Whether there are only a few words of the same clause between the triple and the period."""
    between = prose[max(draft.subject.end, draft.object.end) : period.span[0]]
    if ";" in between or ":" in between:
        return False
    tokens = [word.lower() for word in _WORD.findall(between)]
    return len(tokens) <= MAX_WORDS_BETWEEN and (WORDS.relatives | WORDS.boundaries | {"and", "or"}).isdisjoint(tokens)


def _transfer(prose: str, span: Span, mentions: Sequence[DraftMention]) -> Iterator[DraftTriple]:
    """The old holder until a date and the new one from then on: "X moves from A to B on 1 March 2025"."""
    for index in range(len(mentions) - 2):
        subject, old, new = mentions[index : index + 3]
        if ownership := _OWNERSHIP.match(subject.name):  # it is about the service that is owned
            subject = subject._replace(start=subject.start + ownership.end(), name=subject.name[ownership.end() :])
        verb = _TRANSFER.fullmatch(prose, subject.end, old.start)
        if verb is None or _TO.fullmatch(prose, old.end, new.start) is None:
            continue
        date = _date_of_transfer(prose, span, mentions, index)
        predicate = _holding_predicate(prose, subject, (old, new))
        if date is None or predicate is None:
            continue
        moment, words = date
        type_ = "Person" if predicate == "member_of" else None
        for holder, valid_from, valid_to in ((old, None, moment), (new, moment, None)):
            draft = DraftTriple(with_type(subject, type_), predicate, holder, verb["verb"], 0.6, words)
            yield draft._replace(valid_from=valid_from, valid_to=valid_to)


def _holding_predicate(prose: str, subject: DraftMention, holders: Sequence[DraftMention]) -> str | None:
    """The predicate between subject and holder: a team owns a service, a person is a member of a team."""
    types = {mention.type for mention in holders} - {None}
    if not types or not types <= _HOLDERS or subject.kind in {"date", "role"}:
        return None
    has_article = prose[max(subject.start - 4, 0) : subject.start].lower() == "the "
    may_be_person = subject.type is None and not has_article and 2 <= len(subject.name.split()) <= 3
    if (subject.type == "Person" or may_be_person) and subject.kind in {"name", PRONOUN}:
        return "member_of" if "Person" not in types else None
    return "owned_by"


def _date_of_transfer(
    prose: str, span: Span, mentions: Sequence[DraftMention], index: int
) -> tuple[datetime, str] | None:
    """The moment of a transfer and its words, behind the new holder or at the start of the sentence."""
    after = mentions[index + 2]
    following = mentions[index + 3] if index + 3 < len(mentions) else None
    if following is not None and following.kind == "date" and _ON_DATE.fullmatch(prose, after.end, following.start):
        start, date = after.end, following
    elif index and mentions[index - 1].kind == "date" and _OPENING.fullmatch(prose, span[0], mentions[index - 1].start):
        start, date = span[0], mentions[index - 1]
    else:
        return None
    moment = read_date(date.name)
    words = " ".join(prose[start : date.end].replace(MASK, " ").split()).lstrip(",( ")
    return None if moment is None else (moment[0], words)
