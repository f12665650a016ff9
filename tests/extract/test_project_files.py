"""Direct dependencies from the files of projects."""

import json
from pathlib import Path

import pytest
from store_helpers import query

from mcp_graphrag.graph import Graph

FOUND = """
SELECT s.name, o.name, e.quote, coalesce(t.properties, '{}') FROM triple t JOIN entity s ON s.id = t.subject_id
JOIN entity o ON o.id = t.object_id JOIN predicate p ON p.id = t.predicate_id JOIN evidence e ON e.triple_id = t.id
WHERE p.name = 'depends_on' AND e.extractor = 'code' ORDER BY t.id
"""
PYPROJECT = """\
[project]
name = "mill"
keywords = ["pytest"]
dependencies = [
  "httpx>=0.27,<1",
  "DuckDB[all]; python_version > '3.9'",
]
[project.optional-dependencies]
test = ["pytest"]
[tool.ruff]
line-length = 100
"""
PACKAGE = """\
{
  "name": "@corn/mill",
  "scripts": {"react": "x"},
  "dependencies": {
    "react": "^19.0.0",
    "@corn/dam": "1.0.0"
  },
  "devDependencies": {"vitest": "*"}
}
"""
CARGO = """\
[package]
name = "mill"
serde = "no"
[dependencies]
serde = { version = "1", features = ["derive"] }
rand_core = { package = "rand", version = "0.9" }
[dependencies.tokio]
version = "1"
[dev-dependencies]
criterion = "0.5"
"""
GO = """\
module example.com/mill

go 1.23

require github.com/one/alone v1.0.0

require (
\tgithub.com/spf13/cobra v1.8.0
\tgolang.org/x/sys v0.20.0 // indirect
)
"""


Row = tuple[str, str, str, dict[str, str]]
FILES: list[tuple[str, str, list[Row]]] = [
    (
        "pyproject.toml",
        PYPROJECT,
        [
            ("mill", "httpx", '"httpx>=0.27,<1",', {}),
            ("mill", "DuckDB", "\"DuckDB[all]; python_version > '3.9'\",", {}),
            ("mill", "pytest", 'test = ["pytest"]', {"scope": "test"}),
        ],
    ),
    (
        "package.json",
        PACKAGE,
        [
            ("@corn/mill", "react", '"react": "^19.0.0",', {}),
            ("@corn/mill", "@corn/dam", '"@corn/dam": "1.0.0"', {}),
            ("@corn/mill", "vitest", '"devDependencies": {"vitest": "*"}', {"scope": "dev"}),
        ],
    ),
    (
        "Cargo.toml",
        CARGO,
        [
            ("mill", "serde", 'serde = { version = "1", features = ["derive"] }', {}),
            ("mill", "rand", 'rand_core = { package = "rand", version = "0.9" }', {}),
            ("mill", "tokio", "[dependencies.tokio]", {}),
            ("mill", "criterion", 'criterion = "0.5"', {"scope": "dev"}),
        ],
    ),
    (
        "go.mod",
        GO,
        [
            ("example.com/mill", "github.com/one/alone", "require github.com/one/alone v1.0.0", {}),
            ("example.com/mill", "github.com/spf13/cobra", "github.com/spf13/cobra v1.8.0", {}),
        ],
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), FILES)
def test_a_project_depends_on_what_its_file_names(
    tmp_path: Path, graph: Graph, name: str, text: str, expected: list[Row]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    graph.ingest_files([tmp_path / name])
    assert [(*row[:3], json.loads(row[3])) for row in query(graph.store, FOUND)] == expected


@pytest.mark.parametrize("text", ["{", '{"dependencies": {"react": "1"}}', '{"name": 7, "dependencies": []}', "[1]"])
def test_a_file_without_a_project_states_nothing(tmp_path: Path, graph: Graph, text: str) -> None:
    (tmp_path / "package.json").write_text(text, encoding="utf-8")
    graph.ingest_files([tmp_path / "package.json"])
    assert query(graph.store, FOUND) == []
