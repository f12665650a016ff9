"""The languages that users add in their own languages.toml, as the page on extraction shows it."""

import re
import sys
from pathlib import Path

import pytest
from cli_runs import run

from mcp_graphrag.errors import BadInput
from mcp_graphrag.source_code.plain_languages import own_languages

PAGE = Path(__file__).parents[2] / "docs" / "source-code.md"
LUA = 'local t = require("tax.lua")\nfunction rate(x) return x end\nfunction M.total(f) f(1); return rate(x) end\n'


def written(folder: Path) -> Path:
    """The files of the page in a folder; the file of languages."""
    folder.mkdir(parents=True, exist_ok=True)
    text = PAGE.read_text("utf-8")
    for kind, name in (("toml\n[lua]", "languages.toml"), ("scheme", "lua.scm")):
        found = re.search(rf"```{re.escape(kind)}\n(.*?)```", text, re.DOTALL)
        assert found is not None
        content = found[0].removeprefix("```").partition("\n")[2].removesuffix("```")
        (folder / name).write_text(content, encoding="utf-8")
    return folder / "languages.toml"


@pytest.mark.skipif(sys.platform != "linux", reason="one variable names the configuration folder there")
@pytest.mark.slow
def test_a_language_of_the_page_is_read_and_one_of_a_project_is_not(tmp_path: Path) -> None:
    variables = {"PYTHONIOENCODING": "utf-8", "XDG_CONFIG_HOME": str(tmp_path / "config")}
    db = ("--db", str(tmp_path / "graph.duckdb"))
    project = tmp_path / "shop"
    written(project / ".mcp-graphrag")
    (project / "shop.lua").write_text(LUA, encoding="utf-8")
    (project / "tax.lua").write_text("function vat() end\n", encoding="utf-8")
    assert run(tmp_path, "ingest", "shop", *db, variables=variables).code == 0
    before = run(tmp_path, "query", "--predicate", "calls", *db, variables=variables)

    own = written(tmp_path / "config" / "mcp-graphrag")
    assert run(tmp_path, "ingest", "shop", *db, variables=variables).code == 0
    found = run(tmp_path, "query", "--predicate", "calls", *db, variables=variables)
    own.write_text("lua = 1", encoding="utf-8")
    refused = run(tmp_path, "ingest", "shop", *db, variables=variables)

    assert "rate" not in before.out
    assert found.out == "total calls rate  shop.lua:3\n"
    assert "The language lua in" in refused.err
    assert refused.code == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("[lua", "is not TOML"),
        ("[lua]\nsuffixes = ['.lua']", "does not have just the keys grammar, query and suffixes. Give each of them."),
        ("[Lua]\nsuffixes = ['.lua']\ngrammar = 'x'\nquery = 'lua.scm'", "has no name of its own in small letters."),
        ("[lua]\nsuffixes = '.lua'\ngrammar = 'x'\nquery = 'lua.scm'", "has no list of suffixes of its own."),
        ("[lua]\nsuffixes = ['.py']\ngrammar = 'x'\nquery = 'lua.scm'", "has no list of suffixes of its own."),
        (
            "[lua]\nsuffixes = ['.lua']\ngrammar = 'no_grammar'\nquery = 'lua.scm'",
            "has a grammar no_grammar that cannot be used",
        ),
        ("[lua]\nsuffixes = ['.lua']\ngrammar = 'json'\nquery = 'lua.scm'", "has a grammar json that cannot be used"),
        ("[lua]\nsuffixes = ['.lua']\ngrammar = 'tree_sitter_lua'\nquery = 'no.scm'", "that cannot be used: [Errno 2]"),
        (
            "[lua]\nsuffixes = ['.lua']\ngrammar = 'tree_sitter_lua'\nquery = 'wrong.scm'",
            "wrong.scm that cannot be used: Invalid node type",
        ),
    ],
)
def test_a_file_of_languages_that_is_wrong_says_why(tmp_path: Path, given: str, said: str) -> None:
    file = written(tmp_path)
    file.write_text(given, encoding="utf-8")
    (tmp_path / "wrong.scm").write_text("(nothing) @class", encoding="utf-8")

    with pytest.raises(BadInput, match=re.escape(said)):
        own_languages(file, {"python"}, {".py"})
