"""Which triples a caller may add, and what is stored of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Any

import pytest

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import BadInput, NotAllowed
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, StoredChunk
from mcp_graphrag.settings import Settings
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.conflict_rows import NO_CONTRADICTIONS


@pytest.mark.parametrize(
    ("one", "other"),
    [("error:timeout", "error timeout"), (".NET", "net"), ("tool:a_b", "tool:a/b"), ("A Team", "Team"), ("C", "C++")],
)
def test_identifiers_and_near_names_stay_apart(graph: Graph, one: str, other: str) -> None:
    assert graph.add_triples([Candidate(one, "differs_from", other)]).entities_added == 2


@pytest.mark.parametrize(
    "given",
    [
        Candidate("Checkout", "uses", "Redis"),
        Candidate("Checkout", "uses", "Stripe", subject_type="Service", object_type="Company", confidence=0.123456),
        Candidate("Checkout", "was owned by", "the Büro", quote=' "Büro" ', source="mail", metadata={"port": [1]}),
        Candidate("checkout", "uses", "redis cache", valid_from=datetime(2020, 1, 1), valid_to=datetime(2021, 1, 1)),  # noqa: DTZ001
        Candidate("Redis (#2)", "depends_on", "Kafka", object_type="Service"),
        Candidate("Kafka", "used_by", "Kafka"),
        Candidate("Checkout", "uses", "Kafka", source="memory://a", quote="uses"),
    ],
)
def test_the_answer_has_a_new_triple_as_it_is_stored(graph: Graph, given: Candidate) -> None:
    graph.ingest_text(TextInput("Shop uses x.", uri="memory://a"), extract="none")
    graph.add_triples([Candidate("Checkout", "related_to", "Redis"), Candidate("Kafka", "related_to", "Redis")])

    added = graph.add_triples([given])

    stored = [triple for triple in graph.query_triples(TripleQuery()).triples if triple.id in added.triple_ids]
    assert (added.is_new, added.triples) == ([True], stored)
    assert graph.add_triples([given]).triples == stored


def test_one_bad_triple_leaves_none(graph: Graph) -> None:
    with pytest.raises(BadInput, match="triple 2"):
        graph.add_triples([Candidate("a", "b", "c"), Candidate("d", "e", "x\u202ey")])
    assert graph.query_triples(TripleQuery()).triples == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"object": "x\u202ey"}, "The object of triple 1 has control characters. Remove them; it is one line of text."),
        ({"object": " "}, "The object of triple 1 is empty. A triple needs a subject, a predicate and an object."),
        ({"object": "x" * 501}, "The object of triple 1 has 501 characters; the most is 500. Give it a short name"),
        ({"predicate": "!"}, "The predicate of triple 1 has no letter or digit."),
        ({"confidence": 1.5}, "The confidence of triple 1 is 1.5."),
        ({"confidence": float("nan")}, "The confidence of triple 1 is nan."),
        ({"source": "a\tb"}, "The source of triple 1 has control characters. Remove them; it is one line of text."),
        ({"source": "x" * 2_501}, "The source of triple 1 has 2501 characters; the most is 2500. Shorten it."),
        ({"quote": "x" * 10_001}, "The quote of triple 1 has 10001 characters."),
        ({"metadata": {"a": "x" * 20_000}}, "The metadata of triple 1 has more than 20000 characters."),
    ],
)
def test_a_triple_that_cannot_be_stored_is_refused_with_the_reason(
    graph: Graph, wrong: dict[str, Any], message: str
) -> None:
    parts: dict[str, Any] = {"subject": "a", "predicate": "uses", "object": "b", **wrong}
    with pytest.raises(BadInput) as refused:
        graph.add_triples([Candidate(**parts)])
    assert str(refused.value).startswith(message)


def test_the_limits_of_a_triple_are_allowed(graph: Graph) -> None:
    longest = Candidate(
        "s" * 500,
        "p" * 100,
        "o" * 500,
        "t" * 100,
        confidence=0,
        quote="q" * 10_000,
        source="x" * 2_500,
        metadata={"a": "x" * (20_000 - len('{"a":""}'))},
    )
    stored = graph.add_triples([longest, Candidate("a", "uses", "b", " ", confidence=1)]).triples
    assert [(triple.subject_type, triple.confidence) for triple in stored] == [("t" * 100, 0), ("", 1)]
    assert stored[0].metadata == longest.metadata
    for wrong in ({"subject": "s" * 501}, {"predicate": "p" * 101}, {"subject_type": "t" * 101}):
        parts: dict[str, Any] = {"subject": "a", "predicate": "uses", "object": "b", **wrong}
        with pytest.raises(BadInput, match=r"of triple 2 has .01 characters"):
            graph.add_triples([Candidate("a", "uses", "b"), Candidate(**parts)])


def test_a_triple_ends_after_it_begins(graph: Graph) -> None:
    begin, end = datetime(2024, 5, 1), datetime(2024, 5, 2)  # noqa: DTZ001
    uses = Candidate("a", "uses", "b", valid_from=begin)
    for last in (begin, datetime(2023, 1, 1)):  # noqa: DTZ001
        with pytest.raises(BadInput) as refused:
            graph.add_triples([uses, replace(uses, valid_to=last)])
        assert str(refused.value) == (
            f"In triple 2 valid_from (2024-05-01) is not before valid_to ({last:%Y-%m-%d})."
            " Swap them; valid_to is the first moment at which it no longer holds."
        )
    (stored,) = graph.add_triples([replace(uses, valid_to=end)]).triples
    assert (stored.valid_from, stored.valid_to) == (begin, end)
    assert graph.add_triples([replace(uses, valid_from=None, valid_to=begin)]).added == 1


def test_the_answer_counts_different_new_triples_and_new_entities(graph: Graph) -> None:
    graph.add_triples([Candidate("Ann", "knows", "Bob")])
    added = graph.add_triples([Candidate("Ann", "knows", "Bob"), *[Candidate("Bob", "knows", "Cid")] * 2])
    first, second = added.triple_ids[0], added.triple_ids[1]
    assert (added.triple_ids, added.added, added.entities_added) == ([first, second, second], 1, 1)
    assert (added.conflicts, added.ended) == (NO_CONTRADICTIONS, [])


def test_a_verb_is_stored_as_its_predicate_and_stays_in_the_evidence(graph: Graph) -> None:
    given = [
        Candidate("Ann", "approves", "Plan A"),
        Candidate("Plan B", "approved_by", "Ann"),
        Candidate("Plan C", "approved_by", "Ann", surface="was waved through by"),
        Candidate("Plan D", "approved_by", "Ann", quote="  so they say ", metadata={"at": "noon"}),
        Candidate("Plan E", "approved_by", "Ann", quote="  "),
        Candidate("Web", "relies on", "Store"),
        Candidate("Web", "frobs", "Store"),
        Candidate("Ann", "OWNS", "Store"),
    ]
    stored = graph.add_triples(given).triples
    assert [
        (triple.subject, triple.predicate, triple.object, triple.evidence[0].surface, triple.evidence[0].quote)
        for triple in stored
    ] == [
        ("Plan A", "approved_by", "Ann", "approves", ""),
        ("Plan B", "approved_by", "Ann", None, ""),
        ("Plan C", "approved_by", "Ann", "was waved through by", ""),
        ("Plan D", "approved_by", "Ann", None, "so they say"),
        ("Plan E", "approved_by", "Ann", None, ""),
        ("Web", "depends_on", "Store", "relies on", ""),
        ("Web", "frobs", "Store", None, ""),
        ("Ann", "owns", "Store", "OWNS", ""),
    ]
    assert [triple.metadata for triple in stored] == [{}, {}, {}, {"at": "noon"}, *[{}] * 4]


def test_the_evidence_keeps_the_name_by_which_it_calls_an_entity(graph: Graph) -> None:
    graph.add_entities([EntityInput("User Database", aliases=["UserDB"])])
    graph.add_triples([Candidate("UserDB", "uses", "Redis"), Candidate("Mill", "uses", "UserDB")])
    graph.add_triples([Candidate("User Database", "feeds", "Mill")])
    with graph.reading() as snapshot:
        names = snapshot.tx.run("SELECT subject_name, object_name FROM evidence ORDER BY id").fetchall()
    assert names == [("UserDB", None), (None, "UserDB"), (None, None)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Candidate("Ann", "dependson", "Bob"), "Nearest: depends_on, deployed_on, extends. Add it to an ontology"),
        (Candidate("Ann", "requires", "Bob"), "Nearest: depends_on. Add it"),
        (
            Candidate("Ann", "zzz", "Bob"),
            "predicate zzz of triple 2 is not in the ontologies in force. Add it to an ontology, or turn strict off.",
        ),
        (
            Candidate("Ann", "reports_to", "Bob", "Person", "Persona"),
            "The type Persona of Bob in triple 2 is not in the ontologies in force. Nearest: Person",
        ),
        (
            Candidate("Ann", "reports_to", "Red", "Person", "Team"),
            "not from Person (Ann) to Team (Red). Correct the types or the predicate, or swap subject and object.",
        ),
        (
            Candidate("Bob", "member_of", "Mill", None, "Database"),
            "Triple 2 violates domain and range: member_of goes Person → Team, not from an unknown type (Bob)",
        ),
    ],
)
def test_strict_mode_refuses_what_the_ontologies_do_not_have(graph: Graph, wrong: Candidate, message: str) -> None:
    graph.settings = replace(graph.settings, strict=True)
    with pytest.raises(BadInput, match=re.escape(message)):
        graph.add_triples([Candidate("Till", "owned_by", "Red Team", "Service", "Team"), wrong])
    graph.settings = replace(graph.settings, strict=False)
    assert graph.add_triples([wrong]).added == 1


def two_chunks(graph: Graph) -> Sequence[StoredChunk]:
    """The chunks of a text of two, which follow each other."""
    text = "# One\n\n" + "The Mill feeds the River. " * 60 + "\n\n# Two\n\n" + "The River feeds the Lake. " * 60
    graph.run_ingest(graph.text_work(TextInput(text, uri="u:2"), extract="none"))
    with graph.reading() as snapshot:
        chunks = resolve_citation(snapshot.tx, "u:2").chunks
    assert len(chunks) > 1
    return chunks


def places(graph: Graph, *cited: tuple[str, str | None]) -> list[tuple[int | None, int | None, int | None]]:
    """Where triples with these sources and quotes are placed: the chunk, start and end."""
    given = [Candidate(f"S{at}", "uses", "T", source=source, quote=quote) for at, (source, quote) in enumerate(cited)]
    graph.add_triples(given)
    with graph.reading() as snapshot:
        return snapshot.tx.run("SELECT chunk_id, start_offset, end_offset FROM evidence ORDER BY id").fetchall()


def test_a_triple_is_placed_in_the_chunk_where_its_quote_begins(graph: Graph) -> None:
    chunks = two_chunks(graph)
    first, last = chunks[0], chunks[-1]
    citation = f"u:2#chunk:{last.start}-{last.end}"
    end = last.start + len("# Two")
    assert places(
        graph,
        ("u:2", "# One"),
        (" u:2 ", " # Two "),
        (citation, "# Two"),
        (citation, None),
        ("u:2", None),
        ("u:2#chunk:0-4", None),
        ("elsewhere", "# Two"),
    ) == [
        (first.id, 0, len("# One")),
        (last.id, last.start, end),
        (last.id, last.start, end),
        (last.id, last.start, last.end),
        (None, None, None),
        (first.id, 0, 4),
        (None, None, None),
    ]


def test_a_document_of_one_chunk_is_the_place_of_a_triple_without_a_quote(graph: Graph) -> None:
    graph.run_ingest(graph.text_work(TextInput("The Mill.", uri="u:1"), extract="none"))
    ((chunk, start, end),) = places(graph, ("u:1", None))
    assert (chunk is not None, start, end) == (True, 0, 9)


def test_a_quote_that_a_long_source_does_not_have_is_refused_with_its_beginning(graph: Graph) -> None:
    uri = "u" * 300
    graph.run_ingest(graph.text_work(TextInput("The Mill.", uri=uri), extract="none"))
    with pytest.raises(BadInput) as refused:
        places(graph, (uri, "The Mill"), (uri, "The Lake"))
    assert str(refused.value) == (
        f"The quote of triple 2 is not in {'u' * 200}."
        " Copy it from the text that `get_source` returns, or leave quote out."
    )


def test_a_read_only_file_is_reported_before_bad_input(graph: Graph) -> None:
    graph.add_triples([Candidate("a", "uses", "b")])
    path = graph.store.path
    graph.close()
    reader = Graph(Settings(db=path, read_only=True), embedders=graph.embedders)
    with pytest.raises(NotAllowed, match="read"):
        reader.add_triples([Candidate("", "uses", "b")])
    reader.close()


def test_the_answer_says_how_each_changed_predicate_was_understood(graph: Graph) -> None:
    given = [("Carl", "father of", "Bert"), ("Dora", "father_of", "Emil"), ("Oslo", "capital_of", "Norway")]
    given += [("Mill", "owner", "Red Team"), ("Bert", "father", "Carl"), ("Mill", "DependsOn", "Till")]

    added = graph.add_triples([Candidate(*each) for each in given])

    assert [(each.given, each.stored, each.swapped, each.meaning) for each in added.understood] == [
        ("father of", "father", True, "Carl is the father of Bert"),
        ("capital_of", "capital", True, "Oslo is the capital of Norway"),
        ("owner", "owned_by", False, "Mill owned by Red Team"),
    ]
    assert added.added == 5


def test_names_that_differ_in_two_digits_are_different_entities(graph: Graph) -> None:
    # DuckDB's own hash of texts is the same for a sixth of these.
    names = [f"client {first} write {second}" for first, second in product(range(10), repeat=2)]
    graph.add_triples([Candidate("Ann Lee", "knows", "Bob Ray")])
    assert graph.check_claim("Ann Lee knows Bob Ray").verdict == "supported"  # loads the names

    for at in range(0, 100, 10):
        graph.add_triples([Candidate(name, "knows", "Bob Ray") for name in names[at : at + 10]])

    assert {found.entity.name for found in graph.find_entities("", limit=200)} == {"Ann Lee", "Bob Ray", *names}


class CountedCursor:
    """A cursor that counts the texts it is given to run."""

    def __init__(self, cursor: Any, texts: list[str]) -> None:
        self._cursor, self._texts = cursor, texts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, sql: str, *values: Any) -> Any:
        self._texts.append(sql)
        return self._cursor.execute(sql, *values)


def test_the_rows_of_one_new_triple_are_stored_at_once(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    begin: Any = Writer.__init__

    def counted(tx: Writer, cursor: Any, *given: Any) -> None:
        begin(tx, CountedCursor(cursor, texts), *given)

    graph.add_triples([Candidate("Kafka", "uses", "ZooKeeper")])
    monkeypatch.setattr(Writer, "__init__", counted)
    graph.add_triples([Candidate("Checkout", "uses", "Redis")])  # both names are new
    inserts = [text for text in texts if "INSERT INTO" in text]
    assert len(inserts) == 1
    assert inserts[0].replace("INSERT INTO id_counter", "").count("INSERT INTO") == 9
