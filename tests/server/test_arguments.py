"""Arguments mean the same in every form in which clients send them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Cli
from forked import command
from frames import call, framed
from http_served import http_served, modern_call
from served import Asked, served

from mcp_graphrag.errors import BadInput
from mcp_graphrag.server.call_by_name import checked_arguments
from mcp_graphrag.server.commands import CALLABLE


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with served(tmp_path_factory.mktemp("arguments") / "graph.duckdb", "--toolsets", "all") as asked:
        asked("ingest", text="Ann knows Bob.", title="[1]", metadata={"draft": True}, extract="none")
        yield asked


FACT = {"subject": "A", "predicate": "uses", "object": "B"}
NULLS: dict[str, Any] = dict.fromkeys(("quote", "source", "valid_from", "metadata", "confidence", "negated"))
TRIPLES: dict[str, Any] = {
    "a list": [FACT],
    "one object": FACT,
    "an object as JSON": '{"subject":"A","predicate":"uses","object":"B"}',
    "a list as JSON": '[{"subject":"A","predicate":"uses","object":"B"}]',
    "objects as JSON": ['{"subject":"A","predicate":"uses","object":"B"}'],
    "nulls in it": [FACT | NULLS, None],
    "texts for numbers": [FACT | {"confidence": "1", "negated": "false", "metadata": "{}"}],
}


@pytest.mark.parametrize("form", TRIPLES)
def test_a_triple_is_stored_in_whatever_form_it_comes(ask: Asked, form: str) -> None:
    (stored,) = ask("add_triples", triples=TRIPLES[form])["triples"]
    assert (stored["subject"], stored["predicate"], stored["object"]) == ("A", "uses", "B")
    assert stored["confidence"] == (1 if form == "texts for numbers" else 0.8)


TEXTS = ['{"customer":"Acme","plan":"gold"}', '["alpha","beta"]', "[1]", '"quoted"', "17", "true"]


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_looks_like_json_is_text(ask: Asked, text: str) -> None:
    ask("ingest", text=text, title="a record", uri="json:1", extract="none")
    assert ask("get_source", what="json:1")["text"] == text
    ask("add_triples", triples=[{"subject": text, "predicate": "is", "object": "C"}])
    assert ask("query_triples", subject=text)["triples"][0]["subject"] == text
    assert ask("get_neighbourhood", entity=text)["entity"] == text


def test_null_as_a_text_is_no_wildcard(ask: Asked) -> None:
    assert ask.refused("query_triples", object="null").startswith("No entity named 'null'")


@pytest.mark.parametrize("number", [2024, 4.5, True])
def test_a_number_is_a_name(ask: Asked, number: Any) -> None:
    ask("add_triples", triples=[{"subject": number, "predicate": "is_in", "object": 42}])
    assert ask("get_neighbourhood", entity=number)["entity"] == str(number).replace("True", "true")


@pytest.mark.parametrize("nothing", [None, "null", ""])
def test_nothing_in_place_of_a_number_or_a_choice_is_the_default(ask: Asked, nothing: Any) -> None:
    given = {"query": "Ann Bob", "limit": nothing, "mode": nothing, "explain": nothing, "filters": None}
    assert ask("search", **given) == ask("search", query="Ann Bob")


def test_an_entity_with_nulls_is_stored_and_null_still_removes_a_property(ask: Asked) -> None:
    nulls = dict.fromkeys(("type", "description", "aliases", "properties"))
    ask("add_entities", entities=[{"name": "N", **nulls}])
    ask("add_entities", entities={"name": "N", "properties": '{"colour": "red"}', "aliases": ["Enn", None]})
    found = ask("update_entity", entity="N", properties={"colour": None})["entity"]
    assert found == {"name": "N", "type": "", "state": "updated", "aliases": ["Enn"]}


FILTERS: list[Any] = [
    {"document": "[1]"},
    {"document": ["[1]"]},
    {"document": '["[1]"]'},
    '{"document":"[1]"}',
    {"document": ["[1]", None], "since": None, "metadata": {"draft": True}},
]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_filters_mean_the_same_in_every_form(ask: Asked, filters: Any) -> None:
    assert [hit["document"]["title"] for hit in ask("search", query="Ann", filters=filters)["hits"]] == ["[1]"]


WRONG: list[tuple[Any, str]] = [
    (["A uses B"], "triples.0 is A uses B; it takes an object."),
    ([FACT | {"subject": ["A"]}], "triples.0.subject is ['A']; it takes a text."),
    (7, "triples.0 is 7; it takes an object."),
    ("null", "triples.0 is null; it takes an object."),
]


@pytest.mark.parametrize(("triples", "said"), WRONG, ids=str)
def test_what_cannot_be_meant_is_explained(ask: Asked, triples: Any, said: str) -> None:
    assert ask.refused("add_triples", triples=triples).startswith(said)


def test_a_byte_order_mark_before_a_frame_is_ignored(tmp_path: Path) -> None:
    with framed(tmp_path / "graph.duckdb", start=command()) as server:
        server.opened().write(b"\xef\xbb\xbf" + json.dumps(call(82)).encode())
        assert "result" in server.answer()


@pytest.mark.slow
def test_over_http_they_mean_the_same(tmp_path: Path) -> None:
    with http_served(tmp_path / "graph.duckdb") as server:
        assert server.structured("add_triples", triples={**FACT, "object": 42, "confidence": None})["added"] == 1
        headers, frame = modern_call("brief", {})
        body = b"\xef\xbb\xbf" + json.dumps(frame).encode()
        assert server.request(headers=headers | {"Content-Type": "application/json"}, content=body).status_code == 200


def test_a_file_of_records_may_begin_with_a_byte_order_mark_and_have_nulls(tmp_path: Path) -> None:
    file = tmp_path / "triples.jsonl"
    file.write_text('\ufeff{"subject": "A", "predicate": "uses", "object": 42, "confidence": null}\n', encoding="utf-8")
    assert Cli(tmp_path)("add-triples", "triples.jsonl", "--json").fields["added"] == 1


def test_an_argument_of_a_wrong_type_is_bad_input_for_a_caller_by_name() -> None:
    with pytest.raises(BadInput, match=r"query_graph cannot take that limit: .*integer"):
        checked_arguments(CALLABLE["query_graph"], {"query": "RETURN 1", "limit": "many"})
