import json
from typing import Any

import pytest
from cli_runs import Cli

SERVER: list[dict[str, Any]] = [
    {"type": "entity", "name": "Ana Silva", "entityType": "person", "observations": ["Prefers tea", "Lives in Porto"]},
    {"type": "entity", "name": "Mill", "entityType": "project", "observations": []},
    {"type": "entity", "name": "TBD", "entityType": "project", "observations": []},
    {"type": "relation", "from": "Ana Silva", "to": "Mill", "relationType": "works_on"},
    {"type": "relation", "from": "Ana Silva", "to": "", "relationType": "knows"},
    {"type": "note"},
]
NEO4J: list[dict[str, Any]] = [
    {"type": "node", "id": "1", "labels": ["Entity", "Person"], "properties": {"name": "Ana Silva", "summary": "Tea."}},
    {"type": "node", "id": "2", "labels": ["Memory"], "properties": {"name": "Mill", "type": "project"}},
    {"type": "node", "id": "3", "labels": ["Episodic"], "properties": {"name": "Chat", "content": "We met in Porto."}},
    {"type": "node", "id": "4", "labels": ["Person"], "properties": {}},
    {
        "type": "relationship",
        "label": "RELATES_TO",
        "properties": {"name": "WORKS_ON", "fact": "Ana builds it", "valid_at": "2024-05-01T00:00:00Z"},
        "start": {"id": "1"},
        "end": {"id": "2"},
    },
    {"type": "relationship", "label": "MENTIONS", "start": {"id": "3"}, "end": {"id": "1"}},
]
MEMORY_GRAPH: dict[str, Any] = {
    "format_version": "2.0",
    "memories": [
        {"id": "aaaaaaaa1", "type": "error", "title": "Timeout in Redis", "content": "It hung.", "summary": None},
        {"id": "bbbbbbbb2", "type": "solution", "title": "Raise the pool", "content": "From 5 to 50."},
    ],
    "relationships": [
        {
            "from_memory_id": "bbbbbbbb2",
            "to_memory_id": "aaaaaaaa1",
            "type": "SOLVES",
            "properties": {"confidence": 0.7, "context": "under load"},
        },
        {"from_memory_id": "bbbbbbbb2", "to_memory_id": "gone", "type": "SOLVES"},
    ],
}


def write(cli: Cli, name: str, text: str) -> str:
    (cli.folder / name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.slow
def test_an_ingest_of_the_file_before_or_after_takes_nothing_of_what_came_over_back(cli: Cli) -> None:
    file = write(cli, "memory.jsonl", "\n".join(map(json.dumps, SERVER)))
    for command in ("ingest", "import", "ingest"):
        cli(command, file)
    assert len(cli("query", "--predicate", "works_on", "--json").fields["triples"]) == 1
    assert cli("verify").code == 0


@pytest.mark.slow
def test_the_memory_of_the_mcp_memory_server_comes_over(cli: Cli) -> None:
    file = write(cli, "memory.jsonl", "\n".join(map(json.dumps, SERVER)))
    first = cli("import", file, "--json").fields
    again = cli("import", file, "--json").fields
    counts = ("entities", "entities_added", "observations", "relations", "relations_added", "texts")
    assert [first[key] for key in counts] == [2, 2, 2, 1, 1, 0]
    assert [again[key] for key in counts] == [2, 0, 2, 1, 0, 0]
    assert first["left_out"] == {
        "relations whose ends are no entities": 1,
        "lines that are no entity or relation": 1,
        "'TBD' names nothing; leave the entity out, or name what is meant.": 1,
    }
    (triple,) = cli("query", "--predicate", "works_on", "--json").fields["triples"]
    assert (triple["subject"], triple["object"]) == ("Ana Silva", "Mill")
    (hit, *_) = cli("search", "who prefers tea", "--json").fields["hits"]
    assert hit["text"].startswith("## Ana Silva\n\nPrefers tea")


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, NEO4J)),
        json.dumps(NEO4J),
        json.dumps({"nodes": NEO4J[:4], "rels": NEO4J[4:]}),
    ],
)
def test_an_export_of_neo4j_comes_over_in_each_of_its_layouts(cli: Cli, text: str) -> None:
    report = cli("import", write(cli, "all.json", text), "--extract", "none", "--json").fields
    assert (report["entities"], report["relations"], report["texts"]) == (2, 1, 1)
    assert report["left_out"] == {"nodes without a name": 1, "relations whose ends are no entities": 1}
    (triple,) = cli("query", "--predicate", "works_on", "--json").fields["triples"]
    assert (triple["subject_type"], triple["object_type"]) == ("Person", "project")
    assert triple["valid_from"].startswith("2024-05-01")


def test_an_export_of_memory_graph_comes_over(cli: Cli) -> None:
    report = cli("import", write(cli, "graph.json", json.dumps(MEMORY_GRAPH)), "--extract", "none", "--json").fields
    assert (report["format"], report["entities"], report["relations"]) == ("MemoryGraph", 2, 1)
    assert report["left_out"] == {"relations whose ends are no entities": 1}
    (triple,) = cli("query", "--object", "Raise the pool", "--json").fields["triples"]
    assert (triple["subject"], triple["predicate"]) == ("Timeout in Redis", "resolved_by")
    assert triple["confidence"] == 0.7


@pytest.mark.slow
def test_the_same_file_again_adds_no_evidence(cli: Cli) -> None:
    file = write(cli, "graph.json", json.dumps(MEMORY_GRAPH))
    for _ in range(2):
        cli("import", file)
        (triple,) = cli("query", "--object", "Raise the pool", "--json").fields["triples"]
        assert (triple["confidence"], len(triple["evidence"])) == (0.7, 1)


def test_of_a_file_that_was_cut_off_the_whole_lines_come_over(cli: Cli) -> None:
    lines = [json.dumps(each) for each in SERVER]
    report = cli("import", write(cli, "memory.jsonl", "\n".join([*lines, lines[0][:20]])), "--json").fields
    assert (report["entities"], report["relations"]) == (2, 1)
    assert report["left_out"]["lines that are not JSON (7)"] == 1
    cut_off = write(cli, "notes.txt", "no\nmemory\n")
    assert "no export of a graph memory" in cli("import", cut_off).error


def test_other_files_are_refused_with_the_known_formats(cli: Cli) -> None:
    refused = cli("import", write(cli, "a.json", '{"a": 1}')).error
    assert "no export of a graph memory. Known are memory.jsonl" in refused
    assert "does not exist" in cli("import", "gone.json").error


def test_the_report_counts_what_is_different_and_says_what_was_left_out(cli: Cli) -> None:
    lines: list[Any] = [
        {"type": "entity", "name": "Ada Lovelace", "entityType": "person", "observations": ["Wrote notes", "Of 1815"]},
        {"type": "entity", "name": "Ada Lovelace", "entityType": "person", "observations": ["Of 1815", "Knew him"]},
        {"type": "entity", "name": "ada lovelace", "entityType": "person", "observations": [" ", 5]},
        {"type": "entity", "name": "Z\u00fcrich \u6771\u4eac", "entityType": "office", "observations": []},
        {"type": "relation", "from": "Ada Lovelace", "to": "Z\u00fcrich \u6771\u4eac", "relationType": "works_at"},
        {"type": "relation", "from": "Ada Lovelace", "to": "Z\u00fcrich \u6771\u4eac", "relationType": "works_at"},
        {"type": "relation", "from": "ada lovelace", "to": "Z\u00fcrich \u6771\u4eac", "relationType": "works_at"},
        {"type": "relation", "from": "Ada Lovelace", "to": "Charles Babbage", "relationType": "knows"},
        ["no object"],
        42,
    ]
    file = write(cli, "memory.jsonl", "\n".join(map(json.dumps, lines)))
    report = cli("import", file, "--extract", "none", "--json").fields
    counts = ("entities", "entities_added", "named_by_relations", "observations", "relations", "relations_added")
    assert [report[key] for key in counts] == [2, 2, 1, 3, 2, 2]
    assert report["left_out"] == {
        "lines that are no entity or relation": 2,
        "observations without a text": 2,
        "entities that were there already, their observations joined": 2,
        "observations that the entity had already": 1,
        "relations that were there already": 2,
    }
    (entity,) = [each for each in cli("entities", "Ada", "--json").fields["entities"] if each["type"] == "Person"]
    assert entity["description"] == "Wrote notes; Of 1815; Knew him"
    assert "Only relations name 1 more." in cli("import", file, "--extract", "none").out


def test_the_report_names_the_properties_that_have_no_place(cli: Cli) -> None:
    memories: list[dict[str, Any]] = MEMORY_GRAPH["memories"]
    tagged = {**MEMORY_GRAPH, "memories": [{**each, "tags": ["a"], "context": None} for each in memories]}
    report = cli("import", write(cli, "graph.json", json.dumps(tagged)), "--extract", "none", "--json").fields
    assert report["left_out"] == {"properties 'tags'": 2, "relations whose ends are no entities": 1}


def test_nodes_of_one_name_are_told_by_their_labels_and_a_repeated_memory_keeps_its_title(cli: Cli) -> None:
    nodes = [("0", "Person", "Adam"), ("1", "Planet", "Adam"), ("2", "City", "Lodz")]
    neo4j: list[dict[str, Any]] = [
        {"type": "node", "id": id_, "labels": [label], "properties": {"name": name}} for id_, label, name in nodes
    ]
    neo4j.append({"type": "relationship", "label": "ORBITS", "start": {"id": "1"}, "end": {"id": "2"}})
    report = cli("import", write(cli, "all.json", json.dumps(neo4j)), "--extract", "none", "--json").fields
    assert (report["entities"], report["relations"], report.get("left_out", {})) == (3, 1, {})
    (triple,) = cli("query", "--object", "Lodz", "--json").fields["triples"]
    assert (triple["subject"], triple["subject_type"]) == ("Adam", "Planet")

    twice = {**MEMORY_GRAPH, "memories": [*MEMORY_GRAPH["memories"], MEMORY_GRAPH["memories"][0]]}
    report = cli("import", write(cli, "graph.json", json.dumps(twice)), "--extract", "none", "--json").fields
    assert (report["entities"], report["entities_added"]) == (2, 2)
    assert cli("entities", "Timeout in Redis", "--json").fields["entities"][0]["name"] == "Timeout in Redis"
