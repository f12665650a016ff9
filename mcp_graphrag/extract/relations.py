"""Triples of a sentence: by cue phrases between its mentions, by commas between places, by brackets and by roles."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from mcp_graphrag.extract.claims import Claim, typed
from mcp_graphrag.extract.clauses import opens_with_adjunct, walk
from mcp_graphrag.extract.coreference import OWNER
from mcp_graphrag.extract.gaps import Gap, read_gap
from mcp_graphrag.extract.lexicon import Lexicon
from mcp_graphrag.extract.markup import Span
from mcp_graphrag.extract.mentions import Found

_PLACED = re.compile(r"\b(?:in|at|from|of|near|to|through|outside)[ \xa0]+(?:the[ \xa0]+)?\Z", re.IGNORECASE)
_FULL_DATE = re.compile(r"\d.*\D\d{4}\Z|\D+\d{1,2},? \d{4}\Z")
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_DASH = re.compile(r"[-–—]")
_LOOSE = frozenset({"", ","})
_HAS_ROLE = frozenset({"", "the", "our", "is", "was", "is the", "was the", "is our", "as", "became"})
_EMPLOYED = frozenset({"of", "at", "for", "of the", "at the", "for the"})


def find_claims(prose: str, span: Span, mentions: Sequence[Found], lexicon: Lexicon) -> list[Claim]:
    """The claims of one sentence. What stands in brackets is about what stands before them."""
    if len(mentions) < 2:
        return []
    asides = [found.span() for found in _ASIDE.finditer(prose, *span)] if "(" in prose[slice(*span)] else []
    outside = [each for each in mentions if not any(a < each.start < b for a, b in asides)] if asides else mentions
    claims = list(_walked(prose, span, outside, asides, lexicon))
    for start, end in asides:
        before = [
            mention for mention in outside if mention.end <= start and prose[mention.end : start].strip() in _LOOSE
        ]
        inside = [mention for mention in mentions if start < mention.start < end]
        if before and inside and before[-1].kind != "date":
            claims.extend(_bracketed(prose, before[-1], inside, lexicon))
    return claims


def _walked(
    prose: str, span: Span, mentions: Sequence[Found], asides: Sequence[Span], lexicon: Lexicon
) -> Iterator[Claim]:
    if len(mentions) < 2:
        return
    gaps = [
        read_gap(("'s" if a.kind == OWNER else "") + _between(prose, a.end, b.start, asides), lexicon)
        for a, b in pairwise(mentions)
    ]
    yield from _places(prose, span, mentions, gaps)
    yield from _roles(prose, mentions)
    yield from walk(prose, span, mentions, gaps)


def _between(prose: str, start: int, end: int, asides: Sequence[Span]) -> str:
    """The text between two mentions without what stands in brackets there."""
    for left, right in asides:
        if start <= left and right <= end:
            return prose[start:left] + prose[right:end]
    return prose[start:end]


def _places(prose: str, span: Span, mentions: Sequence[Found], gaps: Sequence[Gap]) -> Iterator[Claim]:
    """Each place lies in the next, as in "near Springfield, Oregon", unless the commas make a list."""
    index = 0
    while index < len(gaps):
        stop = index
        while stop < len(gaps) and gaps[stop].link == "comma":
            stop += 1
        is_list = stop < len(gaps) and gaps[stop].link == "list"
        if index == 0 and stop and prose[mentions[stop].end : mentions[stop].end + 1] != ",":
            # "At Acme, Ann leads …": the last comma only ends the adjunct.
            stop -= opens_with_adjunct(prose, span, mentions[0])
        chain = mentions[index : stop + 1]
        if len(chain) > 1 and not is_list and _is_address(prose, chain):
            for inner, outer in combinations(chain[:4], 2):
                yield Claim(typed(inner, "Location"), "located_in", typed(outer, "Location"), ",", 0.6)
        index = stop + 1


def _is_address(prose: str, chain: Sequence[Found]) -> bool:
    start = chain[0].start
    placed = chain[0].type == "Location" or _PLACED.search(prose, max(0, start - 16), start) is not None
    return placed and all(mention.kind == "name" and mention.type in {None, "Location"} for mention in chain)


def _bracketed(prose: str, outer: Found, inside: Sequence[Found], lexicon: Lexicon) -> Iterator[Claim]:
    """What brackets say: "Name (NM)", "Name (1 May 1850 – 3 June 1900)", "Name (founded by Ann Lee)"."""
    first = inside[0]
    alone = prose[outer.end : first.start].strip(" ,") == "("
    if first.kind == "date" and alone:
        yield from _dated(prose, outer, inside)
    elif alone and len(inside) == 1 and _is_acronym(first.name, outer.name):
        yield Claim(outer, "same_as", first, "(", 0.8)
    elif not alone:
        yield from _walked(prose, (outer.start, inside[-1].end), [outer, *inside], (), lexicon)


def _dated(prose: str, outer: Found, inside: Sequence[Found]) -> Iterator[Claim]:
    """Two full dates with a dash between them are a person's life; other dates are when it was."""
    dash = _DASH.search(prose, inside[0].end, inside[-1].start)
    lived = dash is not None and any(m.kind == "date" and _FULL_DATE.match(m.name) for m in inside)
    person = typed(outer, "Person" if lived else None)
    for mention in inside:
        born = dash is None or mention.start < dash.start()
        surface, confidence = "(" if born else "–", 0.6 if dash is not None else 0.5
        if lived:
            verb, ending = "born" if born else "died", "on" if mention.kind == "date" else "in"
            yield Claim(person, f"{verb}_{ending}", mention, surface, confidence)
        elif mention.kind == "date":
            yield Claim(outer, "occurred_on", mention, surface, confidence)


def _is_acronym(short: str, long: str) -> bool:
    """Whether the short name is made of the long one's capitals, in order."""
    letters = [letter for letter in short if letter.isalpha()]
    capitals = [word[0] for word in long.replace("-", " ").split() if word[:1].isupper()]
    return len(letters) >= 2 and letters == capitals


def _roles(prose: str, mentions: Sequence[Found]) -> Iterator[Claim]:
    """Who has a role, and where: "Ann Lee, the CTO of Acme" and "Acme CTO Ann Lee"."""
    for index, (a, b) in enumerate(pairwise(mentions)):
        between = prose[a.end : b.start]
        words = " ".join(between.replace(",", " ").lower().split())
        following = mentions[index + 2] if index + 2 < len(mentions) else None
        if a.kind == "role" and _may_be_person(b) and words in {"", "is"}:
            yield Claim(typed(b, "Person"), "has_role", a, a.name, 0.8)
        elif b.kind == "role" and a.kind in {"name", "alias"} and words in _HAS_ROLE:
            after = prose[b.end : following.start] if following is not None else ""
            if between.strip() and a.type in {None, "Person"}:
                yield Claim(typed(a, "Person"), "has_role", b, words or ",", 0.8)
                if following is not None and following.kind == "name" and after.strip() in _EMPLOYED:
                    yield Claim(typed(a, "Person"), "affiliated_with", following, f"{b.name} {after.strip()}", 0.8)
            elif not between.strip() and following is not None and _may_be_person(following) and not after.strip():
                yield Claim(typed(following, "Person"), "affiliated_with", a, b.name, 0.7)


def _may_be_person(mention: Found) -> bool:
    return mention.kind == "name" and mention.type in {None, "Person"}
