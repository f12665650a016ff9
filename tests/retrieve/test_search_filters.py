from collections.abc import Callable

import pytest
from retrieve_stories import ask, found, read
from told_once import Story

from mcp_graphrag.pipeline import Pipeline
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
    assert _only(library, ChunkFilter(media_types=["text"])) == []


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
    "allowed",
    [
        ChunkFilter(documents=["memory://9"]),
        ChunkFilter(sources=["%"]),
        ChunkFilter(metadata={"team": "cor"}),
        ChunkFilter(metadata={"unknown": ""}),
        ChunkFilter(metadata={"none": "null"}),
        ChunkFilter(metadata={"tags": '["a","b"]'}),
        ChunkFilter(metadata={"tags/0": "a"}),
        ChunkFilter(documents=["\udcff"], metadata={"\udcff": "\udcff"}),
    ],
)
def test_a_filter_that_excludes_everything_answers_nothing_and_says_so(library: Pipeline, allowed: ChunkFilter) -> None:
    answer = ask(library, "cache", allowed=allowed)

    assert list(answer.hits) == []
    assert answer.notes == ["The filters exclude every chunk; see describe_graph for what there is."]
