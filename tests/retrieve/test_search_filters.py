from collections.abc import Callable
from datetime import datetime

import pytest
from retrieve_stories import TEST, ask, found, read, relate
from told_once import Story

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.communities import build_communities
from mcp_graphrag.retrieve.search import MODES
from mcp_graphrag.store.documents import ChunkFilter

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
def library(after: Callable[[Story], Pipeline]) -> Pipeline:
    return after(fill)


def fill(pipeline: Pipeline) -> None:
    """Three documents on one thing, told apart by what is said about them."""
    read(pipeline, "memory://1", "One cache.", title="ΟΔΟΣ", source="wiki", **ODD)
    read(pipeline, "memory://2", "Two caches.", title="İstanbul", source="Wiki", team="core", n=33, tags="a")
    read(pipeline, "memory://3", "Three caches.", title='It\'s 100% "new"', source="blog", team="Core")


def _only(library: Pipeline, allowed: ChunkFilter, mode: str = "hybrid") -> list[str]:
    return sorted(uri.removeprefix("memory://") for uri in found(ask(library, "cache", allowed=allowed, mode=mode)))


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_keeps_to_the_filter(library: Pipeline, mode: str) -> None:
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
def test_a_document_is_named_by_uri_or_by_title_in_any_case(library: Pipeline, name: str, document: str) -> None:
    assert _only(library, ChunkFilter(documents=[name])) == [document]


def test_a_source_is_named_in_any_case(library: Pipeline) -> None:
    assert _only(library, ChunkFilter(sources=["WIKI"])) == ["1", "2"]
    assert _only(library, ChunkFilter(sources=["wiki", "blog"], documents=["memory://3"])) == ["3"]


def test_a_media_type_is_compared_whole(library: Pipeline) -> None:
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
def test_metadata_is_compared_by_value_or_member_whatever_signs_it_has(library: Pipeline, key: str, value: str) -> None:
    assert _only(library, ChunkFilter(metadata={key: value})) == ["1"]


def test_every_pair_of_metadata_must_hold(library: Pipeline) -> None:
    assert _only(library, ChunkFilter(metadata={"team": "core"})) == ["1", "2"]
    assert _only(library, ChunkFilter(metadata={"team": "core", "tags": "a"})) == ["1", "2"]
    assert _only(library, ChunkFilter(metadata={"team": "core", "n": "33"})) == ["2"]
    assert _only(library, ChunkFilter(metadata={"team": "core"}, sources=["blog"])) == []


@pytest.mark.parametrize(
    ("allowed", "said"),
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
def test_a_filter_by_what_no_document_has_says_so_and_names_what_there_is(
    library: Pipeline, allowed: ChunkFilter, said: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        ask(library, "cache", allowed=allowed)
    assert str(caught.value).startswith(said)


def test_a_time_of_which_there_is_no_document_says_which_times_there_are(library: Pipeline) -> None:
    read(library, "memory://4", "Four caches.", date="2021-05-01")
    year = [datetime(each, 1, 1) for each in range(2020, 2024)]  # noqa: DTZ001  (naive UTC, as everywhere)

    (note,) = ask(library, "cache", allowed=ChunkFilter(since=year[2], until=year[3])).notes

    wanted = "No document is of the time since 2022-01-01 until 2023-01-01. The oldest is of 2021-05-01, the newest"
    assert note.startswith(wanted)
    assert _only(library, ChunkFilter(until=year[2])) == ["4"]
    for since, until in ((year[3], year[2]), (year[2], year[2])):
        with pytest.raises(BadInput, match=r"since \(202\d-01-01\) is not before until \(2022-01-01\)"):
            ask(library, "cache", allowed=ChunkFilter(since=since, until=until))


def test_filters_that_fit_no_passage_only_together_say_that(library: Pipeline) -> None:
    relate(library, "Redis is_a Cache", types={"Cache": "Idea"})

    together = ask(library, "cache", allowed=ChunkFilter(sources=["blog"], metadata={"team": "core"}))
    unmentioned, unstated = ask(library, "cache", entity_type="idea"), ask(library, "cache", predicate="is_a")

    assert together.notes == ["Each filter lets some passages through, but none fits all of them: leave one out."]
    assert unmentioned.notes == ["No passage mentions an entity of the type 'idea'. Types are Idea."]
    assert unstated.notes == ["No passage states a fact with 'is_a'; query_triples lists those without one."]
    assert not any(answer.hits for answer in (together, unmentioned, unstated))


def test_a_filter_on_an_empty_graph_says_that_it_is_empty(pipeline: Pipeline) -> None:
    answer = ask(pipeline, "cache", allowed=ChunkFilter(documents=["memory://1"]))

    assert (list(answer.hits), answer.notes) == ([], ["No text is stored yet: ingest some first."])


@pytest.mark.parametrize("mode", ["graph", "multi", "local"])
def test_facts_keep_to_the_filter_and_are_cited_from_what_it_lets_through(pipeline: Pipeline, mode: str) -> None:
    quotes = {"memory://a": "The mill has a sluice and a barge.", "memory://b": "The mill has a sluice and a weir."}
    for uri, text in quotes.items():
        read(pipeline, uri, text)
        relate(pipeline, "Tide_Mill depends_on Sluice", source=uri, quote="a sluice", confidence=len(uri) / 20)
    relate(pipeline, "Tide_Mill depends_on Barge", source="memory://a", quote="a barge")
    relate(pipeline, "Tide_Mill depends_on Weir", source="memory://b", quote="a weir")
    relate(pipeline, "Tide_Mill depends_on Hearsay")

    def told(*uris: str) -> dict[str, set[str]]:
        facts = ask(pipeline, "Tide Mill", mode=mode, allowed=ChunkFilter(documents=uris)).expanded
        return {each.entity: {piece.citation.split("#")[0] for piece in each.triple.evidence} for each in facts}

    assert told("memory://b") == {"Sluice": {"memory://b"}, "Weir": {"memory://b"}}
    assert set(told()) == {"Sluice", "Barge", "Weir", "Hearsay"}


def test_mode_global_says_that_its_communities_are_of_the_whole_graph(pipeline: Pipeline) -> None:
    read(pipeline, "memory://a", "The mill has a sluice.")
    relate(pipeline, "Mill has_part Sluice", "Sluice has_part Gate", source="memory://a", quote="a sluice")
    build_communities(pipeline, TEST)
    said = "The filters hold for passages; communities are of the whole graph."

    assert said in ask(pipeline, "mill", mode="global", allowed=ChunkFilter(documents=["memory://a"])).notes
    assert said not in ask(pipeline, "mill", mode="global").notes
