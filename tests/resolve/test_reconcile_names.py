"""Names and types of entities after a document is out of force: those that the others give them."""

from collections.abc import Sequence
from typing import Any

from conflict_helpers import add, in_force, read
from edit_helpers import TEST
from store_helpers import add_document, query

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.graph import Graph
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.reconcile_names import reconcile
from mcp_graphrag.resolve.resolve_entities import Group, resolve_names
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.document_rows import retire_document
from mcp_graphrag.store.rows.entity_rows import NewAlias, add_aliases
from mcp_graphrag.store.rows.mention_rows import NewMention, add_mentions


def mention(store: Store, *names: Named, by: str = "lite") -> int:
    """The id of a new document that mentions the names."""
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = add_document(tx, f"u:{tx.generation}", "A text.")
        ids = resolve_names(tx, [Group(names, document_id)], by).ids[0]
        mentions = [NewMention(chunk_id, ids[named], at, at + 1, *named) for at, named in enumerate(names)]
        add_mentions(tx, mentions, by)
    return document_id


def declare(store: Store, *names: Named) -> None:
    """Let a caller declare names, each as an entity."""
    with store.writing(TEST) as tx:
        ids = resolve_names(tx, [Group(names)], "agent").ids[0]
        add_aliases(tx, [NewAlias(ids[named], named[0], named[0].lower(), "name") for named in names])


def remove(store: Store, document_id: int) -> int:
    """How many entities end with a document."""
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)
        return reconcile(tx, [row[0] for row in tx.run("SELECT id FROM entity").fetchall()])


def entities(store: Store) -> Sequence[tuple[Any, ...]]:
    """Name, type, the type's extractor, and names in mentions, of every entity in force."""
    return query(
        store,
        "SELECT e.name, e.type, e.type_extractor, list(DISTINCT m.name ORDER BY m.name) FROM entity e JOIN mention m"
        " ON m.entity_id = e.id AND m.retired_change IS NULL WHERE e.retired_change IS NULL GROUP BY ALL ORDER BY ALL",
    )


def test_entities_that_only_the_document_mentions_end_with_it(store: Store) -> None:
    mention(store, ("Redis", None))
    document = mention(store, ("Redis", None), ("Kafka", None), ("Nginx", None))
    with store.writing(TEST) as tx:
        assert reconcile(tx, []) == 0

    assert remove(store, document) == 2
    assert entities(store) == [("Redis", "", "", ["Redis"])]
    assert remove(store, 1) == 1
    assert entities(store) == []


def test_an_entity_is_called_as_the_earliest_document_left_calls_it(store: Store) -> None:
    document = mention(store, ("Auth Service", "Service"))
    mention(store, ("auth-service", None))
    mention(store, ("AUTH SERVICE", None))
    assert entities(store) == [("Auth Service", "Service", "lite", ["AUTH SERVICE", "Auth Service", "auth-service"])]

    assert remove(store, document) == 0
    assert entities(store) == [("auth-service", "", "", ["AUTH SERVICE", "auth-service"])]
    names = "SELECT name, origin, said_in FROM entity_alias WHERE retired_change IS NULL"
    assert query(store, names) == [("auth-service", "name", 2)]


def test_a_name_and_a_type_that_a_caller_declared_stay(store: Store) -> None:
    declare(store, ("AUTH SERVICE", "Component"))
    mention(store, ("auth-service", None))
    document = mention(store, ("Auth Service", "Service"), by="claude")
    before = entities(store)

    remove(store, document)

    assert ("AUTH SERVICE", "Component", "agent", ["auth-service"]) in entities(store)
    assert len(before) == 2, "a declared type of its own"


def test_the_type_is_that_of_the_most_trusted_mention_left_the_earliest_of_equals(store: Store) -> None:
    first = mention(store, ("Mill", "Location"))
    mention(store, ("Mill", "Person"))
    better = [mention(store, ("Mill", type_), by=by) for type_, by in (("Place", "nlp"), ("Team", "nlp"))]
    best = mention(store, ("Mill", "Service"), by="claude")
    assert entities(store)[0][1:3] == ("Service", "claude")

    seen: list[Any] = []
    for document in (best, first, *better):
        remove(store, document)
        seen.append(entities(store)[0][1:3])

    assert seen == [("Place", "nlp"), ("Place", "nlp"), ("Team", "nlp"), ("Person", "lite")]


def test_a_name_that_only_the_document_joined_is_an_entity_of_its_own_again(store: Store) -> None:
    document = mention(store, ("Site Reliability Engineering", "Team"), ("SRE", None))
    mention(store, ("SRE", "Organization"))
    mention(store, ("Site Reliability Engineering", "Concept"))
    assert [row[0] for row in entities(store)] == ["Site Reliability Engineering"]

    assert remove(store, document) == 0
    assert entities(store) == [
        ("SRE", "Organization", "lite", ["SRE"]),
        ("Site Reliability Engineering", "Concept", "lite", ["Site Reliability Engineering"]),
    ]
    names = "SELECT name, origin, said_in FROM entity_alias WHERE retired_change IS NULL ORDER BY name"
    assert query(store, names) == [("SRE", "name", 2), ("Site Reliability Engineering", "name", 3)]


def test_a_short_form_says_nothing_of_the_type(store: Store) -> None:
    document = mention(store, ("Site Reliability Engineering", "Team"))
    mention(store, ("SRE", "Location"), ("Site Reliability Engineering", None))
    mention(store, ("SRE", "Concept"))

    remove(store, document)

    assert entities(store) == [
        ("Site Reliability Engineering", "Concept", "lite", ["SRE", "Site Reliability Engineering"])
    ]


AWS = "Amazon Web Services (AWS) hosts the User Database."
NAMES = """
SELECT a.name, a.origin, a.said_in FROM entity_alias a JOIN entities e ON e.id = a.entity_id
WHERE a.retired_change IS NULL AND e.type <> 'Document' ORDER BY a.name
"""


def test_a_short_form_in_a_triple_of_a_caller_is_left_as_the_only_name(graph: Graph) -> None:
    read(graph, "u:1", AWS)
    add(graph, "AWS uses Redis")
    assert "Amazon Web Services uses Redis" in in_force(graph)

    graph.remove(Removal(document="u:1"))

    assert in_force(graph) == {"AWS uses Redis"}
    assert query(graph.store, NAMES) == [("AWS", "name", 0), ("Redis", "name", 0)]


def test_a_short_form_in_a_triple_of_a_caller_is_an_entity_of_its_own_beside_the_long_one(graph: Graph) -> None:
    read(graph, "u:1", AWS)
    add(graph, "AWS uses Redis")
    read(graph, "u:2", "Amazon Web Services hosts the Mill Service.")

    graph.remove(Removal(document="u:1"))

    assert in_force(graph) == {"AWS uses Redis", "Mill Service hosted_by Amazon Web Services"}
    assert query(graph.store, NAMES) == [
        ("AWS", "name", 0),
        ("Amazon Web Services", "name", 2),
        ("Mill Service", "name", 2),
        ("Redis", "name", 0),
    ]


def test_an_entity_of_a_caller_keeps_its_name_when_the_document_that_gave_it_another_is_removed(graph: Graph) -> None:
    read(graph, "u:1", AWS)
    add(graph, "AWS uses Redis", "Amazon_Web_Services uses Linux")

    graph.remove(Removal(document="u:1"))

    assert in_force(graph) == {"AWS uses Redis", "Amazon Web Services uses Linux"}
