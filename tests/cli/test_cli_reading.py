from pathlib import Path

import pytest
from cli_runs import Cli, Refused, check_refused, ingested, run

from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.settings import SETTINGS
from mcp_graphrag.store.engine.hnsw import extension_state

SURE = confidence_of("verb", 1.0)
TEXT = "# Plan\n\nThe Mill Service depends on the River Database. The River Database is owned by the Büro Team.\n"
CITATION = "note:plan#chunk:0-102@"


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with one document."""
    return ingested(tmp_path_factory.mktemp("reading"), TEXT, "--uri", "note:plan")


def test_search_shows_chunks_with_their_citation(cli: Cli) -> None:
    shown = cli("search", "who", "owns", "the", "river", "--explain").out
    fields = cli("search", "who owns the river", "--mode", "keyword", "--limit", "1", "--json").fields
    quoted = "".join(f"> {line}".rstrip() + "\n" for line in TEXT.strip().splitlines())
    assert shown.startswith(f"note:plan:1-3\n{quoted}")
    assert "keyword #1" in shown
    assert (fields["mode"], [each["text"] for each in fields["hits"]]) == ("keyword", [TEXT])


def test_query_shows_triples_and_pages_by_cursor(cli: Cli) -> None:
    shown = cli("query", "--predicate", "DEPENDS_ON").out.splitlines()
    said = "The Mill Service depends on the River Database."
    assert shown[:1] == [f'Mill Service depends_on River Database (confidence {SURE})  note:plan:3 "{said}"']
    words = ("query", "--limit", "1", "--no-infer", "--json")
    first = cli(*words).fields
    rest = cli(*words, "--cursor", first["next_cursor"]).fields
    assert [each["triples"][0]["predicate"] for each in (first, rest)] == ["depends_on", "owned_by"]
    assert "next_cursor" not in rest


def test_neighbourhood_walks_hop_by_hop(cli: Cli) -> None:
    shown = cli("neighbourhood", "Mill Service", "--direction", "out").out.splitlines()
    assert shown[0] == "Mill Service: 2 of 2 triples"
    assert [line for line in shown if line.startswith("hop")] == ["hop 1:", "hop 2:"]
    words = ("--hops", "1", "--predicate", "owned_by", "--object-type", "team", "--include-source", "--json")
    fields = cli("neighbourhood", "river database", *words).fields
    assert [each["object"] for each in fields["triples"]] == ["Büro Team"]
    assert [each["text"] for each in fields["chunks"]] == [TEXT]


def test_entities_and_source_find_a_name_and_read_a_citation(cli: Cli) -> None:
    assert cli("entities", "mill", "--limit", "1").out.startswith(
        "No entity is named 'mill'; the nearest are listed.\nMill Service (Service): 1 triple, 1 mention"
    )
    databases = cli("entities", "--type", "database", "--json").fields["entities"]
    assert [each["name"] for each in databases] == ["River Database"]
    citation = cli("query", "--json").fields["evidence"][0]["source"]
    assert cli("source", citation).out.startswith("### note:plan:1-3 (Plan)\n1  # Plan\n2\n3  ")
    assert cli("source", citation, "--json").fields["span"] == [0, 102]


def test_brief_shows_how_triples_are_distributed(cli: Cli) -> None:
    fields = cli("brief", "--json").fields["holds"]
    assert fields["predicates"] == {"depends_on": 1, "owned_by": 1}
    assert fields["types"].items() >= {"Database": 1, "Service": 1, "Team": 1}.items()
    assert fields["extractors"] == {"lite": 2}
    assert "predicates: depends_on 1, owned_by 1" in cli("brief").out.splitlines()


def test_status_shows_the_file_and_every_setting_with_its_origin(cli: Cli) -> None:
    given = {"MCP_GRAPHRAG_EMBED_KEY": "hush", "MCP_GRAPHRAG_THREADS": "3"}
    fields = cli("status", "--rrf-k", "7", "--json", variables=given).fields
    settings = fields.pop("settings")
    size, entities = fields.pop("megabytes"), fields.pop("entities")
    assert size > 0
    assert entities >= 3
    assert fields == {
        "exists": True,
        "path": str(cli.db),
        "home": "file",
        "documents": 1,
        "chunks": 1,
        "triples": 2,
        "values": 0,
        "chunks_awaiting_extraction": 0,
        "chunks_awaiting_agent": 1,
        "awaiting_embedding": 0,
        "chunk_edges": {},
        "orphaned_entities": 0,
        "embedder": "wordllama",
        "chunk_vectors": {"count": 1, "kind": "matrix", "note": ""},
        "model_vectors": {"count": 0, "kind": "sql", "note": ""},
        "entity_vectors": {"count": entities, "kind": "matrix", "note": ""},
        "extensions": {"vss": extension_state()},
        "generation": fields["generation"],
        "quarantined_logs": [],
        "jobs": ["1 ingest done 1/1"],
    }
    assert list(settings) == [each.name for each in SETTINGS]
    assert settings["rrf_k"] == {"value": 7, "origin": "flag"}
    assert settings["threads"] == {"value": 3, "origin": "environment"}
    assert settings["embed_key"] == {"value": "set", "origin": "environment"}
    assert settings["embedder"] == {"value": "wordllama", "origin": "environment"}
    assert settings["embed_url"] == {"value": "", "origin": "default"}


def test_status_works_before_there_is_a_file_and_makes_none(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    shown = cli("status").out.splitlines()
    assert shown[:3] == [f"path: {cli.db}", "exists: False", "settings:"]
    assert cli("status", "--json").fields["exists"] is False
    assert not cli.db.exists()


def test_the_default_file_is_printed_by_status(tmp_path: Path) -> None:
    (tmp_path / "no.toml").touch()
    home = dict.fromkeys(("HOME", "XDG_DATA_HOME", "LOCALAPPDATA"), str(tmp_path))
    # A process of its own: the default is found when the package is loaded.
    variables = {"PYTHONIOENCODING": "utf-8", **home}
    fields = run(tmp_path, "status", "--config", "no.toml", "--json", variables=variables).fields
    assert Path(fields["path"]).is_absolute()
    assert fields["settings"]["db"] == {"value": fields["path"], "origin": "default"}


@pytest.mark.parametrize("command", ["search x", "clear --force", "reindex"])
def test_without_a_file_it_is_said_and_none_is_made(command: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    ran = cli(*command.split())
    assert ran.code == 4
    assert ran.error == f"error: There is no file {cli.db}. Ingest something first, or name another with --db."
    assert not cli.db.exists()


UNKNOWN: list[Refused] = [
    (
        ("query", "--subject", "Mil Servce"),
        b"",
        3,
        "error: No entity named 'Mil Servce'. Nearest: Mill Service. Call `mcp-graphrag entities` to look for it.",
    ),
    (
        ("neighbourhood", "Mill Service", "--predicate", "dependson"),
        b"",
        3,
        "error: No predicate named 'dependson'. Nearest: depends_on. `mcp-graphrag brief` lists the predicates.",
    ),
    (("search", "x", "--limit", "1000"), b"", 2, "Invalid value for '--limit': 1000 is not in the range 1<=x<=100."),
    (("query", "--cursor", "x"), b"", 2, "error: Invalid cursor. Pass next_cursor unchanged, or leave it out."),
    (("search", "x", "--threads", "many"), b"", 2, "The setting threads (flag) is 'many', which is not of type int."),
]


def test_what_is_wrong_goes_to_stderr_with_its_exit_code(cli: Cli) -> None:
    check_refused(cli, UNKNOWN)


def test_a_file_of_another_kind_is_left_alone_with_exit_code_4(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    cli.db.write_text("nothing that DuckDB knows", encoding="utf-8")
    ran = cli("brief")
    assert (ran.code, ran.error) == (4, f"error: {cli.db} is not a DuckDB file. Name another file with --db.")
    assert cli.db.read_text(encoding="utf-8") == "nothing that DuckDB knows"


@pytest.mark.parametrize("encoding", [{"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONIOENCODING": ""}])
@pytest.mark.slow
def test_any_encoding_of_the_output_is_good_enough(cli: Cli, encoding: dict[str, str]) -> None:
    ran = cli("brief", variables=encoding)
    assert (ran.code, ran.err) == (0, "")
    (hit,) = cli("search", "river", "--json", variables=encoding).fields["hits"]
    assert hit["text"] == TEXT
