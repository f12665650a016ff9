from pathlib import Path

import pytest
from search_helpers import link, nearest, relate, triples

from mcp_graphrag import TextInput
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.find_entities import find_entities
from mcp_graphrag.lookup.query_triples import TripleQuery


@pytest.fixture
def services(graph: Graph) -> Graph:
    relate(
        graph,
        "Checkout_Service uses Redis",
        "Bartender_Bot uses Kafka",
        "Payment_Gateway uses Redis",
        types={"Redis": "Database", "Kafka": "Queue", "Checkout Service": "Service", "Payment Gateway": "Service"},
    )
    return graph


def _linked(graph: Graph, name: str) -> tuple[list[str], str]:
    linked = link(graph, name)
    return [entity.name for entity in linked.entities], linked.how


@pytest.mark.parametrize("name", ["Redis", "redis", " REDIS ", "The Redis"])
def test_a_name_in_any_spelling_is_found_exactly(services: Graph, name: str) -> None:
    assert _linked(services, name) == (["Redis"], "exact")


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("Rediss", "Redis"),
        ("Chekout Service", "Checkout Service"),
        ("Checkout", "Checkout Service"),
        ("gateway", "Payment Gateway"),
    ],
)
def test_a_misspelt_name_or_whole_words_of_a_name_are_only_near_it(services: Graph, name: str, entity: str) -> None:
    found = nearest(services, name)
    assert ([each.name for each in found.entities], found.how) == ([entity], "fuzzy")
    with pytest.raises(UnknownName, match=f"Nearest: {entity}"):
        link(services, name)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [("The Who", "WHO"), ("us", "US"), ("Turkey", "turkey"), ("Reading", "reading"), ("résumé", "resume")],
)
def test_an_ordinary_word_is_a_name_only_in_its_own_letters(graph: Graph, stored: str, asked: str) -> None:
    relate(graph, f"{stored.replace(' ', '_')} likes tea")
    assert link(graph, stored).entities == link(graph, stored.removeprefix("The ")).entities
    with pytest.raises(UnknownName, match=f"Nearest: {stored}"):
        link(graph, asked)


def test_names_that_differ_in_their_letters_alone_are_told_apart(graph: Graph) -> None:
    relate(graph, "The_Who member Roger", types={"The Who": "Band"})
    relate(graph, "WHO located_in Geneva", types={"WHO": "Agency"})
    assert [entity.name for name in ("The Who", "Who", "WHO") for entity in link(graph, name).entities] == [
        *("The Who", "The Who", "WHO"),
    ]


@pytest.mark.parametrize("name", ["C", "art", "ed", "zzz", "Kubernetes", "'; DROP TABLE entity", "\udcff", "🙂"])
def test_an_unknown_name_does_not_match_anything(services: Graph, name: str) -> None:
    with pytest.raises(UnknownName) as caught:
        nearest(services, name)

    assert (caught.value.kind, caught.value.name) == ("entity", name)


def test_a_name_is_found_by_meaning(graph: Graph) -> None:
    relate(graph, "automobile_engine has pistons", "bread made_of flour")

    found = nearest(graph, "car engine")
    assert ([each.name for each in found.entities], found.how) == (["automobile engine"], "embedding")


def test_a_name_is_found_by_alias(graph: Graph) -> None:
    graph.ingest_text("Site Reliability Engineering (SRE) uses Grafana.")

    assert _linked(graph, "sre") == (["Site Reliability Engineering"], "alias")


def test_an_alias_of_two_entities_refers_to_neither_and_both_are_near(graph: Graph) -> None:
    graph.add_entities([EntityInput("Point of Sale", aliases=["POS"]), EntityInput("Proof of Stake", aliases=["POS"])])

    with pytest.raises(UnknownName, match=r"'POS' is short for 2 entities: Point of Sale, Proof of Stake\. Give"):
        link(graph, "POS")


def test_a_surname_holds_only_inside_its_document(graph: Graph) -> None:
    graph.ingest_text("Ada Lovelace works for Babbage Engines. Lovelace reports to Charles Wheatstone.")

    assert _linked(graph, "Ada Lovelace") == (["Ada Lovelace"], "exact")
    with pytest.raises(UnknownName, match="Nearest: Ada Lovelace"):
        link(graph, "Lovelace")


@pytest.fixture
def mercury(graph: Graph) -> Graph:
    """A team and a planet of one name."""
    relate(graph, "Mercury uses Jira", "Ann leads Mercury", types={"Mercury": "Team"})
    relate(graph, "Mercury orbits Sun", "Mercury uses Jira", types={"Mercury": "Planet"})
    return graph


def test_a_name_of_two_entities_refers_to_both(mercury: Graph) -> None:
    linked = link(mercury, "Mercury")

    assert [(entity.name, entity.type) for entity in linked.entities] == [("Mercury", "Team"), ("Mercury", "Planet")]


@pytest.mark.parametrize(("name", "says"), [("", "is empty"), (" \n", "is empty"), ("x" * 1001, "1001 characters")])
def test_an_empty_or_overlong_name_is_refused(services: Graph, name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        link(services, name)


def _found(graph: Graph, query: str, *, type: str | None = None, limit: int = 10) -> list[str]:
    with graph.reading() as snapshot:
        return [find_entity.entity.name for find_entity in find_entities(snapshot, query, type=type, limit=limit)]


def test_equal_names_come_first_then_prefixes_then_parts(graph: Graph) -> None:
    relate(graph, "Redis_Cluster uses My_Redis", "Redis uses Kafka")

    assert _found(graph, "redis") == ["Redis", "Redis Cluster", "My Redis"]
    assert _found(graph, "redis", limit=1) == ["Redis"]


def test_an_empty_query_lists_the_best_connected_entities(services: Graph) -> None:
    assert _found(services, "", limit=1) == ["Redis"]
    assert _found(services, "", type="service") == ["Checkout Service", "Payment Gateway"]


def test_a_type_is_compared_in_any_spelling_and_an_unknown_one_refused(services: Graph) -> None:
    assert set(_found(services, "e", type="SERVICE")) == {"Payment Gateway", "Checkout Service"}
    with pytest.raises(UnknownName, match=r"No type named 'Servise'\. Nearest: Service"):
        _found(services, "e", type="Servise")


def _listed(graph: Graph, query: str) -> list[tuple[str, str, str, list[str]]]:
    found = graph.find_entities(query, limit=5)
    return [(each.entity.name, each.entity.type, each.how, list(each.told_apart_by)) for each in found]


def test_homonyms_are_found_by_type_and_told_apart_by_what_only_they_have(mercury: Graph) -> None:
    team = ("Mercury", "Team", ["Ann leads Mercury"])
    planet = ("Mercury", "Planet", ["Mercury orbits Sun"])

    assert [(name, type_, facts) for name, type_, _, facts in _listed(mercury, "Mercury")] == [team, planet]
    assert _listed(mercury, "Mercury (Planet)") == [
        ("Mercury", "Planet", "exact", ["Mercury orbits Sun"]),
        ("Mercury", "Team", "fuzzy", ["Ann leads Mercury"]),
    ]
    assert _listed(mercury, "Ann") == [("Ann", "", "exact", [])]


def test_a_name_with_a_type_that_no_homonym_has_answers_with_those_there_are(mercury: Graph) -> None:
    with pytest.raises(UnknownName, match=r"'Mercury \(Moon\)'\. Nearest: Mercury \(Team\), Mercury \(Planet\)\."):
        link(mercury, "Mercury (Moon)")


def test_triples_of_a_shared_name_say_whose_they_are(graph: Graph) -> None:
    composer = "Ada Moss (1902-1988) was a Swiss composer. She is not the software engineer of the same name."
    graph.ingest_text(TextInput(composer, title="Ada Moss (composer)"))
    graph.ingest_text(TextInput("Ada Moss is a software engineer. Ada Moss works for Roth Group.", title="Team"))

    page = graph.query_triples(TripleQuery(subject="Ada Moss"))

    names = {triple.object: triple.subject for triple in page.triples}
    assert names["composer"] != names["software engineer"] == names["Roth Group"]
    assert [triple.object for triple in graph.query_triples(TripleQuery(subject=names["composer"])).triples] == [
        "1902",
        "1988",
        "Swiss",
        "composer",
    ]
    assert page.notes[0].startswith("2 entities have the name 'Ada Moss': ask for one of Ada Moss (#")


def test_triples_of_a_name_of_two_types_keep_it_with_a_note(mercury: Graph) -> None:
    page = mercury.query_triples(TripleQuery("Mercury", infer=False))
    assert [f"{triple.subject} {triple.subject_type}" for triple in page.triples] == [
        "Mercury Team",
        *["Mercury Planet"] * 2,
    ]
    assert triples(mercury, subject="Mercury", subject_type="Team", infer=False) == ["Mercury uses Jira"]
    assert page.notes == [
        "2 entities have the name 'Mercury': ask for one of Mercury (Planet), Mercury (Team).",
    ]


def test_a_setting_and_a_parameter_of_the_same_letters_are_two_entities(graph: Graph) -> None:
    graph.ingest_text("`allow_lane`(test_func, login_url=None)\n\nThe setting LOGIN_URL holds the address.\n")
    found = {item.entity.name for item in graph.find_entities("login_url")}
    of_parameter = graph.query_triples(TripleQuery(object="login_url")).triples
    of_setting = graph.query_triples(TripleQuery(object="LOGIN_URL")).triples

    assert found >= {"login_url", "LOGIN_URL"}
    assert [triple.subject for triple in of_parameter] == ["allow_lane()"]
    assert list(of_setting) == []


def test_a_function_is_not_the_format_of_its_name(graph: Graph) -> None:
    graph.ingest_text("PostgreSQL uses JSON. PostgreSQL calls json().")
    stated = graph.query_triples(TripleQuery(subject="PostgreSQL", infer=False)).triples

    assert {(triple.predicate, triple.object) for triple in stated} == {("uses", "JSON"), ("calls", "json()")}


CODE = """\
class Request:
    def url(self):
        return URL()


class URL:
    pass


class Client:
    def request(self):
        return Request()
"""
CALLED = {
    "Request": "web.Request",
    "request": "web.Client.request",
    "URL": "web.URL",
    "url": "web.Request.url",
    "web.Request": "web.Request",
    "web.py:2": "web.Request.url",
    "web.py:7": "web.URL",
    "web.py:3": "web.Request.url",
    "web.py:8": "web",
}


def test_code_is_named_in_its_own_letters_or_by_its_line(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "web.py").write_text(CODE)
    graph.ingest_files([tmp_path / "app"])
    found = {name: [each.removeprefix("app.") for each in _linked(graph, name)[0]] for name in CALLED}
    assert found == {name: [named] for name, named in CALLED.items()}
    for name in ("REQUEST", "uRL", "web.py:13", "web.py:0", "other.py:1"):
        with pytest.raises(UnknownName):
            link(graph, name)


def test_a_definition_has_the_name_of_the_package_that_re_exports_it(graph: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "shop" / "tills"
    folder.mkdir(parents=True)
    (tmp_path / "shop" / "__init__.py").write_text("NAME = 1\n")
    (folder / "__init__.py").write_text("from .base import Till as Counter\n")
    (folder / "base.py").write_text("class Till: ...\n")
    (tmp_path / "shop" / "web.py").write_text("from shop import tills\n\n\nclass Desk(tills.Counter): ...\n")
    graph.ingest_files([tmp_path])

    for name in ("shop.tills.Counter", "tills.Counter", "tills.base.Till"):
        (triple,) = graph.query_triples(TripleQuery(None, "extends", name)).triples
        assert (triple.subject, triple.object) == ("shop.web.Desk", "shop.tills.base.Till")
