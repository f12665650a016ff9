import os
from pathlib import Path

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import open_graph
from mcp_graphrag.settings import SETTINGS, load_settings

NAMES = {each.name: each for each in SETTINGS}


@pytest.fixture(autouse=True)
def _no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder that is part of no project."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """An empty settings file: without one the user's own would be read."""
    path = tmp_path / "config.toml"
    path.touch()
    return path


def test_a_flag_goes_before_the_environment_before_the_file_before_the_default(config: Path) -> None:
    config.write_text("rrf_k = 10\nthreads = 3\nchunk_target = 100\n", encoding="utf-8")
    environ = {"MCP_GRAPHRAG_RRF_K": "20", "MCP_GRAPHRAG_THREADS": "4"}

    settings = load_settings({"rrf_k": 30}, environ, config)

    assert (settings.rrf_k, settings.threads, settings.chunk_target, settings.max_chunk_tokens) == (30, 4, 100, 400)
    origins = {name: each["origin"] for name, each in settings.shown().items()}
    assert {name: origins[name] for name in ("rrf_k", "threads", "chunk_target", "max_chunk_tokens")} == {
        "rrf_k": "flag",
        "threads": "environment",
        "chunk_target": f"file {config}",
        "max_chunk_tokens": "default",
    }


def test_an_empty_variable_counts_as_not_set(config: Path) -> None:
    settings = load_settings({}, {each.variable: "" for each in SETTINGS}, config)

    assert {each["origin"] for each in settings.shown().values()} == {"default"}


def test_a_flag_that_was_not_given_counts_as_not_set(config: Path) -> None:
    environ = {"MCP_GRAPHRAG_RRF_K": "20", "MCP_GRAPHRAG_ROOTS": "docs"}

    settings = load_settings({"roots": (), "rrf_k": None}, environ, config)

    assert (settings.rrf_k, settings.roots) == (20, ("docs",))


def test_an_unknown_key_in_the_file_is_named_with_the_known_ones(config: Path) -> None:
    config.write_text("rrf_k = 10\nembeder = 'minilm'\n", encoding="utf-8")

    with pytest.raises(BadInput, match="embeder") as caught:
        load_settings({}, {}, config)

    assert "embedder" in caught.value.hint


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("rrf_k = ", "not TOML"),
        ("\ufeff\x00", "not TOML"),
        ("rrf_k = 'many'", "rrf_k"),
        ("toolsets = ['all']", "toolsets"),
    ],
)
def test_a_file_that_says_nothing_usable_is_refused(config: Path, content: str, says: str) -> None:
    config.write_text(content, encoding="utf-8")

    with pytest.raises(BadInput, match=says):
        load_settings({}, {}, config)


def test_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_settings({}, {}, tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("name", "value", "limits"),
    [
        ("rrf_k", "0", "from 1 to 1000"),
        ("rrf_k", "1001", "from 1 to 1000"),
        ("answer_tokens", "499", "from 500 to 20000"),
        ("max_matrix_vectors", "-1", "at least 0"),
        ("max_file_mb", "0", "at least 0.001"),
        ("job_after", "41", "from 0 to 40"),
        ("embedder", "word2vec", "auto, wordllama, minilm, e5, openai"),
        ("log_level", "LOUD", "DEBUG, INFO, WARNING, ERROR"),
    ],
)
def test_a_value_out_of_its_limits_is_refused_with_the_limits(config: Path, name: str, value: str, limits: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_settings({}, {NAMES[name].variable: value}, config)

    assert f"The setting {name} (environment) is" in caught.value.fact
    assert limits in caught.value.hint


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("rrf_k", "2.5"),
        ("rrf_k", "true"),
        ("rrf_k", "inf"),
        ("threads", "nan"),
        ("max_file_mb", "nan"),
        ("max_file_mb", "inf"),
        ("max_file_mb", "[1]"),
        ("read_only", "'perhaps'"),
        ("embed_model", "['a', 'b']"),
        ("db", "7"),
        ("roots", "7"),
    ],
)
def test_a_value_of_another_kind_is_refused_by_name(config: Path, name: str, written: str) -> None:
    config.write_text(f"{name} = {written}\n", encoding="utf-8")

    with pytest.raises(BadInput, match=f"The setting {name} \\(file "):
        load_settings({}, {}, config)


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("read_only", "yes", True),
        ("read_only", "OFF", False),
        ("max_file_mb", "2.5", 2.5),
        ("threads", "3", 3),
        ("roots", os.pathsep.join(["a", "b c"]), ("a", "b c")),
        ("db", "some/graph.duckdb", Path("some/graph.duckdb")),
    ],
)
def test_words_of_the_environment_become_values(config: Path, name: str, written: str, value: object) -> None:
    assert getattr(load_settings({}, {NAMES[name].variable: written}, config), name) == value


def test_a_path_may_start_with_the_home_folder(config: Path) -> None:
    assert load_settings({"db": "~/graph.duckdb"}, {}, config).db == Path.home() / "graph.duckdb"


@pytest.mark.parametrize("address", ["s3://bucket/x", "http://example.com/x.duckdb", "md:foo", "file:///tmp/x"])
def test_an_address_is_no_file(config: Path, address: str) -> None:
    with pytest.raises(BadInput, match=f"^'{address}' is an address: a graph is a file .* Name a file"):
        load_settings({"db": address}, {}, config)
    with pytest.raises(BadInput, match="is an address"):
        open_graph(Path(address))


@pytest.mark.parametrize("path", ["C:\\x.duckdb", "c:x.duckdb", "/data/md:foo", "./md:foo", "notes/a:b.duckdb"])
def test_a_drive_or_a_colon_in_a_name_is_part_of_a_path(config: Path, path: str) -> None:
    assert load_settings({"db": path}, {}, config).db == Path(path)


def test_a_chunk_may_not_be_split_below_its_target(config: Path) -> None:
    with pytest.raises(BadInput, match="max_chunk_tokens is below chunk_target"):
        load_settings({"chunk_target": 300, "max_chunk_tokens": 200}, {}, config)


def test_a_secret_is_shown_only_as_set(config: Path) -> None:
    settings = load_settings({}, {"MCP_GRAPHRAG_EMBED_KEY": "sk-secret"}, config)

    assert settings.shown()["embed_key"] == {"value": "set", "origin": "environment"}
    assert "sk-secret" not in f"{settings.shown()} {settings!r}"


def test_every_setting_has_one_line_of_description_and_names_of_its_own() -> None:
    for each in SETTINGS:
        assert each.about.strip(), each.name
        assert "\n" not in each.about
        assert len(each.about) <= 100
    assert len({each.flag for each in SETTINGS}) == len({each.variable for each in SETTINGS}) == len(SETTINGS)
    assert (NAMES["roots"].flag, NAMES["embed_url"].flag) == ("--root", "--embed-url")
    assert NAMES["embed_url"].variable == "MCP_GRAPHRAG_EMBED_URL"


def test_every_default_is_within_its_own_limits() -> None:
    assert {each.name: each.parse(each.default, "default") for each in SETTINGS} == {
        each.name: each.default for each in SETTINGS
    }


def test_the_key_that_other_programs_use_for_claude_counts_where_ours_is_not_set(config: Path) -> None:
    environ = {"ANTHROPIC_API_KEY": "theirs", "ANTHROPIC_BASE_URL": "http://gate"}
    settings = load_settings({}, environ, config)

    assert (settings.claude_key, settings.claude_url) == ("theirs", "http://gate")
    assert settings.shown()["claude_key"] == {"value": "set", "origin": "environment ANTHROPIC_API_KEY"}
    config.write_text('claude_key = "ours"\n', encoding="utf-8")
    assert load_settings({}, environ, config).claude_key == "ours"
    assert load_settings({}, {**environ, "MCP_GRAPHRAG_CLAUDE_KEY": "mine"}, config).claude_key == "mine"
