"""Removing a document leaves the graph as if it had never been ingested."""

from pathlib import Path

import pytest
from edit_helpers import present, read
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import Settings

SENTENCES = (
    "The Auth Service depends on the User Database.",
    "The Auth Service is owned by the Identity Team.",
    "Amazon Web Services (AWS) hosts the User Database.",
    "AWS hosts the Billing Service.",
    "Amazon Web Services acquired the Auth Service.",
    "Dr. Maria Keller leads the Identity Team.",
    "Keller reports to Jonas Brandt.",
    "The User Database, also known as UserDB, runs on PostgreSQL 16.",
    "UserDB is owned by the Infrastructure Team.",
    "American Weather Service (AWS) uses the Billing Service.",
    "Jonas Brandt founded Keller Industries in Berlin.",
    "The Billing Service was written by Maria Keller.",
    "It needs what [the first memo](memo:a) and [the second](memo:b) say.",
)


def fresh(folder: Path, embedder: Embedder, name: str) -> Graph:
    """A graph on a file of its own."""
    path = folder / f"{name}.duckdb"
    for file in (path, path.with_name(f"{path.name}.wal")):
        file.unlink(missing_ok=True)
    return Graph(Settings(db=path), embedders=Embedders(embedder))


@pytest.mark.slow
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5),
    second=st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5),
)
@example([SENTENCES[9]], [SENTENCES[3]])
@example([SENTENCES[7]], [SENTENCES[8]])
def test_ingesting_and_removing_a_document_is_identity(
    tmp_path: Path, wordllama: Embedder, first: list[str], second: list[str]
) -> None:
    both, alone = fresh(tmp_path, wordllama, "both"), fresh(tmp_path, wordllama, "alone")
    read(both, "memo:a", " ".join(first))
    read(both, "memo:b", " ".join(second))

    both.remove(Removal(document="memo:a"))

    read(alone, "memo:b", " ".join(second))
    left, wanted = present(both), present(alone)
    both.close()
    alone.close()
    assert left == wanted
