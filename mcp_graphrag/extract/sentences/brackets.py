"""Triples that punctuation states: "Name (NM)", "Name (1 May 1850 – 3 June 1901)", "in Springfield, Oregon"."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.draft_triple import SAME_AS, DraftTriple, with_type
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_given_name
from mcp_graphrag.mentions.type_by_shape import described_as

MIN_LIFE = 15  # years; fewer are rather those of an office
_BRACKETS = re.compile(r"\([^()]{0,200}\)")
_BORN = re.compile(r"(?:\A|[\s(,;])(?P<verb>born|b\.|died|d\.)\s+(?:on\s+|in\s+)?\Z")
_PLACED = re.compile(r"\b(?:in|at|from|near|to|outside)[ \xa0]+(?:the[ \xa0]+)?\Z", re.IGNORECASE)
# Behind an address; behind a list of places there may be another one, or what the last one is of.
_ENDS = re.compile(
    r"[ \xa0]*(?:[.;:)!?]|\Z|,?[ \xa0\n]+(?!(?:and|or|in|near|&)\b)[a-z\d(–—-]|,?[ \n](?:from|on|in) \d|,[ \n]?[\"”])"
)


def bracket_triples(prose: str, span: Span, mentions: Sequence[DraftMention]) -> Iterator[DraftTriple]:
    """The triples of brackets directly behind a name: acronyms and dates of birth and death."""
    for bracket in _BRACKETS.finditer(prose, *span):
        start, end = bracket.span()
        before = [mention for mention in mentions if mention.end <= start and not prose[mention.end : start].strip()]
        inside = [mention for mention in mentions if start < mention.start < end] or list(_years(prose, start, end))
        if not before or not inside or before[-1].kind == "date":
            continue
        outer, first = before[-1], inside[0]
        yield from _births(prose, outer, inside, start)
        if prose[outer.end : first.start].strip() != "(":
            continue
        if first.kind == "date":
            yield from _life(prose, outer, inside, end)
        elif len(inside) == 1 and _is_acronym(first.name, outer.name):
            yield DraftTriple(outer, SAME_AS, first, "(", "same")


def _years(prose: str, start: int, end: int) -> Iterator[DraftMention]:
    """The two years of brackets with nothing else, which are no date by their form: "(1931-2009)"."""
    said = prose[start + 1 : end - 1]
    if len(said) == len("1931-2009") and said[4] in "-–—" and (said[:4] + said[5:]).isdigit():
        for at in (start + 1, start + 6):
            yield DraftMention(at, at + 4, prose[at : at + 4], "Date", "date", 0.9)


def _births(prose: str, outer: DraftMention, inside: Sequence[DraftMention], start: int) -> Iterator[DraftTriple]:
    """Birth and death where a word in the brackets says so: "(born 25 June 1981 in Oslo)"."""
    if outer.type not in {None, "Person"} or outer.kind != "name":
        return
    person = with_type(outer, "Person")
    for index, mention in enumerate(inside):
        said = _BORN.search(prose, start, mention.start) if mention.kind == "date" else None
        if said is None:
            continue
        verb = "died" if said["verb"].startswith("d") else "born"
        yield DraftTriple(person, f"{verb}_on", mention, said["verb"], "date")
        for place in inside[index + 1 : index + 2]:
            joined = prose[mention.end : place.start].split() in (["in"], ["in", "the"])
            if joined and place.kind == "name" and place.type in {None, "Location"}:
                yield DraftTriple(person, f"{verb}_in", with_type(place, "Location"), said["verb"], "date")


def _life(prose: str, outer: DraftMention, inside: Sequence[DraftMention], end: int) -> Iterator[DraftTriple]:
    """Birth and death for two dates with a dash between them, behind a name that is surely a person's."""
    dates = [mention for mention in inside if mention.kind == "date"]
    years = [int(one.name[-4:] if one.name[-4:].isdigit() else one.name[:4]) for one in dates if _has_year(one.name)]
    has_day = any(len(one.name) > len("May 1850") for one in dates)
    is_life = len(years) == len(dates) == 2 and years[1] - years[0] >= (MIN_LIFE if has_day else 2 * MIN_LIFE)
    dash = next((at for at in range(inside[0].end, inside[-1].start) if prose[at] in "-–—"), None)
    if dash is None or not is_life or not _is_person(prose, outer, end):
        return
    person = with_type(outer, "Person")
    for mention in inside:
        born = mention.start < dash
        verb, ending = "born" if born else "died", "on" if mention.kind == "date" else "in"
        yield DraftTriple(person, f"{verb}_{ending}", mention, "(" if born else "–", "date")


def _is_person(prose: str, outer: DraftMention, end: int) -> bool:
    """Whether a name is a person's, by its type and what stands behind the brackets: ships have dates too."""
    noun = described_as(prose, end)
    if outer.type not in {None, "Person"}:
        return False
    if noun is not None and (WORDS.is_of_person(noun) or WORDS.last_word.get(noun) == "Role"):
        return True
    is_named = outer.type == "Person" and is_given_name(outer.name.split()[0])
    return is_named and noun not in WORDS.kind_nouns


def _has_year(date: str) -> bool:
    return date[-4:].isdigit() or date[:4].isdigit()


def _is_acronym(short: str, long: str) -> bool:
    """Whether the letters of the short name are the capitals of the long one, in order."""
    letters = [letter for letter in short if letter.isalpha()]
    return len(letters) >= 2 and letters == [word[0] for word in long.replace("-", " ").split() if word[:1].isupper()]


def addresses(prose: str, mentions: Sequence[DraftMention]) -> list[Sequence[DraftMention]]:
    """Places with a comma between them behind a preposition, from the inner to the outer: "in Springfield, Oregon"."""
    chains: list[list[DraftMention]] = []
    for previous, mention in pairwise(mentions):
        joined = prose[previous.end : mention.start].strip() == "," and all(
            one.kind == "name" and one.type in {None, "Location"} for one in (previous, mention)
        )
        if joined and chains and chains[-1][-1] is previous:
            chains[-1].append(mention)
        elif joined:
            chains.append([previous, mention])
    return [chain for chain in chains if _is_address(prose, chain)]


def _is_address(prose: str, chain: Sequence[DraftMention]) -> bool:
    first, last = chain[0], chain[-1]
    names = {mention.name for mention in chain}
    are_places = names <= GAZETTEER.places and names.isdisjoint(GAZETTEER.countries)
    are_regions = are_places and names.isdisjoint(GAZETTEER.only_cities)
    is_list = {first.name, last.name} <= GAZETTEER.only_cities or are_regions
    if is_list or len(chain) > 3 or any(mention.name in GAZETTEER.countries for mention in chain[:-1]):
        return False
    if not any(mention.type == "Location" or mention.name in GAZETTEER.places for mention in chain):
        return False
    is_behind = _PLACED.search(prose, max(0, first.start - 16), first.start) is not None
    is_known = all(mention.type == "Location" or mention.name in GAZETTEER.places for mention in chain)
    return (is_behind or is_known) and _ENDS.match(prose, last.end) is not None


def address_triples(chains: Sequence[Sequence[DraftMention]]) -> Iterator[DraftTriple]:
    """Each place located in those behind it."""
    for chain in chains:
        for inner, outer in combinations(chain, 2):
            yield DraftTriple(with_type(inner, "Location"), "located_in", with_type(outer, "Location"), ",", "place")
