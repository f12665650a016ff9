"""Triples of an extractor in the vocabulary of an ontology, and with quotes that are in their chunk."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from edit_helpers import TEST, relate

from mcp_graphrag.edit.normalize_candidates import drop_misquoted, drop_violations, normalize_predicates
from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.model import PHRASE, AliasFound, Candidate, Chunk, Extraction, Mention
from mcp_graphrag.ontology.ontology import Ontology, PredicateRule, Signature, TypeRule
from mcp_graphrag.resolve.name_rules import Named

CHUNK = Chunk(0, 0, 25, "The Mill feeds the River.", context="| Mill | River |\n")
ONTOLOGY = Ontology(
    {"mill": TypeRule("Mill"), "river": TypeRule("River")},
    {"fed_by": PredicateRule("fed_by", signatures=(Signature("River", "Mill"),), swapped_lexicon=("feeds",))},
)
FEEDS = Candidate("Old Mill", "feeds", "Long River", "MILL", "RIVER")
FED = Candidate("Long River", "fed_by", "Old Mill", "River", "Mill", surface="feeds")


def quoted(extractor: str, *triples: Candidate) -> tuple[Sequence[Candidate], Mapping[str, int]]:
    """The triples that an extractor may give for the chunk, and what was dropped."""
    given = Extraction(triples=triples, dropped={"too many": 2})
    (checked,) = drop_misquoted([given], [CHUNK], EXTRACTORS[extractor](15, 20))
    return checked.triples, checked.dropped


def test_a_quote_is_what_the_chunk_has_at_its_span_or_anywhere_without_one() -> None:
    right = [
        replace(FEEDS, quote="Mill feeds", start=4, end=14),
        replace(FEEDS, quote="feeds the River"),
        replace(FEEDS, quote="Mill | River"),
        replace(FEEDS, quote="the River", start=15),
        replace(FEEDS, quote="the River", end=2),
    ]
    wrong = [
        replace(FEEDS, quote="Mill feeds", start=5, end=15),
        replace(FEEDS, quote="Mill eats"),
        replace(FEEDS, quote=None),
    ]
    assert quoted("lite", *right, *wrong) == (right, {"too many": 2, "quote not in the chunk": 3})


def test_only_a_triple_from_metadata_has_neither_quote_nor_place() -> None:
    bare, placed = replace(FEEDS, quote=None), replace(FEEDS, quote=None, start=4, end=8)
    assert quoted("document", bare, placed) == ([bare], {"too many": 2, "quote not in the chunk": 1})


def test_an_alias_without_its_quote_in_the_chunk_is_dropped() -> None:
    right = AliasFound("Old Mill", "Mill", "Mill", 4, 8)
    extraction = Extraction(aliases=[replace(right, start=3), right, replace(right, quote="Mall")])
    (checked,) = drop_misquoted([extraction], [CHUNK], EXTRACTORS["lite"](15, 20))
    assert checked == Extraction(aliases=[right])


def test_predicates_and_types_get_the_spelling_of_the_ontology_and_its_direction() -> None:
    alias = AliasFound("Old Mill", "Mill", "Mill", 4, 8, "mill")
    given = Extraction(
        [Mention("Old Mill", "MILL", 4, 8), Mention("It", None, 0, 2), Mention("River", "River", 19, 24)],
        [
            FEEDS,
            replace(FEEDS, subject_type="Mill", object_type="River"),
            replace(FEEDS, surface="keeps full"),
            FED,
            replace(FED, subject_type="RIVER"),
            Candidate("A", "b", "C"),
        ],
        {"too many": 2},
        [alias],
    )
    assert normalize_predicates(given, ONTOLOGY, strict=False) == Extraction(
        [Mention("Old Mill", "Mill", 4, 8), Mention("It", None, 0, 2), Mention("River", "River", 19, 24)],
        [FED, FED, replace(FED, surface="keeps full"), FED, FED, Candidate("A", "b", "C")],
        {"too many": 2},
        [replace(alias, type="Mill")],
    )


def test_strict_mode_counts_what_it_drops_by_reason() -> None:
    untyped = Candidate("A", "fed_by", "B")
    given = Extraction(
        triples=[
            FEEDS,
            untyped,
            replace(FED, predicate="admires"),
            replace(FED, subject_type="Lake"),
            replace(FED, object_type="Lake"),
            replace(FED, subject_type="Mill", object_type="River"),
        ]
    )
    found = normalize_predicates(given, ONTOLOGY, strict=True)
    assert found.triples == [FED, untyped]
    assert found.dropped == {
        "predicate outside the ontology": 1,
        "type outside the ontology": 2,
        "against domain and range": 1,
    }


def test_a_triple_against_the_types_of_the_stored_entities_is_dropped(graph: Graph) -> None:
    relate(graph, "Otter likes Eel")
    graph.add_triples([Candidate("Weir", "likes", "Rhine", "Mill", "River")])
    with graph.writing(TEST) as write:
        ids: dict[Named, int] = {
            (name, None): link_name(write, name).entities[0].id for name in ("Otter", "Weir", "Rhine")
        }
        right, wrong = Candidate("Rhine", "fed_by", "Weir"), Candidate("Weir", "fed_by", "Rhine")
        unsure = Candidate("Otter", "fed_by", "Weir")
        given = [Extraction(triples=[right, wrong]), Extraction(triples=[unsure])]
        found = drop_violations(write.tx, given, ids, ONTOLOGY)
    assert [(each.triples, each.dropped) for each in found] == [
        ([right], {"against domain and range": 1}),
        ([unsure], {}),
    ]


def test_the_predicate_of_a_phrase_is_never_another_one() -> None:
    river = replace(FEEDS, object="a river behind the hills", object_type=PHRASE)
    (found,) = normalize_predicates(Extraction(triples=(river,)), ONTOLOGY, strict=False).triples
    assert (found.subject, found.predicate, found.object) == (river.subject, "feeds", river.object)


def test_strict_mode_keeps_a_phrase_where_a_predicate_may_lead_to_anything() -> None:
    ontology = replace(ONTOLOGY, predicates={**ONTOLOGY.predicates, "displays": PredicateRule("displays")})
    shown = Candidate("Mill", "displays", "a map of the river", "Mill", PHRASE)
    fed = Candidate("Long River", "fed_by", "the mills of the county", "River", PHRASE)

    found = normalize_predicates(Extraction(triples=(shown, fed)), ontology, strict=True)

    assert (found.triples, dict(found.dropped)) == ([shown], {"against domain and range": 1})
