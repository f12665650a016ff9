"""Entities whose names differ in case or brackets alone."""

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery

TEXT = "`allow_lane`(test_func, login_url=None)\n\nThe setting LOGIN_URL holds the address.\n"


def test_a_setting_and_a_parameter_of_the_same_letters_are_two_entities(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, uri="lanes"))
    found = {item.entity.name for item in graph.find_entities("login_url")}
    of_parameter = graph.query_triples(TripleQuery(object="login_url")).triples
    of_setting = graph.query_triples(TripleQuery(object="LOGIN_URL")).triples

    assert found >= {"login_url", "LOGIN_URL"}
    assert [triple.subject for triple in of_parameter] == ["allow_lane()"]
    assert list(of_setting) == []


def test_a_function_is_not_the_format_of_its_name(graph: Graph) -> None:
    graph.ingest_text(TextInput("PostgreSQL uses JSON. PostgreSQL calls json().", uri="lanes"))
    stated = graph.query_triples(TripleQuery(subject="PostgreSQL", infer=False)).triples

    assert {(triple.predicate, triple.object) for triple in stated} == {("uses", "JSON"), ("calls", "json()")}
