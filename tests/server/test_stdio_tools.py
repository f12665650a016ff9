from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from served import ERAS, PROTOCOLS, Asked, served, settled, text_of

from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.server.tools.ingest_tools import job_answer
from mcp_graphrag.store.rows.job_rows import Job

SURE = confidence_of("verb", 1.0)
FERRY = "# Ferry\n\nThe Ferry Service is owned by the Harbour Team. The Ferry Service depends on the Tide Database."
URI = "text:ferry-notes-0ad0e2e3ae7d"
CITATION = f"{URI}#chunk:0-104@0ad0e2e3"
COUNTS: dict[str, Any] = {"chunks": 1, "added": 1, "updated": 0, "unchanged": 0, "known": 0, "values": 0}
DOCUMENT = {"uri": URI, "title": "Ferry notes", "source": "wiki"}
HIT = {"text": FERRY, "document": DOCUMENT, "citation": CITATION, "line": 1, "headings": ["Ferry"]}


@dataclass(frozen=True)
class World:
    """A served graph of a text, a folder and an asserted triple, with what the writing tools answered."""

    ask: Asked
    era: str
    docs: Path
    text: dict[str, Any]
    paths: dict[str, Any]
    triples: dict[str, Any]


@pytest.fixture(scope="module", params=ERAS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The world, in each protocol era."""
    folder = tmp_path_factory.mktemp("world").resolve()
    docs = folder / "docs"
    docs.mkdir()
    (docs / "plan.md").write_text("# Plan\n\nThe Mill Service depends on the River Database.\n", encoding="utf-8")
    (docs / "blob.bin").write_bytes(b"\0\1")
    with served(folder / "graph.duckdb", "--root", str(docs), mode=request.param) as ask:
        text = ask("ingest", text=FERRY, title="Ferry notes", source="wiki", metadata={"year": 2024})
        paths = ask("ingest", paths=[str(docs)])
        stated = {"subject": "Tide Database", "predicate": "OWNED_BY", "object": "Sea Team", "object_type": "TEAM"}
        told = {"quote": "the sea team's", "source": "mail", "valid_from": "2024", "metadata": {"by": "Ann"}}
        triples = ask("add_triples", triples=[{**stated, **told, "confidence": 0.9}])
        yield World(ask, request.param, docs, text, paths, triples)


def relation(subject: str, predicate: str, object_: str, evidence: int, **more: Any) -> dict[str, Any]:
    """A triple that `lite` found in the ferry notes."""
    return {
        "subject": subject,
        "predicate": predicate,
        "object": object_,
        "subject_type": subject.split()[1],
        "object_type": object_.split()[1],
        "confidence": SURE,
        "evidence": [evidence],
        **more,
    }


def quote(number: int, start: int, end: int) -> dict[str, Any]:
    """A piece of evidence in the ferry notes."""
    said = {"source": CITATION, "quote": FERRY[start:end], "span": [start, end]}
    return {"number": number, **said, "line": 3, "extractor": "lite", "confidence": SURE}


OWNED = relation("Ferry Service", "owned_by", "Harbour Team", 1)
DEPENDS = relation("Ferry Service", "depends_on", "Tide Database", 1)
SEA = {
    "subject": "Tide Database",
    "predicate": "owned_by",
    "object": "Sea Team",
    "subject_type": "Database",
    "object_type": "Team",
    "confidence": 0.9,
    "metadata": {"by": "Ann"},
    "evidence": [1],
    "valid_from": "2024-01-01",
}
MAIL = {"number": 1, "source": "mail", "quote": "the sea team's", "extractor": "agent", "confidence": 0.9}


def test_each_era_speaks_its_protocol(world: World) -> None:
    assert world.ask.client.protocol_version == PROTOCOLS[world.era]


def test_ingest_counts_what_a_text_and_a_folder_gave(world: World) -> None:
    one = {"state": "done", "documents": 1, **COUNTS, "hint": "1 chunk awaits reading: get_chunks_to_extract."}
    assert world.text == {"job": 1, **one, "entities": 3, "triples": 2, "done": 1, "total": 1}
    one["hint"] = "2 chunks await reading: get_chunks_to_extract."
    reason = "no reader for .bin files"
    skipped = {"skipped": [{"what": str(world.docs / "blob.bin"), "reason": reason}], "skipped_by_reason": {reason: 1}}
    assert world.paths == {"job": 2, **one, "entities": 2, "triples": 1, "done": 2, "total": 2, **skipped}


def test_the_same_text_again_changes_nothing_and_says_so(world: World) -> None:
    before = world.ask("brief")["holds"]
    again = world.ask("ingest", text=FERRY, title="Ferry notes", source="wiki", metadata={"year": 2024})
    nothing = {"documents": 0, "entities": 0, "triples": 0, **COUNTS, "chunks": 0, "added": 0, "unchanged": 1}
    nothing["hint"] = "2 chunks await reading: get_chunks_to_extract."
    assert again == {"job": again["job"], "state": "done", **nothing, "done": 1, "total": 1}
    assert world.ask("brief")["holds"] == before


def test_get_job_answers_what_ingest_answered(world: World) -> None:
    assert world.ask("get_job", job=world.paths["job"]) == world.paths


def test_add_triples_answers_the_triples_as_stored(world: World) -> None:
    counts = {"added": 1, "known": 0, "entities_added": 1, "truncated": False}
    assert settled(world.triples) == {**counts, "triples": [SEA], "evidence": [MAIL]}


@pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid"])
def test_search_finds_the_passage_within_its_filters(world: World, mode: str) -> None:
    filters = {"document": "Ferry notes", "source": ["wiki"], "metadata": {"year": 2024}}
    found = world.ask("search", query="Who owns the ferry?", mode=mode, filters=filters)
    assert settled(found) == {"truncated": False, "mode": mode, "hits": [HIT]}


def test_search_explains_each_arm(world: World) -> None:
    found = world.ask("search", query="Who owns the ferry?", mode="hybrid", explain=True, limit=1)
    arms = [{"arm": "keyword", "rank": 1}, {"arm": "vector", "rank": 1}]
    assert settled(found["hits"]) == [{**HIT, "arms": arms, "terms": ["own", "ferri"]}]


def test_find_entities_finds_by_part_of_a_name_and_by_type(world: World) -> None:
    tide = {"name": "Tide Database", "type": "Database", "triples": 2, "matched": "fuzzy", "mentions": 1}
    found = world.ask("find_entities", query="Tide", limit=1)
    assert settled(found["entities"]) == [{**tide, "inferred_types": ["Component", "Deployable"]}]
    assert found["notes"] == ["No entity is named 'Tide'; the nearest are listed."]
    databases = world.ask("find_entities", query="", type="DATABASE")["entities"]
    assert [each["name"] for each in databases] == ["Tide Database", "River Database"]
    none = world.ask("find_entities", query="", type="Framework")
    assert none["hint"] == "No entity of that type is stored yet. brief shows what there is."


def test_query_triples_pages_through_all_with_its_cursor(world: World) -> None:
    first = world.ask("query_triples", subject="Ferry Service", limit=1)
    more = {"next_cursor": first["next_cursor"], "hint": "There are more: pass next_cursor as cursor."}
    owned = {"total": 2, "triples": [OWNED], "evidence": [quote(1, 9, 56)]}
    assert settled(first) == {"truncated": True, **more, **owned}
    rest = world.ask("query_triples", subject="Ferry Service", limit=1, cursor=first["next_cursor"])
    assert settled(rest) == {"truncated": False, "total": 2, "triples": [DEPENDS], "evidence": [quote(1, 57, 104)]}


def test_query_triples_takes_every_part_at_once(world: World) -> None:
    pattern = {"subject": "Tide Database", "predicate": "owned by", "object": "Sea Team"}
    typed = world.ask("query_triples", **pattern, subject_type="database", object_type="Team")
    assert settled(typed) == {"truncated": False, "total": 1, "triples": [SEA], "evidence": [MAIL]}


def test_get_neighbourhood_walks_hop_by_hop_with_paths_and_chunks(world: World) -> None:
    found = world.ask("get_neighbourhood", entity="ferry service", include_source=True)
    to_tide = "Ferry Service -[depends_on]-> Tide Database"
    assert settled(found) == {
        "truncated": False,
        "entity": "Ferry Service",
        "matched": "exact",
        "total": 3,
        "triples": [
            {**OWNED, "hop": 1},
            {**DEPENDS, "evidence": [2], "hop": 1},
            {**SEA, "evidence": [3], "hop": 2, "path": f"{to_tide} -[owned_by]-> Sea Team"},
        ],
        "evidence": [quote(1, 9, 56), quote(2, 57, 104), {**MAIL, "number": 3}],
        "chunks": [{"citation": CITATION, "text": FERRY}],
    }


def test_a_misspelt_start_is_matched_and_the_answer_says_to_what(world: World) -> None:
    found = world.ask("get_neighbourhood", entity="Fery Service", hops=1, direction="out", predicates="depends_on")
    assert (found["entity"], found["matched"]) == ("Ferry Service", "fuzzy")
    assert found["notes"] == ["No entity is named 'Fery Service'; the nearest is Ferry Service."]
    text = text_of(world.ask.result("get_neighbourhood", {"entity": "Fery Service"}))
    assert text.startswith("No entity is named 'Fery Service'; the nearest is Ferry Service.\n")
    assert [each["object"] for each in found["triples"]] == ["Tide Database"]


def test_get_source_reads_the_passage_behind_a_hit_and_the_whole_document(world: World) -> None:
    document = {**DOCUMENT, "media_type": "text/markdown", "metadata": {"year": 2024}}
    passage = {"truncated": False, "document": document, "text": FERRY, "span": [0, 104], "headings": ["Ferry"]}
    passage |= {"path": URI, "lines": [1, 3]}
    citation = world.ask("search", query="ferry", limit=1)["hits"][0]["citation"]
    assert world.ask("get_source", what=citation) == passage
    assert world.ask("get_source", what=URI) == passage


def test_brief_counts_everything(world: World) -> None:
    plan = (world.docs / "plan.md").as_uri()
    answer = world.ask("brief")
    assert answer["notes"] == [f"ingest reads files below {world.docs.resolve()}."]
    assert answer["holds"] == {
        "documents": 2,
        "chunks": 2,
        "entities": 6,
        "triples": 4,
        "best_known": {
            "Ferry Service (Service)": 2,
            "Tide Database (Database)": 2,
            "Mill Service (Service)": 1,
            "Harbour Team (Team)": 1,
            "River Database (Database)": 1,
            "Sea Team (Team)": 1,
        },
        "types": {"Database": 2, "Service": 2, "Team": 2},
        "predicates": {"depends_on": 2, "owned_by": 2},
        "extractors": {"lite": 3, "agent": 1},
        "embedder": "wordllama",
        "ontologies": ["memory", "documents", "code", "services"],
        "recent_documents": [{"uri": plan, "title": "Plan", "source": str(world.docs / "plan.md")}, DOCUMENT],
        "chunks_awaiting_embedding": 0,
        "chunks_awaiting_extraction": 0,
        "chunks_awaiting_agent": 2,
    }


def test_an_answer_tells_of_the_first_tables_and_how_many_there_are() -> None:
    report = {"tables": ["a.csv, table: 2 rows by service; port as values of port (2)"], "tables_read": 12}
    told = str(job_answer(Job(1, "ingest", "done", "", 1, 1, report), 4000))
    assert "Tables: 12, 1 shown.\n  a.csv, table: 2 rows by service; port as values of port (2)" in told
