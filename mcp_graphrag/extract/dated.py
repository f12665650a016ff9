"""The claims of a sentence with the time for which it says they hold."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from mcp_graphrag.extract.claims import Claim, typed
from mcp_graphrag.extract.lexicon import Lexicon
from mcp_graphrag.extract.markup import GAP, Span
from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.extract.periods import Period, find_periods, read_date, without_periods
from mcp_graphrag.extract.relations import find_claims
from mcp_graphrag.extract.words import load_words

# Words that may stand between what a period is about and the period: "reports to Ann directly since 2020".
MOST_BETWEEN = 4
_WORD = re.compile(r"[^\W_][\w'’-]*")
_PASSED_ON = re.compile(
    r"[\s\x1f]*(?:(?:is|was|were|are|has|have|had|been|being|be|will|to)[\s\x1f]+)*"
    r"(?P<verb>moves?|moved|moving|passe[sd]|pass|goes|went|transfers|transfer(?:red)?|handed(?: over)?|reassigned"
    r"|changes?(?: hands)?)[\s\x1f]+(?:over[\s\x1f]+)?from[\s\x1f]+(?:the[\s\x1f]+)?",
    re.IGNORECASE,
)
_ON_TO = re.compile(r"[\s\x1f]*(?:over[\s\x1f]+)?to[\s\x1f]+(?:the[\s\x1f]+)?", re.IGNORECASE)
_ON = r"(?:on|in|since|from|as of|as from|with effect from|effective(?: from| on)?)[\s\x1f]+(?:the[\s\x1f]+)?"
_ON_DATE = re.compile(rf"[\s\x1f,(]*{_ON}", re.IGNORECASE)
_OPENING = re.compile(rf"[\s\x1f\"'“(]*{_ON}", re.IGNORECASE)
_OWNERSHIP = re.compile(r"(?:Ownership|Responsibility|Custody|Maintenance) (?:of|for) (?:the )?", re.IGNORECASE)
_HOLDERS = frozenset({"Team", "Organization", "Person"})


def find_dated_claims(prose: str, span: Span, mentions: Sequence[Found], lexicon: Lexicon) -> list[Claim]:
    """The claims of one sentence; what it dates holds from or until then, where such a claim can hold for a time."""
    if len(mentions) < 2 or not any(mention.kind == "date" for mention in mentions):
        return find_claims(prose, span, mentions, lexicon)
    passed_on = list(_passed_on(prose, span, mentions))
    if passed_on:
        return passed_on
    periods = find_periods(prose, span, mentions)
    if not periods:
        return find_claims(prose, span, mentions, lexicon)
    used = {index for period in periods for index in period.dates}
    others = [mention for index, mention in enumerate(mentions) if index not in used]
    start = span[0]
    if periods[0].span[0] - start <= 2:
        start = periods[0].span[1]
    plain = without_periods(prose, span[0], periods)
    while start < span[1] and plain[start] in f" {GAP},":
        start += 1
    claims = find_claims(plain, (start, span[1]), others, lexicon)
    dated = _dated(prose, span, claims, periods)
    # Dates that are about no claim may be what the sentence is about: "Ada played from 1914 to 1918".
    return dated if dated != claims else find_claims(prose, span, mentions, lexicon)


def _dated(prose: str, span: Span, claims: Sequence[Claim], periods: Sequence[Period]) -> list[Claim]:
    found = list(claims)
    before = span[0]
    for period in periods:
        about = _about(prose, span, claims, period, before)
        before = period.span[1]
        for index in about:
            found[index] = period.put_on(found[index], prose)
    return found


def _about(prose: str, span: Span, claims: Sequence[Claim], period: Period, before: int) -> list[int]:
    """The claims that a period dates: all where it opens the sentence, else those just before it, or around it.

    `before` is where the period in front of it ends.
    """
    if period.span[0] - span[0] <= 2:
        return list(range(len(claims)))
    ends = [sorted((claim.subject.start, claim.object.start)) for claim in claims]
    ended = [index for index, (_, last) in enumerate(ends) if before <= last < period.span[0]]
    nearest = max(ended, key=lambda index: ends[index][1], default=None)
    if nearest is None or not _hangs_on(prose, claims[nearest], period):
        return [index for index, (first, last) in enumerate(ends) if first < period.span[0] < last]
    said = claims[nearest]
    return [
        index
        for index in ended
        if (claims[index].predicate, claims[index].surface) == (said.predicate, said.surface)
        and (claims[index].subject == said.subject or claims[index].object == said.object)
    ]


def _hangs_on(prose: str, claim: Claim, period: Period) -> bool:
    """Whether nothing but a few words of the same clause stand between claim and period."""
    between = prose[max(claim.subject.end, claim.object.end) : period.span[0]]
    words = load_words()
    tokens = [word.lower() for word in _WORD.findall(between)]
    return len(tokens) <= MOST_BETWEEN and (words.relatives | words.boundaries | {"and", "or"}).isdisjoint(tokens)


def _passed_on(prose: str, span: Span, mentions: Sequence[Found]) -> Iterator[Claim]:
    """Who had it until a date and who has it from then on: "X moves from A to B on 1 March 2025"."""
    for index in range(len(mentions) - 2):
        thing, before, after = _thing(mentions[index]), *mentions[index + 1 : index + 3]
        verb = _PASSED_ON.fullmatch(prose, thing.end, before.start)
        if verb is None or _ON_TO.fullmatch(prose, before.end, after.start) is None:
            continue
        dated = _date_of_passing(prose, span, mentions, index)
        predicate = _having(prose, thing, (before, after))
        if dated is None or predicate is None:
            continue
        moment, words = dated
        kind = "Person" if predicate == "member_of" else None
        for holder, valid_from, valid_to in ((before, None, moment), (after, moment, None)):
            yield Claim(
                typed(thing, kind),
                predicate,
                holder,
                verb["verb"],
                0.6,
                words,
                valid_from=valid_from,
                valid_to=valid_to,
            )


def _thing(mention: Found) -> Found:
    """What passes: the service, where its ownership does."""
    found = _OWNERSHIP.match(mention.name)
    if found is None:
        return mention
    return mention._replace(start=mention.start + found.end(), name=mention.name[found.end() :])


def _having(prose: str, thing: Found, holders: Sequence[Found]) -> str | None:
    """How the holders have the thing: a team owns a service, a person is a member of a team."""
    types = {mention.type for mention in holders} - {None}
    if not types or not types <= _HOLDERS or thing.kind in {"date", "role"}:
        return None
    article = prose[max(thing.start - 4, 0) : thing.start].lower() == "the "
    person = thing.type == "Person" or (thing.type is None and not article and 2 <= len(thing.name.split()) <= 3)
    if person and thing.kind in {"name", "alias"}:
        return "member_of" if "Person" not in types else None
    return "owned_by"


def _date_of_passing(prose: str, span: Span, mentions: Sequence[Found], index: int) -> tuple[datetime, str] | None:
    """When it passes, and the words for it: behind whom it passes to, or in front of the sentence."""
    after = mentions[index + 2]
    following = mentions[index + 3] if index + 3 < len(mentions) else None
    if following is not None and following.kind == "date" and _ON_DATE.fullmatch(prose, after.end, following.start):
        start, date = after.end, following
    elif index and mentions[index - 1].kind == "date" and _OPENING.fullmatch(prose, span[0], mentions[index - 1].start):
        start, date = span[0], mentions[index - 1]
    else:
        return None
    moment = read_date(date.name)
    words = " ".join(prose[start : date.end].replace(GAP, " ").split()).lstrip(",( ")
    return None if moment is None else (moment[0], words)
