from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.extract import EXTRACTORS
from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.merge import keep_apart, merge, split
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples
from mcp_graphrag.settings import Settings

TEST = Origin("test")
PRESENT = """
SELECT 'entity' AS what, e.name, e.type, a.name, a.document_id, a.said_in, NULL, NULL
FROM entity e JOIN entity_alias a ON a.entity_id = e.id
WHERE e.retired_change IS NULL AND a.retired_change IS NULL
UNION ALL
SELECT 'triple', subject, predicate, "object", confidence, NULL, valid_from, valid_to FROM triples
UNION ALL
SELECT 'evidence', s.subject, s.predicate, s."object", s.confidence, NULL, s.quote, s.source FROM sources s
UNION ALL
SELECT 'mention', e.name, m.name, m.type, m.start_offset, m.chunk_id, m.extractor, NULL
FROM mention m JOIN entity e ON e.id = m.entity_id WHERE m.retired_change IS NULL
UNION ALL
SELECT 'apart', a.name, b.name, d.reason, NULL, NULL, NULL, NULL
FROM distinct_pair d JOIN entity a ON a.id = d.entity_id JOIN entity b ON b.id = d.other_id
WHERE d.retired_change IS NULL
UNION ALL
SELECT 'conflict', "triple", other, kind, NULL, NULL, verdict, NULL FROM conflicts
"""


def present(pipeline: Pipeline) -> list[str]:
    """All that is in force, by name."""
    with pipeline.store.reading() as tx:
        return sorted(str(row) for row in tx.run(PRESENT).fetchall())


def say(pipeline: Pipeline, *triples: str, **more: Any) -> None:
    """Assert triples written as "Subject predicate Object", a name as "Name:Type" where typed, "_" for a space."""
    said: list[Candidate] = []
    for triple in triples:
        subject, predicate, object_ = triple.split()
        (s, st_), (o, ot) = (each.replace("_", " ").partition(":")[::2] for each in (subject, object_))
        said.append(Candidate(s, predicate, o, st_ or None, ot or None, **more))
    assert_triples(pipeline, said, TEST)


def listed(pipeline: Pipeline, **query: Any) -> Sequence[str]:
    """The triples in force."""
    page = query_triples(pipeline.store, TripleQuery(**query))
    return sorted(f"{each.subject} {each.predicate} {each.object}" for each in page.triples)


def test_the_kept_entity_takes_over_triples_names_and_evidence(pipeline: Pipeline) -> None:
    say(pipeline, "Postgres uses Disk", "PostgreSQL uses Disk", "Ann knows Postgres", "Postgres follows PostgreSQL")

    merged = merge(pipeline, "PostgreSQL", "Postgres", TEST, reason="one product")

    assert (merged.kept.name, merged.merged.name, merged.triples, merged.between) == ("PostgreSQL", "Postgres", 2, 1)
    assert listed(pipeline) == ["Ann knows PostgreSQL", "PostgreSQL uses Disk"]
    assert listed(pipeline, subject="postgres") == ["PostgreSQL uses Disk"]


def test_an_untyped_entity_takes_the_type_and_gives_it_back(pipeline: Pipeline) -> None:
    say(pipeline, "Checkout uses Disk", "Check_Out:Service uses Disk")
    before = present(pipeline)

    merged = merge(pipeline, "Checkout", "Check Out", TEST)
    assert (merged.kept.name, merged.kept.type) == ("Checkout", "Service")
    split(pipeline, "Check Out", TEST)

    assert present(pipeline) == before


def test_what_is_said_since_goes_where_its_name_goes(pipeline: Pipeline) -> None:
    say(pipeline, "Ada uses Pen", "Countess uses Ink")
    merge(pipeline, "Ada", "Countess", TEST)
    say(pipeline, "Countess owns House", "Ada owns Engine", "Bob knows Countess")
    say(pipeline, "Ada uses Ink", source="mail")
    assert "Bob knows Ada" in listed(pipeline)

    off = split(pipeline, "countess", TEST)

    assert (off.entity.name, off.kept.name, off.triples) == ("Countess", "Ada", 3)
    assert listed(pipeline, subject="Countess") == ["Countess owns House", "Countess uses Ink"]
    assert listed(pipeline, subject="Ada") == ["Ada owns Engine", "Ada uses Ink", "Ada uses Pen"]
    assert listed(pipeline, subject="Bob") == ["Bob knows Countess"]


def test_mentions_go_and_come_back_and_later_ones_follow_their_name(pipeline: Pipeline) -> None:
    def tell(uri: str, text: str) -> None:
        lite = EXTRACTORS["lite"](15, 20)
        ingest(pipeline, [Document(uri, uri, text)], [lite], TEST, report=IngestReport())

    def mentioned(name: str) -> int:
        with pipeline.store.reading() as tx:
            sql = "SELECT m.chunk_id FROM mention m JOIN entities e ON e.id = m.entity_id WHERE retired_change IS NULL"
            return len(tx.run(f"{sql} AND e.name = $name", {"name": name}).fetchall())

    tell("note:a", "The Mill Service depends on the River Database. The Stream Database is owned by the Sea Team.")
    before = present(pipeline)
    merge(pipeline, "River Database", "Stream Database", TEST)
    assert (mentioned("River Database"), mentioned("Stream Database")) == (2, 0)
    split(pipeline, "Stream Database", TEST)
    assert present(pipeline) == before

    merge(pipeline, "River Database", "Stream Database", TEST)
    tell("note:b", "The Barge Service depends on the Stream Database.")
    assert mentioned("River Database") == 3
    split(pipeline, "Stream Database", TEST)
    assert (mentioned("River Database"), mentioned("Stream Database")) == (1, 2)
    assert listed(pipeline, subject="Barge Service") == ["Barge Service depends_on Stream Database"]


def test_a_document_that_went_meanwhile_does_not_come_back(pipeline: Pipeline) -> None:
    report = IngestReport()
    ingest(pipeline, [Document("note:a", "a", "Ada owns the Engine.")], [], TEST, report=report)
    say(pipeline, "Countess owns Engine", source="note:a", quote="owns the Engine")
    say(pipeline, "Ada uses Pen", "Countess uses Pen")
    merge(pipeline, "Ada", "Countess", TEST)
    ingest(pipeline, [Document("note:a", "a", "Nothing.")], [], TEST, report=IngestReport())

    split(pipeline, "Countess", TEST)

    assert listed(pipeline) == ["Ada uses Pen", "Countess uses Pen"]


def test_merges_in_a_chain_are_split_from_the_end(pipeline: Pipeline) -> None:
    say(pipeline, "Ann knows Zoe", "Anna knows Yan", "Anne knows Xi")
    before = present(pipeline)
    merge(pipeline, "Anna", "Ann", TEST)
    merge(pipeline, "Anne", "Anna", TEST)
    assert listed(pipeline) == ["Anne knows Xi", "Anne knows Yan", "Anne knows Zoe"]

    with pytest.raises(BadInput, match="'Anna', into which 'Ann' was merged, is no longer in force") as refused:
        split(pipeline, "Ann", TEST)
    assert refused.value.hint.startswith("Split 'Anna' first")
    split(pipeline, "Anna", TEST)
    split(pipeline, "Ann", TEST)

    assert present(pipeline) == before


def test_both_sides_of_a_merge_can_be_looked_back_at(pipeline: Pipeline) -> None:
    say(pipeline, "Ada uses Pen", "Countess uses Ink")
    merge(pipeline, "Ada", "Countess", TEST)
    split(pipeline, "Countess", TEST)
    with pipeline.store.reading() as tx:
        moments = [row[0] for row in tx.run("SELECT recorded_at FROM change ORDER BY id").fetchall()]

    seen: list[list[str]] = []
    for moment in moments:
        with pipeline.store.reading(known_at=moment) as tx:
            rows = tx.run(
                "SELECT s.name, o.name FROM triple JOIN entity s ON s.id = subject_id JOIN entity o ON o.id = object_id"
            )
            seen.append(sorted(" ".join(row) for row in rows.fetchall()))
    apart, together = ["Ada Pen", "Countess Ink"], ["Ada Ink", "Ada Pen"]
    assert (seen[0], seen[-2], seen[-1]) == (apart, together, apart)


@pytest.mark.parametrize(
    ("keep", "other", "words"),
    [
        ("Ada", "ADA", "'Ada' and 'ADA' are one entity already, Ada (untyped). Name two entities."),
        ("Ada", "Bobby", "No entity named 'Bobby'"),
        (
            "Mercury",
            "Ada",
            "2 entities bear the name 'Mercury': Mercury (Element), Mercury (Planet). Give the name with",
        ),
        ("Mercury (Deity)", "Ada", "No entity named 'Mercury (Deity)'. Nearest: Mercury (Planet), Mercury (Element)."),
    ],
)
def test_what_cannot_be_merged_says_why_and_changes_nothing(
    pipeline: Pipeline, keep: str, other: str, words: str
) -> None:
    say(pipeline, "Ada uses Pen", "Mercury:Planet orbits Sun", "Mercury:Element melts Ice")
    with pipeline.reading() as tx:
        before = tx.generation

    with pytest.raises(BadInput) as refused:
        merge(pipeline, keep, other, TEST)

    assert str(refused.value).startswith(words)
    with pipeline.reading() as tx:
        assert tx.generation == before


def test_homonyms_are_addressed_by_their_type(pipeline: Pipeline) -> None:
    say(pipeline, "Mercury:Planet orbits Sun", "Mercury:Element melts Ice", "Hg:Element melts Ice")
    before = present(pipeline)

    assert merge(pipeline, "mercury (element)", "Hg", TEST).kept.type == "Element"
    assert listed(pipeline) == ["Mercury melts Ice", "Mercury orbits Sun"]
    split(pipeline, "Hg", TEST)
    merge(pipeline, "Mercury (Planet)", "Mercury (Element)", TEST)
    assert split(pipeline, "Mercury", TEST).entity.type == "Element"

    assert present(pipeline) == before


def test_two_known_to_be_two_things_are_merged_only_for_a_reason(pipeline: Pipeline) -> None:
    say(pipeline, "Ada uses Pen", "Countess uses Ink")
    keep_apart(pipeline, "Countess", "Ada", TEST, reason="two people")
    keep_apart(pipeline, "Ada", "Countess", TEST, reason="said again")
    before = present(pipeline)

    with pytest.raises(
        BadInput, match=r"known to be two things: two people. To merge them all the same, give a reason."
    ):
        merge(pipeline, "Ada", "Countess", TEST)
    merge(pipeline, "Ada", "Countess", TEST, reason="the register says so")
    split(pipeline, "Countess", TEST)

    assert present(pipeline) == before


def test_what_was_never_merged_is_not_split(pipeline: Pipeline) -> None:
    say(pipeline, "Ada uses Pen", "Countess uses Ink")
    with pytest.raises(BadInput, match=r"'Ada' was never merged into another entity\. No merge is in force"):
        split(pipeline, "Ada", TEST)
    with pytest.raises(UnknownName):
        split(pipeline, "Nobody", TEST)
    merge(pipeline, "Ada", "Countess", TEST)
    with pytest.raises(BadInput, match=r"'Ada' was never merged .* 'Ada' has taken in 'Countess': split one of these."):
        split(pipeline, "Ada", TEST)
    split(pipeline, "Countess", TEST)
    with pytest.raises(BadInput, match="'Countess' was never merged"):
        split(pipeline, "Countess", TEST)
    with pytest.raises(BadInput, match="'Ada' and 'ada' are one entity"):
        keep_apart(pipeline, "Ada", "ada", TEST)


NAMES = st.sampled_from(["Ada", "Countess", "Bob", "Cleo"])
TRIPLES = st.lists(
    st.tuples(NAMES, st.sampled_from(["knows", "helps"]), NAMES, st.sampled_from([None, "mail", "news"])), max_size=8
)
ELSE = st.lists(st.tuples(st.sampled_from(["Dan", "Eve"]), st.sampled_from(["Fay", "Gus"])), max_size=3)


@settings(max_examples=15, deadline=None)
@given(triples=TRIPLES, apart=st.booleans(), since=ELSE)
def test_merge_then_split_is_identity(
    tmp_path_factory: pytest.TempPathFactory,
    wordllama: Embedder,
    triples: list[tuple[str, str, str, str | None]],
    apart: bool,  # noqa: FBT001
    since: list[tuple[str, str]],
) -> None:
    settings = Settings(db=tmp_path_factory.mktemp("merge") / "graph.duckdb")
    pipeline = replace(make_pipeline(settings), embedder=wordllama)
    said = [Candidate(each[0], each[1], each[2], source=each[3]) for each in triples]
    first = [Candidate("Ada", "knows", "Zoe", "Person"), Candidate("Countess", "knows", "Zoe")]
    assert_triples(pipeline, [*first, *said], TEST)
    if apart:
        keep_apart(pipeline, "Countess", "Zoe", TEST)
    before = present(pipeline)

    merge(pipeline, "Countess", "Ada", TEST)
    assert present(pipeline) != before
    assert_triples(pipeline, [Candidate(subject, "knows", object_) for subject, object_ in since], TEST)
    split(pipeline, "Ada", TEST)

    unrelated = ("Dan", "Eve", "Fay", "Gus")
    assert [row for row in present(pipeline) if not any(name in row for name in unrelated)] == before
    pipeline.store.close()
