"""Whatever a caller gets wrong is said in a sentence, with what to do next, and changes nothing."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from served import Asked, served

from mcp_graphrag.extract import EXTRACTORS

FACT: dict[str, Any] = {"subject": "Ann", "predicate": "knows", "object": "Bob"}
AGAIN = "Correct the arguments of {} and call it again."
OUTSIDE = "Name a path below {root}, or start the server with another --root DIR."
MANY = [FACT] * 1001


@dataclass(frozen=True)
class Place:
    """A server whose one root holds a plan; beside the root lies a secret."""

    ask: Asked
    root: Path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The place, with its plan ingested."""
    folder = tmp_path_factory.mktemp("place").resolve()
    root = folder / "root"
    root.mkdir()
    (folder / "secret.txt").write_text("The password is swordfish.", encoding="utf-8")
    (root / "plan.md").write_text("# Plan\n\nThe Mill Service depends on the River Database.\n", encoding="utf-8")
    with served(folder / "graph.duckdb", "--root", str(root)) as ask:
        ask("ingest", paths=[str(root / "plan.md")])
        yield Place(ask, root)


def fact(**wrong: Any) -> dict[str, Any]:
    """The arguments of add_triples for two facts, the second one wrong."""
    return {"triples": [FACT, {**FACT, **wrong}]}


def refused(place: Place, tool: str, arguments: dict[str, Any]) -> str:
    """What is said of a call that fails and changes nothing."""
    before = place.ask("brief")["holds"]
    said = place.ask.refused(tool, **arguments)
    assert place.ask("brief")["holds"] == before
    return said


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"query": "x", "limt": 5}, "There is no argument limt. Did you mean limit? "),
    ("search", {"query": "x", "filters": {"docment": "a"}}, "no field filters.docment. Did you mean document? "),
    ("add_triples", fact(objct="x"), "There is no field triples.1.objct. Did you mean object? "),
    (
        "brief",
        {"verbose": True},
        "There is no argument verbose. It takes question, budget, answer, as_of, known_at. ",
    ),
    ("search", {"query": "x", "limit": 10**9}, "limit is 1000000000; the most is 100. "),
    ("get_neighbourhood", {"entity": "Mill Service", "direction": "up"}, "choose one of 'out', 'in' or 'both'. "),
    ("search", {"query": "x", "mode": "fuzzy"}, "'local', 'global' or 'edges'. "),
    ("search", {}, "The argument query is missing. "),
    ("get_source", {"what": ""}, "what is empty. "),
    ("add_triples", {"triples": MANY}, "triples has more than 1000 members. "),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), REFUSED, ids=lambda each: str(each)[:40])
def test_arguments_that_do_not_fit_are_explained(place: Place, tool: str, arguments: dict[str, Any], said: str) -> None:
    assert refused(place, tool, arguments).endswith(said + AGAIN.format(tool))


UNKNOWN: list[tuple[str, dict[str, Any], str]] = [
    (
        "query_triples",
        {"subject": "Mil Servce"},
        "No entity named 'Mil Servce'. Nearest: Mill Service. Call find_entities to look for it.",
    ),
    (
        "query_triples",
        {"predicate": "dependson"},
        "No predicate named 'dependson'. Nearest: depends_on. brief lists the predicates.",
    ),
    (
        "find_entities",
        {"query": "mill", "type": "Servise"},
        "No type named 'Servise'. Nearest: Service. brief lists the types.",
    ),
    (
        "get_source",
        {"what": "nope"},
        "No document, heading or definition named 'nope'. Nearest: plan.md. Give a citation, a path, a title, a ",
    ),
    ("get_neighbourhood", {"entity": "x" * 10_000}, "The name has 10000 characters; the most is 1000."),
    ("get_job", {"job": 99}, "No job named '99'. ingest returns the number of its job."),
    ("query_triples", {"cursor": "rubbish"}, "Invalid cursor. Pass next_cursor unchanged, or leave it out."),
    ("search", {"query": " "}, "The query is empty. Ask a question or give some words."),
    ("search", {"query": "x" * 20_001}, "The query has 20001 characters; the most is 20000. Ask a shorter question."),
    ("find_entities", {"query": "x" * 1001}, "The name has 1001 characters; the most is 1000."),
]


@pytest.mark.parametrize(("tool", "arguments", "said"), UNKNOWN, ids=lambda each: str(each)[:40])
def test_what_is_not_there_is_said_with_the_nearest(
    place: Place, tool: str, arguments: dict[str, Any], said: str
) -> None:
    assert refused(place, tool, arguments).startswith(said)


FACTS: list[tuple[dict[str, Any], str]] = [
    (
        {"valid_from": "2024", "valid_to": "2023"},
        "In triple 2 valid_from (2024-01-01) is not before valid_to (2023-01-01). Swap them; ",
    ),
    ({"valid_from": "soon"}, "valid_from of triple 2 is 'soon', which is no date. Write it as 2024-05-17 or "),
    ({"subject": "a\0b"}, "The subject of triple 2 has control characters. Remove them; "),
    ({"object": "x" * 10_000}, "The object of triple 2 has 10000 characters; the most is 500. Give it a short name "),
    ({"object": " "}, "The object of triple 2 is empty. A triple needs a subject, a predicate and an object."),
    ({"predicate": "!"}, "The predicate of triple 2 has no letter or digit. Name a relation, as in depends_on."),
    ({"confidence": 2}, "The confidence of triple 2 is 2.0. It is a number from 0 to 1."),
]


@pytest.mark.parametrize(("wrong", "said"), FACTS, ids=lambda each: str(each)[:40])
def test_one_wrong_triple_is_named_and_none_is_stored(place: Place, wrong: dict[str, Any], said: str) -> None:
    assert refused(place, "add_triples", fact(**wrong)).startswith(said)


def test_a_quote_that_is_not_in_its_source_is_refused(place: Place) -> None:
    plan = (place.root / "plan.md").as_uri()
    said = refused(place, "add_triples", fact(quote="It depends on luck.", source=plan))
    assert said.startswith(f"The quote of triple 2 is not in {plan}. Copy it from the text that get_source returns")


TEXTS: list[tuple[dict[str, Any], str]] = [
    ({}, "Give either text or paths. Call again with one of them."),
    ({"text": "a", "paths": ["b"]}, "Give either text or paths. Call again with one of them."),
    ({"paths": ["b"], "uri": "c"}, "title and uri belong to a text. Leave them out; a file has its own."),
    ({"text": ""}, "The text contains no readable text. Give it some text, or leave it out."),
    ({"text": "\0 \n\x01"}, "The text contains no readable text. Give it some text, or leave it out."),
    ({"text": "a", "title": "b\nc"}, "The title has control characters. Remove them; it is one line of text."),
    ({"text": "a", "title": "b\u2028c"}, "The title has control characters. Remove them; it is one line of text."),
    ({"text": "a", "title": "b\u2029c"}, "The title has control characters. Remove them; it is one line of text."),
    ({"text": "a", "title": "t" * 10_000}, "The title has 10000 characters; the most is 300. Shorten it."),
    (
        {"text": "a", "extract": "magic"},
        f"No extractor named 'magic'. Choose one of auto, none, {', '.join(EXTRACTORS)}, claude.",
    ),
    (
        {"text": "word " * 10_000_000},
        "The text has 50.0 MB; the most is 10 MB. Split it, or raise the setting max_file_mb.",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), TEXTS, ids=lambda each: str(each)[:40])
def test_a_text_that_cannot_be_ingested_is_refused(place: Place, arguments: dict[str, Any], said: str) -> None:
    assert refused(place, "ingest", arguments) == said


@pytest.mark.parametrize("name", ["../secret.txt", "../root/../secret.txt", "../none.txt", "/none/none.txt", ".."])
def test_a_path_outside_the_roots_is_refused_whether_it_exists_or_not(place: Place, name: str) -> None:
    said = refused(place, "ingest", {"paths": [name]})
    outside = OUTSIDE.format(root=place.root.resolve())
    assert said == f"{place.root / name} is outside the folders that may be read. {outside}"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_out_of_the_roots_is_not_followed(place: Place) -> None:
    link, folder = place.root / "link.txt", place.root / "folder"
    link.symlink_to(place.root.parent / "secret.txt")
    folder.symlink_to(place.root.parent, target_is_directory=True)
    for path in (link, folder / "secret.txt"):
        assert refused(place, "ingest", {"paths": [str(path)]}).startswith(f"{path} is outside the folders")
    walked = place.ask("ingest", paths=[str(place.root)])
    assert [each["what"] for each in walked["skipped"]] == [str(folder), str(link)]
    assert place.ask("search", query="password swordfish", mode="keyword")["hits"] == []


@pytest.mark.parametrize("name", ["none.md", "./none/none.md", "a\0b", "x" * 5000])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_path_that_does_not_exist_is_refused(place: Place, name: str, *, absolute: bool) -> None:
    path = place.root / name
    hint = f"Check the path; relative paths start below {place.root.resolve()}."
    said = refused(place, "ingest", {"paths": [str(path) if absolute else name]})
    assert said == f"{path} does not exist. {hint}"


def test_the_roots_are_shown_and_a_point_is_the_first_of_them_and_nothing_is_not(place: Place) -> None:
    assert place.ask("ingest", paths=["."])["unchanged"] == 1
    assert "is outside the folders" in refused(place, "ingest", {"paths": [""]})
    assert f"ingest reads files below {place.root.resolve()}." in place.ask("brief")["notes"]


FILES: list[tuple[str, bytes, str]] = [
    ("big.txt", b"word " * 10_000_000, "larger than max_file_mb: 50,000,000 bytes, the limit is 10,000,000"),
    ("latin.txt", b"caf\xff au lait", "UTF-8 text: byte 3 (0xff) is invalid"),
    ("none.txt", b"", "empty"),
    ("zeros.txt", b"ab\0cd", "binary"),
]


@pytest.mark.parametrize(("name", "content", "reason"), FILES, ids=lambda each: str(each)[:20])
def test_a_file_that_cannot_be_read_is_refused(place: Place, name: str, content: bytes, reason: str) -> None:
    path = place.root / name
    path.write_bytes(content)
    said = refused(place, "ingest", {"paths": [str(path)]})
    path.unlink()
    assert said.startswith(f"Nothing was ingested: {path} (")
    assert said.endswith(f"{reason}). Name other files, or fix these and ingest them again.")


def test_without_roots_no_file_is_read(tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The Mill Service depends on the River Database.", encoding="utf-8")
    with served(tmp_path / "graph.duckdb") as ask:
        said = "This server reads no files. Start it with --root DIR, or pass the text itself."
        assert ask.refused("ingest", paths=[str(note)]) == said
        assert ask("brief")["holds"]["documents"] == 0
