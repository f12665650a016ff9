"""What is read of exports of memories, whichever program wrote them and however they were edited since."""

import json
from typing import Any

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.memories.read_memory import MemoryFile, read_memory
from mcp_graphrag.ingest.memories.read_notes import read_notes

ALICE: dict[str, Any] = {"type": "entity", "name": "Alice", "entityType": "person", "observations": ["likes tea"]}
BOB: dict[str, Any] = {"type": "entity", "name": "Bob", "entityType": "person", "observations": []}
KNOWS: dict[str, Any] = {"type": "relation", "from": "Alice", "to": "Bob", "relationType": "knows"}
GRAPHIFY: dict[str, Any] = {
    "nodes": [
        {"id": "app_tsx", "label": "App.tsx", "file_type": "code", "source_file": "web/App.tsx", "community": 3},
        {"id": "a_main", "label": "main()", "source_file": "a.py", "source_location": "L1"},
        {"id": "b_main", "label": "main()", "source_file": "b.py", "source_location": "L9"},
        {"id": "idea", "label": "Caching", "file_type": "document", "source_file": "notes.md"},
    ],
    "links": [
        {
            "source": "a_main",
            "target": "app_tsx",
            "relation": "calls",
            "confidence": "EXTRACTED",
            "confidence_score": 1.0,
        },
        {"source": "idea", "target": "b_main", "relation": "explains", "confidence": "INFERRED", "weight": 1.0},
        {"source": "idea", "target": "gone", "relation": "explains", "confidence": "EXTRACTED"},
    ],
    "hyperedges": [{"id": "h", "nodes": ["idea", "app_tsx", "a_main"], "relation": "form"}],
}
MEM0: dict[str, Any] = {
    "results": [
        {"id": "1", "memory": "Works at TechCorp", "user_id": "dev", "categories": ["work"]},
        {"id": "2", "memory": "Prefers mornings", "user_id": "dev", "metadata": None},
        {"id": "3", "memory": "The launch is in May"},
    ],
    "relations": [
        {"source": "dev", "relationship": "works_at", "target": "techcorp"},
        {"source": "dev", "relationship": "lives_in", "destination": "porto"},
    ],
}
COFFEE = """---
title: Coffee Brewing
type: guide
permalink: notes/coffee
---
# Coffee Brewing

Some words of it.

## Observations
- [method] Pour over is clear #brewing (from tests)
- [ ] buy beans

## Relations
- requires [[notes/grind]]
- contrasts_with [[Tea|tea]] (in taste)
- [[Bean]]
"""


def read(*values: object) -> MemoryFile:
    return read_memory("\n".join(value if isinstance(value, str) else json.dumps(value) for value in values))


def said(memory: MemoryFile) -> list[tuple[str, str, str]]:
    return [(each.subject, each.predicate, each.object) for each in memory.triples]


def observed(memory: MemoryFile) -> dict[str, list[str]]:
    return {each.name: list(each.observations) for each in memory.entities}


@pytest.mark.parametrize(
    "lines",
    [
        [json.dumps(ALICE) + json.dumps(BOB), KNOWS],
        [" ".join(map(json.dumps, (ALICE, BOB, KNOWS)))],
        [json.dumps(ALICE) + json.dumps(BOB), '{"type": "entity", "na', KNOWS],
        [{"entities": [ALICE, BOB], "relations": [KNOWS]}],
        [{"entities": [{"name": "Alice", "observations": ["likes tea"]}, {"name": "Bob"}], "relations": [KNOWS]}],
        [json.dumps([ALICE, BOB, KNOWS], indent=2)],
    ],
)
def test_every_whole_object_is_read_however_they_stand(lines: list[object]) -> None:
    memory = read(*lines)
    assert (observed(memory), said(memory)) == ({"Alice": ["likes tea"], "Bob": []}, [("Alice", "knows", "Bob")])


@pytest.mark.parametrize(
    ("observations", "expected", "left_out"),
    [
        ("likes tea", ["likes tea"], {}),
        ('["likes tea", "has a cat"]', ["likes tea", "has a cat"], {}),
        ("[not json", ["[not json"], {}),
        (["likes tea", 5, " "], ["likes tea"], {"observations without a text": 2}),
        (None, [], {}),
    ],
)
def test_observations_are_kept_or_counted(observations: object, expected: list[str], left_out: dict[str, int]) -> None:
    memory = read({**ALICE, "observations": observations})
    assert (observed(memory), memory.left_out) == ({"Alice": expected}, left_out)


def test_a_name_may_be_a_number_or_have_a_line_end() -> None:
    entities = [{**ALICE, "name": 2024}, {**BOB, "name": "Multi\nLine"}]
    memory = read(*entities, {**KNOWS, "from": 2024, "to": "Multi\nLine"})
    assert observed(memory) == {"2024": ["likes tea"], "Multi Line": []}
    assert said(memory) == [("2024", "knows", "Multi Line")]


def test_the_reason_says_what_a_relation_lacks() -> None:
    without_type = {key: value for key, value in KNOWS.items() if key != "relationType"}
    memory = read(ALICE, BOB, without_type, {**KNOWS, "relationType": None}, {**KNOWS, "to": ""})
    assert memory.left_out == {"relations without a type": 2, "relations whose ends are no entities": 1}


@pytest.mark.parametrize("key", ["links", "edges"])
def test_a_graph_of_graphify_comes_over(key: str) -> None:
    memory = read({**{k: v for k, v in GRAPHIFY.items() if k != "links"}, key: GRAPHIFY["links"]})
    assert memory.format == "graphify"
    assert list(observed(memory)) == ["App.tsx", "main() (a.py)", "main() (b.py)", "Caching"]
    assert said(memory) == [("main() (a.py)", "calls", "App.tsx"), ("Caching", "explains", "main() (b.py)")]
    assert [each.confidence for each in memory.triples] == [1.0, 0.5]
    assert memory.left_out["relations whose ends are no entities"] == 1
    assert memory.left_out["links of more than two nodes"] == 1
    assert memory.left_out["properties 'community'"] == 1


def test_an_export_of_mem0_comes_over() -> None:
    memory = read(MEM0)
    assert (memory.format, observed(memory)) == ("mem0", {"dev": ["Works at TechCorp", "Prefers mornings"]})
    assert memory.texts == [("Memories", "The launch is in May")]
    assert said(memory) == [("dev", "works_at", "techcorp"), ("dev", "lives_in", "porto")]
    assert memory.left_out == {"properties 'categories'": 1}
    assert observed(read(MEM0["results"])) == observed(memory)


def test_notes_of_basic_memory_come_over() -> None:
    grind = "---\ntitle: Grinding\npermalink: notes/grind\n---\n- [tip] Use a burr mill\n"
    memory = read_notes([("a/coffee.md", COFFEE), ("grind.md", grind), ("Plain.md", "Words.\n")])
    assert [(each.name, each.type) for each in memory.entities] == [
        ("Coffee Brewing", "guide"),
        ("Grinding", ""),
        ("Plain", ""),
    ]
    assert observed(memory)["Coffee Brewing"] == ["method: Pour over is clear #brewing (from tests)"]
    assert said(memory) == [
        ("Coffee Brewing", "requires", "Grinding"),
        ("Coffee Brewing", "contrasts_with", "Tea"),
        ("Coffee Brewing", "relates_to", "Bean"),
    ]
    assert memory.triples[1].metadata == {"context": "in taste"}
    assert memory.left_out == {"lines of prose: `ingest` the folder to search them": 3}


@pytest.mark.parametrize("other", ['{"nodes": 5}', '{"results": []}', "[]", '{"entities": []}', '{"memory": 1}'])
def test_what_is_no_memory_is_refused(other: str) -> None:
    with pytest.raises(BadInput, match="no export of a graph memory"):
        read_memory(other)
