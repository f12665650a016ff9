"""Triples that punctuation states: "Name (NM)", "Name (1 May 1850 – 3 June 1901)", "in Springfield, Oregon"."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.draft_triple import SAME_AS, DraftTriple, with_type
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_given_name
from mcp_graphrag.mentions.type_by_shape import described_as

# Regions of the world that have others in them.
_AROUND = frozenset({"Europe", "Asia", "Africa", "North America", "South America", "Central America", "Scandinavia"})
_PLACED = re.compile(r"\b(?:in|at|from|near|to|outside)[ \xa0]+(?:the[ \xa0]+)?\Z", re.IGNORECASE)
_PLURAL_BEFORE = re.compile(r"[a-z]{2,20}s \(\Z")
_PLACED_IN = re.compile(r"\b(?:in|at|near)[ \xa0]+\Z", re.IGNORECASE)
_ENDS_SURELY = re.compile(
    r"[ \xa0]*(?:[.;:)!?]|\Z|,?[ \xa0](?:in|on|from|by|until|as|where|and (?:died|raised|was|is))[ \xa0])"
)
_GOES_ON = re.compile(r",[ \xa0]\S+(?:[ \xa0]\S+)?(?:,|,?[ \xa0](?:and|or|&)\b)")
_FULL_DATE = re.compile(r"\d.*\D\d{4}\Z|\D+\d{1,2},? \d{4}\Z")
_BORN = re.compile(r"(?:\A|[\s(,;])(?P<verb>born|b\.|died|d\.)\s+(?:on\s+|in\s+)?\Z")
_IN_NAME = re.compile(r"(?:[,)\"”]|\b\d{1,3}(?:st|nd|rd|th)) ?\Z")  # "William IV, Count of B", "1st Viscount B"
_JOINED = re.compile(r"[ \xa0](?:and|&|of)[ \xa0]")
_BRACKETS = re.compile(r"\([^()]{0,200}\)")
_TWO_YEARS = re.compile(r"\(\s*(\d{4})\s*[-–—]\s*(\d{4})\s*\)")
_YEAR = re.compile(r"\b\d{3,4}\Z|\A\d{3,4}\b")
_HE_BEHIND = re.compile(r"[^\n]{0,250}?\b(?:[Hh]e|[Hh]is|him)\b")
MIN_LIFE = 15
_OF_CAPITAL = frozenset({"DC", "D.C"})  # "Washington, DC" is one place
_PARTS = frozenset({"article", "section", "chapter", "part", "title", "annex", "schedule", "appendix", "act", "volume"})
# Things that have the name of a person and two dates: "Freja Dahl (4 May 1931 – 3 June 1960) was a ferry".
_THINGS = frozenset(
    """
    ship vessel boat ferry steamer steamship paddler cruiser destroyer frigate corvette tanker trawler tug liner yacht
    schooner barge freighter icebreaker minesweeper submarine carrier lighter cutter locomotive train tram airliner
    bomber fighter spacecraft satellite probe telescope rover reactor theater theatre newspaper tower
    center centre restaurant event hospital gathering uprising war battle
    """.split()  # noqa: SIM905
)
# Of these two years are rather those of a reign or office.
_RULERS = frozenset(
    """
    king queen emperor empress tsar tsarina pope sultan shah caliph khan ruler monarch duke duchess count prince bishop
    archbishop abbot abbess minister president governor mayor chancellor chairman ambassador
    """.split()  # noqa: SIM905
)
_DASH = re.compile(r"[-–—]")
# Behind an address; behind a list of places there may be another one, or what the last one is of or in.
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
        if first.kind == "date" and any(_JOINED.fullmatch(prose, one.end, outer.start) for one in mentions):
            continue  # "Ann Lee, Duchess of Moss and Fern (4 May 1931 – …)"
        yield from _births(prose, outer, inside, start)
        if prose[outer.end : first.start].strip() != "(":
            continue
        if first.kind == "date":
            if _is_person_behind(prose, outer, end):
                dash = _DASH.search(prose, first.end, inside[-1].start)
                yield from _life(outer, inside, dash, needs_day=described_as(prose, end) in _RULERS | {None})
        elif len(inside) == 1 and _is_acronym(first.name, outer.name):
            yield DraftTriple(outer, SAME_AS, first, "(", "same")


def _years(prose: str, start: int, end: int) -> Iterator[DraftMention]:
    """The two years of brackets with nothing else, which are no date by their form: "(1931-2009)"."""
    if (found := _TWO_YEARS.fullmatch(prose, start, end)) is not None:
        for group in (1, 2):
            yield DraftMention(*found.span(group), found[group], "Date", "date", 0.9)


def _births(prose: str, outer: DraftMention, inside: Sequence[DraftMention], start: int) -> Iterator[DraftTriple]:
    """Birth and death where a word in the brackets says so: "(born 25 June 1981 in Oslo)"."""
    if (
        outer.type not in {None, "Person"}
        or outer.kind != "name"
        or _IN_NAME.search(prose, max(0, outer.start - 8), outer.start)
    ):
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


def _is_person_behind(prose: str, outer: DraftMention, end: int) -> bool:
    """Whether a name is a person's, by its type and what stands behind the brackets that end at `end`.

    Battles, ships and projects have two dates too, so that without a word that describes a person there must be "he" or
    a given name; ships are "she".
    """
    noun = described_as(prose, end)
    if outer.type not in {None, "Person"}:
        return False
    if noun is not None:
        is_he = _has_given_name(outer) or (outer.type == "Person" and _HE_BEHIND.match(prose, end) is not None)
        return WORDS.is_of_person(noun) or (_may_be_of_person(noun) and is_he)
    return outer.type == "Person" or (
        " " in outer.name
        and not any(GAZETTEER.is_common(word) for word in outer.name.split())
        and _HE_BEHIND.match(prose, end) is not None
    )


def _may_be_of_person(noun: str) -> bool:
    """Whether a noun that is in no list may be for a person by its ending: "oceanographer", "shipowner"."""
    return noun.endswith(("er", "or", "eer", "ant", "ent", "ess", "man", "ee")) and not (
        noun in _THINGS or noun.endswith("ment")
    )


def _has_given_name(mention: DraftMention) -> bool:
    return mention.type == "Person" and " " in mention.name and is_given_name(mention.name.split()[0])


def _life(
    outer: DraftMention, inside: Sequence[DraftMention], dash: re.Match[str] | None, *, needs_day: bool
) -> Iterator[DraftTriple]:
    """Birth and death for two dates with a dash between them; what another date is of, the text does not say.

    Fewer years than `MIN_LIFE` are rather those of an office, as are two years without a day where it `needs_day`, or
    fewer than twice that many.
    """
    dates = [mention.name for mention in inside if mention.kind == "date"]
    years = [int(year[0]) for name in dates if (year := _YEAR.search(name))]
    has_day = any(map(_FULL_DATE.match, dates))
    least = MIN_LIFE if has_day else 2 * MIN_LIFE
    is_life = len(years) == 2 == len(dates) and years[1] - years[0] >= least
    if dash is None or not is_life or (needs_day and not has_day):
        return
    person = with_type(outer, "Person")
    for mention in inside:
        born = mention.start < dash.start()
        verb, ending = "born" if born else "died", "on" if mention.kind == "date" else "in"
        yield DraftTriple(person, f"{verb}_{ending}", mention, "(" if born else "–", "date")


def _is_acronym(short: str, long: str) -> bool:
    """Whether the letters of the short name are the capitals of the long one, in order."""
    letters = [letter for letter in short if letter.isalpha()]
    capitals = [word[0] for word in long.replace("-", " ").split() if word[:1].isupper()]
    return len(letters) >= 2 and letters == capitals


def addresses(prose: str, mentions: Sequence[DraftMention], tree: SentenceTree | None) -> list[Sequence[DraftMention]]:
    """Places with a comma between them behind a preposition, from the inner to the outer: "in Springfield, Oregon".

    In a tree, the outer ones must hang on those in front of them: in "At Acme, Ann leads B" they do not.
    """
    chains: list[list[DraftMention]] = []
    for previous, mention in pairwise(mentions):
        joined = prose[previous.end : mention.start].strip() == "," and all(
            one.kind == "name" and one.type in {None, "Location"} for one in (previous, mention)
        )
        if joined and chains and chains[-1][-1] is previous:
            chains[-1].append(mention)
        elif joined:
            chains.append([previous, mention])
    return [chain for chain in chains if _is_address(prose, chain) and (tree is None or _is_joined(tree, chain))]


def _is_joined(tree: SentenceTree, chain: Sequence[DraftMention]) -> bool:
    places = [tree.token_of(mention) for mention in chain]
    return all(place is not None and tree.heads[place] in places for place in places[1:])


def _is_address(prose: str, chain: Sequence[DraftMention]) -> bool:
    first, last = chain[0], chain[-1]
    placed = first.type == "Location" or _PLACED.search(prose, max(0, first.start - 16), first.start) is not None
    # "in Norway, Spain", "the depots (Brno, Graz)"
    is_list = (
        {first.name, last.name} <= GAZETTEER.only_cities
        or _are_regions(chain)
        or _PLURAL_BEFORE.search(prose[: first.start][-20:])
    )
    is_capital = any(mention.name.strip(".") in _OF_CAPITAL for mention in chain)
    if is_list or is_capital or any(mention.name in GAZETTEER.countries for mention in chain[:-1]):
        return False
    if any(WORDS.is_of_person(mention.name.lower().removesuffix("s")) for mention in chain[1:]):
        return False  # "of California, Commissioners of"
    if any(mention.name.split()[0].casefold() in _PARTS for mention in chain):
        return False  # "in Article II, Section 3"
    if any(mention.name.split()[0].lower() in WORDS.honorifics | WORDS.persons for mention in chain):
        return False  # "of Ernest, Prince of Anhalt"
    if not any(map(_is_known_place, chain)):
        # "Born in Moss, Fernshire in 1973", but not "In Modula, Objective Modula can be …"
        is_in = _PLACED_IN.search(prose, max(0, first.start - 12), first.start) is not None
        return is_in and len(chain) <= 3 and _ENDS_SURELY.match(prose, last.end) is not None
    ends = _ENDS.match(prose, last.end) is not None and _GOES_ON.match(prose, last.end) is None
    return placed and len(chain) <= 3 and ends


def _are_regions(chain: Sequence[DraftMention]) -> bool:
    """Whether two regions follow each other, of which none is in the other: "Alabama, Utah"."""
    names = {mention.name for mention in chain}
    return len(names) > 1 and names <= GAZETTEER.places - GAZETTEER.countries - GAZETTEER.only_cities - _AROUND


def _is_known_place(mention: DraftMention) -> bool:
    return mention.type == "Location" or mention.name in GAZETTEER.places


def address_triples(chains: Sequence[Sequence[DraftMention]]) -> Iterator[DraftTriple]:
    """Each place located in those behind it."""
    for chain in chains:
        for inner, outer in combinations(chain, 2):
            yield DraftTriple(with_type(inner, "Location"), "located_in", with_type(outer, "Location"), ",", "place")
