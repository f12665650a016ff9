"""How a hit shows the way to it, in its fields and in its text."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from mcp_graphrag.model import ArmRank, EdgeStep, Expanded, Hit, StoredChunk, StoredDocument, Triple
from mcp_graphrag.server.budget import wire
from mcp_graphrag.server.tools.search_tools import SeedOut, expanded_out, hits_out

MOMENT = datetime(2026, 1, 2)  # noqa: DTZ001  (all times of the graph are naive UTC)
LOGIN = StoredDocument(1, "memory://login", "Login", "", "text/plain", {}, "", 40, MOMENT, None)
SEED = Hit(StoredChunk(7, LOGIN, 0, 0, 12, (), "Users log in", "abc"), "memory://login#chunk:0-12@abc", 0.93)
STEP = EdgeStep("memory://auth#chunk:0-9@def", "depends_on", "requires auth\nconfiguration", 0.9, 1)


def shown(hit: Hit, *, explain: bool = False) -> tuple[dict[str, Any], str]:
    (out,) = hits_out([hit], explain=explain, tokens=400)
    return wire(out), str(out)


def test_a_hit_found_by_a_chunk_edge_lists_it_and_shows_it() -> None:
    fields, words = shown(replace(SEED, related=[STEP]))
    assert fields["related"] == [
        {"from_chunk": STEP.from_chunk, "relation": "depends_on", "description": STEP.description}
    ]
    assert f'\n↳ Related: "requires auth configuration" (depends_on) from {STEP.from_chunk}' in words


def test_an_edge_walked_backward_says_so_unless_its_relation_is_symmetric() -> None:
    backward, alike = replace(STEP, forward=False), EdgeStep("x", "similar_to", "", 0.6, 1, forward=False)
    fields, words = shown(replace(SEED, related=[backward, alike]))
    assert [each.get("walked") for each in fields["related"]] == ["backward", None]
    assert "(depends_on, walked backward)" in words
    assert "↳ Related: (similar_to) from x" in words


def test_a_seed_lists_no_edges_and_the_way_to_a_hit_is_told_with_explain_only() -> None:
    hit = replace(SEED, why=("Seeded by Login.",), arms=[ArmRank("graph", 1, 0.5)])
    assert {"related", "why", "arms"}.isdisjoint(shown(hit)[0])
    assert "Seeded by Login." not in shown(hit)[1]
    fields, words = shown(hit, explain=True)
    assert fields["why"] == ["Seeded by Login."]
    assert words.endswith("\nSeeded by Login.")


def test_the_passage_of_a_hit_is_shown_in_place_of_its_chunk() -> None:
    fields, words = shown(replace(SEED, parent_text="Users log in with a token of an hour."))
    assert fields["text"] == "Users log in with a token of an hour."
    assert "of an hour." in words


def test_a_text_that_stands_elsewhere_too_lists_the_first_places_and_how_many_more() -> None:
    copies = [replace(SEED, citation=f"memory://copy{number}#chunk:0-12@abc") for number in range(5)]
    fields, words = shown(replace(SEED, also_in=copies))
    assert fields["also_in"] == [*(each.citation for each in copies[:3]), "… 2 more"]
    assert f"\n↳ Also in {copies[0].citation}, {copies[1].citation}, {copies[2].citation}, … 2 more" in words
    assert "also_in" not in shown(SEED)[0]
    long = [replace(SEED, citation="memory://" + "long/" * 300)] * 2
    assert shown(replace(SEED, also_in=long))[0]["also_in"] == ["… 2 more"]


def test_a_seed_is_said_in_one_chunk_or_in_several() -> None:
    seed = SeedOut(entity="Login", weight=1, named_by="log in", chunks=1)
    assert str(seed) == "- Login (1: named by log in, mentioned in 1 chunk)"
    assert str(seed.model_copy(update={"chunks": 2})).endswith("mentioned in 2 chunks)")


def test_a_fact_that_has_ended_says_until_when_it_held() -> None:
    triple = Triple(1, 2, "Login", "", "owned_by", 3, "Web Team", "Team", 0.9, valid_to=MOMENT)
    item = Expanded("Web Team", "Team", "owned_by", "Login", triple, 1)

    assert expanded_out(item).triple == "Login owned_by Web Team, valid … to 2026-01-02"
    assert expanded_out(replace(item, triple=replace(triple, valid_to=None))).triple == "Login owned_by Web Team"
