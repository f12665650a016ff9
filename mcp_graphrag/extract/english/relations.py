"""Triples of a sentence: by cue phrases between its mentions, by commas between places, by brackets and by roles."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from mcp_graphrag.extract.english.attach import opens_with_adjunct, triples_of_cues
from mcp_graphrag.extract.english.between_mentions import Gap, read_gap
from mcp_graphrag.extract.english.coreference import POSSESSIVE, PRONOUN
from mcp_graphrag.extract.english.draft_triple import DraftTriple, with_type
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.lexicon import Lexicon
from mcp_graphrag.extract.spans import Span

_PLACED = re.compile(r"\b(?:in|at|from|of|near|to|through|outside)[ \xa0]+(?:the[ \xa0]+)?\Z", re.IGNORECASE)
_FULL_DATE = re.compile(r"\d.*\D\d{4}\Z|\D+\d{1,2},? \d{4}\Z")
_BRACKETS = re.compile(r"\([^()]{0,200}\)")
_DASH = re.compile(r"[-–—]")

_HAS_ROLE = frozenset({"", "the", "our", "is", "was", "is the", "was the", "is our", "as", "became"})
_EMPLOYED = frozenset({"of", "at", "for", "of the", "at the", "for the"})


def find_triples(prose: str, span: Span, mentions: Sequence[DraftMention], lexicon: Lexicon) -> list[DraftTriple]:
    """The triples of one sentence. What is in brackets is about the mention in front of them."""
    if len(mentions) < 2:
        return []
    brackets = [match.span() for match in _BRACKETS.finditer(prose, *span)]
    outside = [mention for mention in mentions if not any(a < mention.start < b for a, b in brackets)]
    drafts = list(_outside_brackets(prose, span, outside, brackets, lexicon))
    for start, end in brackets:
        before = [
            mention for mention in outside if mention.end <= start and prose[mention.end : start].strip() in {"", ","}
        ]
        inside = [mention for mention in mentions if start < mention.start < end]
        if before and inside and before[-1].kind != "date":
            drafts.extend(_in_brackets(prose, before[-1], inside, lexicon))
    return drafts


def _outside_brackets(
    prose: str, span: Span, mentions: Sequence[DraftMention], brackets: Sequence[Span], lexicon: Lexicon
) -> Iterator[DraftTriple]:
    if len(mentions) < 2:
        return
    gaps = [
        read_gap(("'s" if a.kind == POSSESSIVE else "") + _between(prose, a.end, b.start, brackets), lexicon)
        for a, b in pairwise(mentions)
    ]
    yield from _nested_places(prose, span, mentions, gaps)
    yield from _roles(prose, mentions)
    yield from triples_of_cues(prose, span, mentions, gaps)


def _between(prose: str, start: int, end: int, brackets: Sequence[Span]) -> str:
    """The text between two mentions without what is in brackets there."""
    for left, right in brackets:
        if start <= left and right <= end:
            return prose[start:left] + prose[right:end]
    return prose[start:end]


def _nested_places(
    prose: str, span: Span, mentions: Sequence[DraftMention], gaps: Sequence[Gap]
) -> Iterator[DraftTriple]:
    """A place located in the next one, as in "near Springfield, Oregon", unless the commas make a list."""
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
                yield DraftTriple(with_type(inner, "Location"), "located_in", with_type(outer, "Location"), ",", 0.6)
        index = stop + 1


def _is_address(prose: str, chain: Sequence[DraftMention]) -> bool:
    start = chain[0].start
    placed = chain[0].type == "Location" or _PLACED.search(prose, max(0, start - 16), start) is not None
    return placed and all(mention.kind == "name" and mention.type in {None, "Location"} for mention in chain)


def _in_brackets(
    prose: str, outer: DraftMention, inside: Sequence[DraftMention], lexicon: Lexicon
) -> Iterator[DraftTriple]:
    """The triples of brackets: "Name (NM)", "Name (1 May 1850 – 3 June 1900)", "Name (founded by Ann Lee)"."""
    first = inside[0]
    alone = prose[outer.end : first.start].strip(" ,") == "("
    if first.kind == "date" and alone:
        yield from _dated(prose, outer, inside)
    elif alone and len(inside) == 1 and _is_acronym(first.name, outer.name):
        yield DraftTriple(outer, "same_as", first, "(", 0.8)
    elif not alone:
        yield from _outside_brackets(prose, (outer.start, inside[-1].end), [outer, *inside], (), lexicon)


def _dated(prose: str, outer: DraftMention, inside: Sequence[DraftMention]) -> Iterator[DraftTriple]:
    """Birth and death for two full dates with a dash between them; what another date is of, the text does not say."""
    dash = _DASH.search(prose, inside[0].end, inside[-1].start)
    if dash is None or not any(mention.kind == "date" and _FULL_DATE.match(mention.name) for mention in inside):
        return
    person = with_type(outer, "Person")
    for mention in inside:
        born = mention.start < dash.start()
        verb, ending = "born" if born else "died", "on" if mention.kind == "date" else "in"
        yield DraftTriple(person, f"{verb}_{ending}", mention, "(" if born else "–", 0.6)


def _is_acronym(short: str, long: str) -> bool:
    """Whether the letters of the short name are the capitals of the long one, in order."""
    letters = [letter for letter in short if letter.isalpha()]
    capitals = [word[0] for word in long.replace("-", " ").split() if word[:1].isupper()]
    return len(letters) >= 2 and letters == capitals


def _roles(prose: str, mentions: Sequence[DraftMention]) -> Iterator[DraftTriple]:
    """Roles of persons and their organizations: "Ann Lee, the CTO of Acme" and "Acme CTO Ann Lee"."""
    for index, (a, b) in enumerate(pairwise(mentions)):
        between = prose[a.end : b.start]
        words = " ".join(between.replace(",", " ").lower().split())
        following = mentions[index + 2] if index + 2 < len(mentions) else None
        if a.kind == "role" and _may_be_person(b) and words in {"", "is"}:
            yield DraftTriple(with_type(b, "Person"), "has_role", a, a.name, 0.8)
        elif b.kind == "role" and a.kind in {"name", PRONOUN} and words in _HAS_ROLE:
            after = prose[b.end : following.start] if following is not None else ""
            if between.strip() and a.type in {None, "Person"}:
                yield DraftTriple(with_type(a, "Person"), "has_role", b, words or ",", 0.8)
                if following is not None and following.kind == "name" and after.strip() in _EMPLOYED:
                    yield DraftTriple(
                        with_type(a, "Person"), "affiliated_with", following, f"{b.name} {after.strip()}", 0.8
                    )
            elif not between.strip() and following is not None and _may_be_person(following) and not after.strip():
                yield DraftTriple(with_type(following, "Person"), "affiliated_with", a, b.name, 0.7)


def _may_be_person(mention: DraftMention) -> bool:
    return mention.kind == "name" and mention.type in {None, "Person"}
