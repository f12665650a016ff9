"""Imports of a name that are not resolved: counted when they are read, and named where they may be missing."""

from pathlib import Path

import pytest
from code_helpers import write_files

from mcp_graphrag.graph import Graph

FILES = {
    "package.json": "{}",
    "tsconfig.json": '{"compilerOptions": {"paths": {"@cards/*": ["src/*"]}}}',
    "src/deck.tsx": "export function deal() {}\nexport function Deck() { return null }\n",
    "src/game.ts": 'import { deal } from "./deck";\nexport function play() { deal(); deal(); }\n',
    "src/any.tsx": "export function any(deck: any) { deck.deal(); return <Deck />; }\n",
    "src/more.ts": 'import { deal } from "./lost";\n',
    "src/lost.ts": """
        import { deal, cut } from "@cards/gone";
        import "./gone";
        import "./deck.css";
        import { deal as x } from "left";
        """,
}


@pytest.fixture
def game(graph: Graph, tmp_path: Path) -> Graph:
    """A graph of a small project, of which the module `gone` is missing."""
    write_files(tmp_path / "game", FILES)
    graph.ingest_files([tmp_path / "game"])
    return graph


def test_imports_of_files_that_are_not_known_are_counted(tmp_path: Path, game: Graph) -> None:
    (tmp_path / "game" / "src" / "lost.ts").write_text(FILES["src/lost.ts"] + "deal();\n", encoding="utf-8")

    report = game.ingest_files([tmp_path / "game"])

    assert report.dropped["imports of files of the repository that are not known"] == 2


def test_an_impact_tells_what_may_be_missing_from_it(game: Graph) -> None:
    impact = game.trace_impact("deal")

    assert [each.entity.name for each in impact.affected] == ["src/game", "src/game.play"]
    assert list(impact.hidden) == [
        "Uses of that name that are not resolved and may mean it: src/any.tsx:1.",
        "Imports of that name that are not resolved, 1: src/lost.ts:2.",
    ]


def test_an_import_that_means_another_definition_of_the_name_is_resolved(graph: Graph, tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[project]\n",
        "shop/base.py": "class Till:\n    pass\n",
        "shop/web/__init__.py": "from shop.base import Till as Base\n\n\nclass Till(Base):\n    pass\n",
        "shop/web/page.py": "from . import Till\n",
    }
    write_files(tmp_path, files)
    graph.ingest_files([tmp_path])
    assert [each.entity.name for each in graph.trace_impact("base.Till").affected]
    assert not graph.trace_impact("base.Till").hidden
