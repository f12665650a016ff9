from collections.abc import Callable
from datetime import datetime

import pytest
from cached_files import Setup
from search_helpers import ask, hit_uris, ingest_text, relate

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.search.query import MODES
from mcp_graphrag.store.rows.document_rows import ChunkFilter

ODD = {
    "team": "core",
    "n": 3,
    "share": 1.5,
    "draft": True,
    "tags": ["a", "b'c", 7, "ü"],
    'quo"ted': "'; DROP TABLE document; --",
    "dotted.key": '"x"',
    "back\\slash": "a\\b",
    "*": "star",
    "$": "dollar",
    "a/b~c": "pointer",
    "": "no name",
    "größe": "groß",
    "none": None,
}


@pytest.fixture
def library(after: Callable[[Setup], Graph]) -> Graph:
    return after(fill)


def fill(graph: Graph) -> None:
    """Three documents on one thing, told apart by what is said about them."""
    ingest_text(graph, "memory://1", "One cache.", title="ΟΔΟΣ", source="wiki", **ODD)
    ingest_text(graph, "memory://2", "Two caches.", title="İstanbul", source="Wiki", team="core", n=33, tags="a")
    ingest_text(graph, "memory://3", "Three caches.", title='It\'s 100% "new"', source="blog", team="Core")


def _only(library: Graph, allowed: ChunkFilter, mode: str = "hybrid") -> list[str]:
    return sorted(uri.removeprefix("memory://") for uri in hit_uris(ask(library, "cache", allowed=allowed, mode=mode)))


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_keeps_to_the_filter(library: Graph, mode: str) -> None:
    assert _only(library, ChunkFilter(documents=["memory://2", "memory://3"]), mode) == ["2", "3"]
    assert _only(library, ChunkFilter(), mode) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("memory://1", "1"),
        ("ΟΔΟΣ", "1"),
        ("İstanbul", "2"),
        ("İSTANBUL", "2"),
        ('it\'s 100% "NEW"', "3"),
    ],
)
def test_a_document_is_named_by_uri_or_by_title_in_any_case(library: Graph, name: str, document: str) -> None:
    assert _only(library, ChunkFilter(documents=[name])) == [document]


def test_a_source_is_named_in_any_case(library: Graph) -> None:
    assert _only(library, ChunkFilter(sources=["WIKI"])) == ["1", "2"]
    assert _only(library, ChunkFilter(sources=["wiki", "blog"], documents=["memory://3"])) == ["3"]


def test_a_media_type_is_compared_whole(library: Graph) -> None:
    assert _only(library, ChunkFilter(media_types=["text/plain"])) == ["1", "2", "3"]
    assert _only(library, ChunkFilter(media_types=["text", "text/plain"])) == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("n", "3"),
        ("share", "1.5"),
        ("draft", "true"),
        ("tags", "b'c"),
        ("tags", "7"),
        ("tags", "ü"),
        *((key, value) for key, value in ODD.items() if isinstance(value, str) and key != "team"),
    ],
)
def test_metadata_is_compared_by_value_or_list_member_with_any_characters(library: Graph, key: str, value: str) -> None:
    assert _only(library, ChunkFilter(metadata={key: value})) == ["1"]


def test_all_pairs_of_metadata_must_match(library: Graph) -> None:
    assert _only(library, ChunkFilter(metadata={"team": "core"})) == ["1", "2"]
    assert _only(library, ChunkFilter(metadata={"team": "core", "tags": "a"})) == ["1", "2"]
    assert _only(library, ChunkFilter(metadata={"team": "core", "n": "33"})) == ["2"]
    assert _only(library, ChunkFilter(metadata={"team": "core"}, sources=["blog"])) == []


def test_keys_of_metadata_are_named_in_any_case(library: Graph) -> None:
    ingest_text(library, "memory://4", "Four caches.", Team="core")

    assert _only(library, ChunkFilter(metadata={"TEAM": "core"})) == ["1", "2", "4"]
    with pytest.raises(UnknownName, match=r"No metadata value of 'Team' named 'cor'\. Nearest: Core, core"):
        ask(library, "cache", allowed=ChunkFilter(metadata={"Team": "cor"}))


@pytest.mark.parametrize(
    ("allowed", "note"),
    [
        (ChunkFilter(["memory://9"]), "No document named 'memory://9'. Nearest: memory://1, memory://2, memory://3."),
        (ChunkFilter(documents=["istanbull"]), "No document named 'istanbull'. Nearest: İstanbul, "),
        (ChunkFilter(sources=["%", "wik"]), "No source named '%'. Nearest: Wiki, blog, wiki. Give the whole source."),
        (ChunkFilter(media_types=["text"]), "No media type named 'text'. Nearest: text/plain."),
        (ChunkFilter(metadata={"team": "cor"}), "No metadata value of 'team' named 'cor'. Nearest: Core, core."),
        (ChunkFilter(metadata={"tems": ""}), "No metadata key named 'tems'. Nearest: team, "),
        (ChunkFilter(metadata={"tags/0": "a"}), "No metadata key named 'tags/0'. Nearest: tags, "),
        (ChunkFilter(metadata={"none": "null"}), "No metadata value of 'none' named 'null'."),
        (ChunkFilter(metadata={"team": "core", "tags": '["a","b"]'}), "No metadata value of 'tags' named '[\"a"),
        (ChunkFilter(documents=["\udcff"], metadata={"\udcff": "\udcff"}), "No document named '"),
    ],
)
def test_a_filter_that_matches_no_document_raises_with_the_nearest_names(
    library: Graph, allowed: ChunkFilter, note: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        ask(library, "cache", allowed=allowed)
    assert str(caught.value).startswith(note)


def test_a_period_without_documents_is_explained_by_the_oldest_and_newest_dates(library: Graph) -> None:
    ingest_text(library, "memory://4", "Four caches.", date="2021-05-01")
    year = [datetime(year_, 1, 1) for year_ in range(2020, 2024)]  # noqa: DTZ001  (naive UTC, as everywhere)

    (note,) = ask(library, "cache", allowed=ChunkFilter(since=year[2], until=year[3])).notes

    wanted = "No document is dated since 2022-01-01 until 2023-01-01. The oldest is dated 2021-05-01, the newest"
    assert note.startswith(wanted)
    assert _only(library, ChunkFilter(until=year[2])) == ["4"]
    for since, until in ((year[3], year[2]), (year[2], year[2])):
        with pytest.raises(BadInput, match=r"since \(202\d-01-01\) is not before until \(2022-01-01\)"):
            ask(library, "cache", allowed=ChunkFilter(since=since, until=until))


@pytest.mark.parametrize(
    "metadata",
    [
        {"updated": "2021-05-01"},
        {"publishDate": "2021-05-01T08:00:00"},
        {"Last-Modified": "2021-05-01", "created": "2018-01-01"},
        {"date": "2018-01-01", "lastmod": "2021-05-01"},
    ],
)
def test_a_document_is_of_the_latest_date_in_its_front_matter(library: Graph, metadata: dict[str, str]) -> None:
    ingest_text(library, "memory://4", "Four caches.", **metadata)
    first, end = (datetime(year, 1, 1) for year in (2021, 2022))  # noqa: DTZ001  (naive UTC, as everywhere)
    assert _only(library, ChunkFilter(since=first, until=end)) == ["4"]


def test_filters_that_match_no_chunk_together_are_explained(library: Graph) -> None:
    relate(library, "Redis is_a Cache", types={"Cache": "Idea"})

    together = ask(library, "cache", allowed=ChunkFilter(sources=["blog"], metadata={"team": "core"}))
    unmentioned, unstated = ask(library, "cache", entity_type="idea"), ask(library, "cache", predicate="is_a")

    assert together.notes == ["Each filter alone matches some chunks, but no chunk matches all of them. Leave one out."]
    assert unmentioned.notes == ["No chunk mentions an entity of type 'idea'. Types are Idea."]
    assert unstated.notes == ["No chunk states a triple with 'is_a'. `query_triples` lists triples without a chunk."]
    assert not any(answer.hits for answer in (together, unmentioned, unstated))


def test_eight_types_are_named_where_none_of_the_wanted_one_is_mentioned(library: Graph) -> None:
    kinds = {f"Thing{number}": f"Kind{number}" for number in range(9)}
    relate(library, *(f"{name} uses Redis" for name in kinds), types=kinds)

    (note,) = ask(library, "cache", entity_type="Kind0").notes

    assert note.count("Kind") == 1 + 8


def test_a_filter_on_an_empty_graph_has_a_note_that_nothing_is_stored(graph: Graph) -> None:
    answer = ask(graph, "cache", allowed=ChunkFilter(documents=["memory://1"]))

    assert (list(answer.hits), answer.notes) == ([], ["No text is stored yet. Ingest a document first."])


@pytest.mark.parametrize("mode", ["graph", "multi", "local"])
def test_triples_obey_the_filter_and_cite_allowed_chunks_only(graph: Graph, mode: str) -> None:
    quotes = {"memory://a": "The mill has a sluice and a barge.", "memory://b": "The mill has a sluice and a weir."}
    for uri, text in quotes.items():
        ingest_text(graph, uri, text)
        relate(graph, "Tide_Mill depends_on Sluice", source=uri, quote="a sluice", confidence=len(uri) / 20)
    relate(graph, "Tide_Mill depends_on Barge", source="memory://a", quote="a barge")
    relate(graph, "Tide_Mill depends_on Weir", source="memory://b", quote="a weir")
    relate(graph, "Tide_Mill depends_on Hearsay")

    def entities_by_uris(*uris: str) -> dict[str, set[str]]:
        facts = ask(graph, "Tide Mill", mode=mode, allowed=ChunkFilter(documents=uris)).expanded
        return {triple.entity: {piece.citation.split("#")[0] for piece in triple.triple.evidence} for triple in facts}

    assert entities_by_uris("memory://b") == {"Sluice": {"memory://b"}, "Weir": {"memory://b"}}
    assert set(entities_by_uris()) == {"Sluice", "Barge", "Weir", "Hearsay"}


def test_mode_global_notes_that_filters_do_not_apply_to_communities(graph: Graph) -> None:
    ingest_text(graph, "memory://a", "The mill has a sluice.")
    relate(graph, "Mill has_part Sluice", "Sluice has_part Gate", source="memory://a", quote="a sluice")
    graph.build_communities()
    note = "The filters apply to chunks; communities are of the whole graph."

    assert note in ask(graph, "mill", mode="global", allowed=ChunkFilter(documents=["memory://a"])).notes
    assert note not in ask(graph, "mill", mode="global").notes
