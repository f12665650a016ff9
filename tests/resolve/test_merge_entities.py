"""Merges and splits: what they move, and that a split reverses a merge."""

from collections.abc import Sequence
from typing import Any

import pytest
from conflict_helpers import read
from edit_helpers import TEST, triples, whole
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.find_entities import single_entity
from mcp_graphrag.model import Candidate, Document, When
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.store.rows.entity_rows import update_entities


def relate(graph: Graph, *texts: str, **more: Any) -> None:
    """Add triples written as "Subject predicate Object", a name as "Name:Type" where typed, "_" for a space."""
    candidates: list[Candidate] = []
    for text in texts:
        subject, predicate, object_ = text.split()
        (s, st_), (o, ot) = (name.replace("_", " ").partition(":")[::2] for name in (subject, object_))
        candidates.append(Candidate(s, predicate, o, st_ or None, ot or None, **more))
    graph.add_triples(candidates)


def listed(graph: Graph, **query: Any) -> Sequence[str]:
    """The triples in force."""
    return sorted(triples(graph, **query))


def test_the_kept_entity_takes_over_triples_names_and_evidence(graph: Graph) -> None:
    relate(graph, "Postgres uses Disk", "PostgreSQL uses Disk", "Ann knows Postgres", "Postgres follows PostgreSQL")

    merged = graph.merge("PostgreSQL", "Postgres", reason="one product")

    assert (merged.kept.name, merged.merged.name, merged.triples, merged.between) == ("PostgreSQL", "Postgres", 2, 1)
    assert listed(graph) == ["Ann knows PostgreSQL", "PostgreSQL uses Disk"]
    assert listed(graph, subject="postgres") == ["PostgreSQL uses Disk"]


def test_an_untyped_entity_takes_the_type_and_gives_it_back(graph: Graph) -> None:
    relate(graph, "Checkout uses Disk", "Check_Out:Service uses Disk")
    before = whole(graph)

    merged = graph.merge("Checkout", "Check Out")
    assert (merged.kept.name, merged.kept.type) == ("Checkout", "Service")
    graph.split("Check Out")

    assert whole(graph) == before


def test_triples_added_since_follow_the_name_in_them(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess uses Ink")
    graph.merge("Ada", "Countess")
    relate(graph, "Countess owns House", "Ada owns Engine", "Bob knows Countess")
    relate(graph, "Ada uses Ink", source="mail")
    assert "Bob knows Ada" in listed(graph)

    off = graph.split("countess")

    assert (off.entity.name, off.kept.name, off.triples) == ("Countess", "Ada", 3)
    assert listed(graph, subject="Countess") == ["Countess owns House", "Countess uses Ink"]
    assert listed(graph, subject="Ada") == ["Ada owns Engine", "Ada uses Ink", "Ada uses Pen"]
    assert listed(graph, subject="Bob") == ["Bob knows Countess"]


def test_mentions_are_moved_back_and_later_ones_follow_the_name_in_them(graph: Graph) -> None:
    def extract(uri: str, text: str) -> None:
        lite = EXTRACTORS["lite"](15, 20)
        ingest(graph, [Document(uri, uri, text)], [lite], TEST, report=IngestReport())

    def mentioned(name: str) -> int:
        with graph.reading() as snapshot:
            sql = "SELECT m.chunk_id FROM mention m JOIN entities e ON e.id = m.entity_id WHERE retired_change IS NULL"
            return len(snapshot.tx.run(f"{sql} AND e.name = $name", {"name": name}).fetchall())

    extract("note:a", "The Mill Service depends on the River Database. The Stream Database is owned by the Sea Team.")
    before = whole(graph)
    graph.merge("River Database", "Stream Database")
    assert (mentioned("River Database"), mentioned("Stream Database")) == (2, 0)
    graph.split("Stream Database")
    assert whole(graph) == before

    graph.merge("River Database", "Stream Database")
    extract("note:b", "The Barge Service depends on the Stream Database.")
    assert mentioned("River Database") == 3
    graph.split("Stream Database")
    assert (mentioned("River Database"), mentioned("Stream Database")) == (1, 2)
    assert listed(graph, subject="Barge Service") == ["Barge Service depends_on Stream Database"]


def test_the_triples_of_a_document_replaced_since_do_not_come_back(graph: Graph) -> None:
    ingest(graph, [Document("note:a", "a", "Ada owns the Engine.")], [], TEST, report=IngestReport())
    relate(graph, "Countess owns Engine", source="note:a", quote="owns the Engine")
    relate(graph, "Ada uses Pen", "Countess uses Pen")
    graph.merge("Ada", "Countess")
    ingest(graph, [Document("note:a", "a", "Nothing.")], [], TEST, report=IngestReport())

    graph.split("Countess")

    assert listed(graph) == ["Ada uses Pen", "Countess uses Pen"]


def test_two_entities_that_only_their_triple_supports_become_one_that_a_split_undoes(graph: Graph) -> None:
    relate(graph, "Ann knows Anne")
    before = whole(graph)

    merged = graph.merge("Ann", "Anne")

    assert (merged.triples, merged.between) == (0, 1)
    with graph.reading() as snapshot:
        assert single_entity(snapshot, "Anne").name == "Ann"
    assert graph.verify().problems == []
    graph.split("Anne")
    assert whole(graph) == before
    graph.remove(Removal(triple=("Ann", "knows", "Anne")))
    assert not any(whole(graph).values())


def test_merges_in_a_chain_are_split_from_the_end(graph: Graph) -> None:
    relate(graph, "Ann knows Zoe", "Anna knows Yan", "Anne knows Xi")
    before = whole(graph)
    graph.merge("Anna", "Ann")
    graph.merge("Anne", "Anna")
    assert listed(graph) == ["Anne knows Xi", "Anne knows Yan", "Anne knows Zoe"]

    with pytest.raises(BadInput, match="'Anna', into which 'Ann' was merged, is no longer in force") as refused:
        graph.split("Ann")
    assert refused.value.hint.startswith("Split 'Anna' first")
    graph.split("Anna")
    graph.split("Ann")

    assert whole(graph) == before


def test_the_graph_before_and_after_a_merge_stays_readable(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess uses Ink")
    graph.merge("Ada", "Countess")
    graph.split("Countess")
    with graph.reading() as snapshot:
        moments = [row[0] for row in snapshot.tx.run("SELECT recorded_at FROM change ORDER BY id").fetchall()]

    seen: list[list[str]] = []
    for moment in moments:
        with graph.reading(When(known_at=moment)) as snapshot:
            rows = snapshot.tx.run(
                "SELECT s.name, o.name FROM triple JOIN entity s ON s.id = subject_id JOIN entity o ON o.id = object_id"
            )
            seen.append(sorted(" ".join(row) for row in rows.fetchall()))
    apart, together = ["Ada Pen", "Countess Ink"], ["Ada Ink", "Ada Pen"]
    assert (seen[0], seen[-2], seen[-1]) == (apart, together, apart)


@pytest.mark.parametrize(
    ("keep", "other", "message"),
    [
        ("Ada", "ADA", "'Ada' and 'ADA' are the same entity, Ada (untyped). Name two entities."),
        ("Ada", "Bobby", "No entity named 'Bobby'"),
        (
            "Mercury",
            "Ada",
            "2 entities have the name 'Mercury': Mercury (Element), Mercury (Planet). Give the name with",
        ),
        ("Mercury (Deity)", "Ada", "No entity named 'Mercury (Deity)'. Nearest: Mercury (Planet), Mercury (Element)."),
    ],
)
def test_a_merge_that_is_refused_says_why_and_changes_nothing(
    graph: Graph, keep: str, other: str, message: str
) -> None:
    relate(graph, "Ada uses Pen", "Mercury:Planet orbits Sun", "Mercury:Element melts Ice")
    with graph.reading() as snapshot:
        before = snapshot.tx.generation

    with pytest.raises(BadInput) as refused:
        graph.merge(keep, other)

    assert str(refused.value).startswith(message)
    with graph.reading() as snapshot:
        assert snapshot.tx.generation == before


def test_homonyms_are_addressed_by_their_type(graph: Graph) -> None:
    relate(graph, "Mercury:Planet orbits Sun", "Mercury:Element melts Ice", "Hg:Element melts Ice")
    before = whole(graph)

    assert graph.merge("mercury (element)", "Hg").kept.type == "Element"
    assert listed(graph) == ["Mercury melts Ice", "Mercury orbits Sun"]
    graph.split("Hg")
    graph.merge("Mercury (Planet)", "Mercury (Element)")
    assert graph.split("Mercury").entity.type == "Element"

    assert whole(graph) == before


def test_distinct_entities_are_merged_only_for_a_reason(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess uses Ink")
    graph.keep_apart("Countess", "Ada", reason="two people")
    graph.keep_apart("Ada", "Countess", reason="the same again")
    before = whole(graph)

    with pytest.raises(BadInput, match=r"recorded as distinct: two people\. Give a reason to merge them anyway\."):
        graph.merge("Ada", "Countess")
    graph.merge("Ada", "Countess", reason="the register says so")
    graph.split("Countess")

    assert whole(graph) == before


def test_entities_that_are_apart_for_no_reason_are_merged_for_one(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess:Person uses Ink")
    assert [each.name for each in graph.keep_apart("Countess", "Ada")] == ["Countess", "Ada"]

    with pytest.raises(BadInput) as refused:
        graph.merge("Ada", "Countess")

    assert str(refused.value) == (
        "Ada (untyped) and Countess (Person) are recorded as distinct. Give a reason to merge them anyway."
    )
    assert graph.merge("Ada", "Countess", reason="one").merged.name == "Countess"


def test_two_entities_of_one_name_and_type_are_merged_by_that_name_the_older_is_kept(graph: Graph) -> None:
    relate(graph, "Mercury:Element melts Ice", "Mercury:Planet orbits Sun")
    with pytest.raises(BadInput, match="2 entities have the name 'Mercury'"):
        graph.merge("Mercury", "Mercury")
    with graph.writing(TEST) as write:
        update_entities(write.tx, [(single_entity(write, "Mercury (Planet)").id, {"type": "element"})])

    merged = graph.merge("Mercury", "Mercury")

    assert (merged.kept.id < merged.merged.id, merged.triples) == (True, 1)
    assert listed(graph, subject="Mercury") == ["Mercury melts Ice", "Mercury orbits Sun"]


def test_one_of_several_merged_entities_of_a_name_is_split_by_its_type(graph: Graph) -> None:
    relate(graph, "Hg:Element melts Ice", "Hg:Team builds Tool", "Mercury uses Ink", "Makers uses Ink")
    relate(graph, "Hydrargyrum is_a X")
    graph.merge("Hydrargyrum", "Hg (Element)")
    graph.merge("Mercury", "Hydrargyrum")
    graph.merge("Makers", "Hg (Team)")

    with pytest.raises(BadInput, match=r"2 entities have the name 'Hg': Hg \(Element\), Hg \(Team\)"):
        graph.split("Hg")
    assert graph.split("Hg (team)").kept.name == "Makers"
    with pytest.raises(BadInput, match="'Hydrargyrum', into which 'Hg' was merged, is no longer in force"):
        graph.split("Hg")
    with pytest.raises(BadInput) as refused:
        graph.split("Makers")
    assert refused.value.hint == "Merged into others: 'Hydrargyrum', 'Hg'. Split one of these."
    assert graph.split("Hydrargyrum").entity.type == "Element"
    assert graph.split("Hg (Element)").kept.name == "Hydrargyrum"


def test_an_untyped_entity_is_split_by_its_name_or_another_name_that_it_had(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess uses Ink")
    graph.update_entity("Countess", EntityUpdate(aliases_add=["Lady Lovelace"]))
    graph.merge("Ada", "Countess")
    assert graph.split("Lady Lovelace").entity.name == "Countess"
    graph.merge("Ada", "Countess")
    with pytest.raises(BadInput, match="never merged"):
        graph.split("Ada (untyped)")
    assert graph.split("countess (untyped)").entity.name == "Countess"


def test_a_split_leaves_others_that_share_a_name_of_the_entity(graph: Graph) -> None:
    text = "Ada Lovelace reports to Bob Stone. Lovelace founded the Mill Service."
    ingest(graph, [Document("u:1", "a", text)], [EXTRACTORS["lite"](15, 20)], TEST, report=IngestReport())
    relate(graph, "Countess uses Ink", "Byron uses Pen")
    graph.merge("Countess", "Ada Lovelace")
    graph.update_entity("Byron", EntityUpdate(aliases_add=["Lovelace"]))
    relate(graph, "Ada_Lovelace knows Lovelace")
    assert listed(graph, predicate="knows") == ["Countess knows Byron"]

    graph.split("Ada Lovelace")

    assert listed(graph, predicate="knows") == ["Ada Lovelace knows Byron"]


def test_only_a_merged_entity_can_be_split(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess uses Ink")
    with pytest.raises(BadInput, match=r"'Ada' was never merged into another entity\. No merge is in force"):
        graph.split("Ada")
    with pytest.raises(UnknownName):
        graph.split("Nobody")
    graph.merge("Ada", "Countess")
    with pytest.raises(BadInput, match=r"'Ada' was never merged .* Merged into 'Ada': 'Countess'. Split one of these."):
        graph.split("Ada")
    graph.split("Countess")
    with pytest.raises(BadInput, match="'Countess' was never merged"):
        graph.split("Countess")
    with pytest.raises(BadInput, match="'Ada' and 'ada' are the same entity"):
        graph.keep_apart("Ada", "ada")


def test_a_reason_has_the_same_rule_wherever_it_is_given(graph: Graph) -> None:
    relate(graph, "Ada uses Pen", "Countess uses Ink", "Mill owned_by Blue", "Mill owned_by Red")
    (conflict,) = graph.review(ReviewQuery("conflicts")).items
    long = "x" * 2_001
    for call in (
        lambda: graph.merge("Ada", "Countess", reason=long),
        lambda: graph.keep_apart("Ada", "Countess", reason=long),
        lambda: graph.resolve_conflict(conflict.place, "first", long),
    ):
        with pytest.raises(BadInput, match=r"The reason has 2001 characters; the most is 2000\. Shorten it\."):
            call()

    graph.keep_apart("Ada", "Countess", reason="two\n  people")
    with pytest.raises(BadInput, match="recorded as distinct: two people"):
        graph.merge("Ada", "Countess")
    assert graph.resolve_conflict(conflict.place, "first", "they\nsigned").reason == "they signed"
    graph.merge("Ada", "Countess", reason=f"one\n{'x' * 1_990}")


NAMES = st.sampled_from(["Ada", "Countess", "Bob", "Cleo"])
TRIPLES = st.lists(
    st.tuples(NAMES, st.sampled_from(["knows", "helps"]), NAMES, st.sampled_from([None, "mail", "news"])), max_size=8
)
OTHERS = st.lists(st.tuples(st.sampled_from(["Dan", "Eve"]), st.sampled_from(["Fay", "Gus"])), max_size=3)


@pytest.mark.slow
@settings(max_examples=8)
@given(stated=TRIPLES, apart=st.booleans(), since=OTHERS)
def test_merge_then_split_is_identity(
    graph: Graph,
    stated: list[tuple[str, str, str, str | None]],
    apart: bool,  # noqa: FBT001
    since: list[tuple[str, str]],
) -> None:
    graph.clear(documents=True)
    given = [Candidate(*triple[:3], source=triple[3]) for triple in stated]
    first = [Candidate("Ada", "knows", "Zoe", "Person"), Candidate("Countess", "knows", "Zoe")]
    graph.add_triples([*first, *given])
    if apart:
        graph.keep_apart("Countess", "Zoe")
    before = whole(graph)

    graph.merge("Countess", "Ada")
    assert whole(graph) != before
    graph.add_triples([Candidate(subject, "knows", object_) for subject, object_ in since])
    graph.split("Ada")

    unrelated = ("Dan", "Eve", "Fay", "Gus")
    left = {view: [row for row in rows if not any(n in row for n in unrelated)] for view, rows in whole(graph).items()}
    assert left == before


DESK = "The Ferry Desk depends on the Tide Database."
GATEWAY = "The Pilot Gateway depends on the Quay Cache."


def merge_documents(graph: Graph) -> None:
    """One entity out of two, each of which has a document."""
    read(graph, "u:1", GATEWAY)
    read(graph, "u:2", DESK)
    graph.merge("Ferry Desk", "Pilot Gateway")


def test_an_entity_whose_document_is_gone_is_split_off_by_its_name(graph: Graph) -> None:
    merge_documents(graph)
    graph.remove(Removal(document="u:1"))

    off = graph.split("Pilot Gateway")

    assert (off.entity.name, off.kept.name, off.triples) == ("Pilot Gateway", "Ferry Desk", 0)
    assert graph.verify().problems == []


def test_the_name_of_an_entity_that_another_document_names_too_is_nobodys_of_the_one_that_is_gone(graph: Graph) -> None:
    merge_documents(graph)
    read(graph, "u:3", f"{GATEWAY} It is new.")
    graph.remove(Removal(document="u:1"))

    assert graph.split("Pilot Gateway").triples == 1
    assert graph.verify().problems == []


def test_an_entity_is_not_split_off_one_that_has_its_name_since(graph: Graph) -> None:
    merge_documents(graph)
    graph.remove(Removal(document="u:2"))
    read(graph, "u:3", f"{GATEWAY} It is new.")

    with pytest.raises(BadInput, match="'Pilot Gateway' was merged has only the name 'Pilot Gateway'"):
        graph.split("Pilot Gateway")
    graph.update_entity("Pilot Gateway", EntityUpdate(rename="Ferry Desk"))
    off = graph.split("Pilot Gateway")

    assert (off.entity.name, off.kept.name, off.triples) == ("Pilot Gateway", "Ferry Desk", 1)
    assert graph.verify().problems == []


def test_an_entity_is_not_split_off_one_whose_only_name_it_brought(graph: Graph) -> None:
    merge_documents(graph)
    read(graph, "u:3", "The Signal Tower depends on the Tide Database.")
    graph.merge("Signal Tower", "Ferry Desk")
    graph.remove(Removal(document="u:3"))

    with pytest.raises(BadInput, match="has only the name 'Pilot Gateway', which came with it"):
        graph.split("Ferry Desk")
    assert graph.verify().problems == []


def test_an_entity_that_a_split_leaves_without_support_is_gone(graph: Graph) -> None:
    read(graph, "u:1", GATEWAY)
    graph.add_entities([EntityInput("Signal Tower"), EntityInput("Ferry Desk")])
    graph.merge("Ferry Desk", "Signal Tower")
    graph.merge("Pilot Gateway", "Ferry Desk")
    graph.remove(Removal(document="u:1"))

    assert graph.split("Ferry Desk").entity.name == "Ferry Desk"
    assert graph.verify().problems == []
