"""A source is found by whatever a reader has of it, and its lines are those of its document."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/api/auth.py": """\
        import os


        class Session:
            @property
            def user(self):
                return login(1)


        # Says who it is.
        def login(name):
            return os.getenv(name)
        """,
    "shop/web/auth.py": "from shop.api.auth import login\n\n\ndef page():\n    return login(2)\n",
    "docs/guide.md": "# Guide\n\nRead it.\n\n## Setup\n\nRun it.\n\n### On Linux\n\nStart it.\n\n## Use\n\nUse it.\n",
    "docs/faq.md": "# Questions\n\nAsk.\n\n## Setup\n\nNone.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """Two modules, two texts in files and one without."""
    root = tmp_path_factory.mktemp("found").resolve()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(dedent(text), encoding="utf-8")
    with Graph(make_settings(db=root / "graph.duckdb", roots=(str(root),), embedder="wordllama")) as found:
        found.ingest_files([root])
        found.ingest_text(TextInput("First.\nSecond.", "A note", uri="note:1"))
        yield found


NAMES = {
    "shop/web/auth.py": ("shop/web/auth.py", 1, 5),
    "web/auth.py:4-5": ("shop/web/auth.py", 4, 5),
    "./docs\\guide.md:3": ("docs/guide.md", 3, 3),
    "guide.md:13-": ("docs/guide.md", 13, 15),
    "guide": ("docs/guide.md", 1, 15),
    "Guide > Setup": ("docs/guide.md", 5, 11),
    "docs/guide.md > setup": ("docs/guide.md", 5, 11),
    "Setup > On Linux": ("docs/guide.md", 9, 11),
    "on linux": ("docs/guide.md", 9, 11),
    "shop.api.auth.Session.user": ("shop/api/auth.py", 5, 7),
    "auth.Session": ("shop/api/auth.py", 4, 7),
    "auth.login()": ("shop/api/auth.py", 10, 12),
    "shop/api/auth.login": ("shop/api/auth.py", 10, 12),
    "shop.web.auth": ("shop/web/auth.py", 1, 5),
    "a note": ("note:1", 1, 2),
    "note:1:2": ("note:1", 2, 2),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_its_lines(graph: Graph, name: str) -> None:
    found = graph.source(name)
    path, first, last = NAMES[name]
    assert (found.path, found.first_line, found.last_line) == (path, first, last)
    whole = dedent(FILES[path]) if path in FILES else "First.\nSecond."
    assert found.text.rstrip("\n").split("\n") == whole.split("\n")[first - 1 : last]


def test_lines_may_be_given_beside_a_name_and_a_path_may_be_absolute(graph: Graph) -> None:
    uri = (graph.store.path.parent / "docs" / "guide.md").as_uri()
    absolute = str(graph.store.path.parent / "docs" / "guide.md")
    for name in ("on linux", uri, f"{uri}:2", absolute):
        assert graph.source(name, "5-7").text == "## Setup\n\nRun it."


REFUSED = {
    "auth.py": "'auth.py' names 2 places: shop/api/auth.py, shop/web/auth.py. Give one of these.",
    "setup": "'setup' names 2 places: docs/faq.md > Setup, docs/guide.md > Setup. Give one of these.",
    "docs": "docs is a folder of 2 documents. Give outline=true to list them.",
    "web/auth.py:9": "There are no lines 9: the document has 5. The first line is 1.",
    "web/auth.py:3-2": "There are no lines 3-2: the document has 5. The first line is 1.",
    "docs/giude.md": "No document, heading or definition named 'docs/giude.md'. Nearest: docs/guide.md, ",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_one_place_is_said_with_how_to_write_it(graph: Graph, name: str) -> None:
    with pytest.raises(GraphragError) as error:
        graph.source(name)
    assert str(error.value).startswith(REFUSED[name])


OUTLINES = {
    "docs/guide.md": " 1  # Guide\n 5    ## Setup\n 9      ### On Linux\n13    ## Use",
    "Guide > Setup": "5    ## Setup\n9      ### On Linux",
    "api/auth.py": " 4  class Session:\n 6    def user(self):\n11  def login(name):",
    "note:1": "",
    "docs": "docs/faq.md (35 characters)\ndocs/guide.md (79 characters)",
}


@pytest.mark.parametrize("name", OUTLINES)
def test_an_outline_has_headings_definitions_or_documents_with_their_lines(graph: Graph, name: str) -> None:
    assert graph.source(name, outline=True).text == OUTLINES[name]


def test_without_a_root_paths_begin_at_the_folder_that_all_files_share(tmp_path: Path) -> None:
    for name in ("a/one.md", "b/two.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("# Words\n\nAnd more.\n", encoding="utf-8")
    with Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")) as graph:
        graph.ingest_files([tmp_path / "a", tmp_path / "b"])
        assert graph.source("two.md").path == "b/two.md"
        listed = graph.source(".", outline=True).text
        assert listed == "a/one.md (19 characters)\nb/two.md (19 characters)"
