"""Files of released commits, one of each schema: current once they are open, and nothing in them is lost.

Each was made by the last commit of its schema from the same three files (services.md, plan.md, app.py) and the same
triples of a caller: "Mara Quist works_at Holm Harbour Authority" and others.
"""

import lzma
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import FileTrouble
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.search.query import SearchQuery
from mcp_graphrag.settings import Settings
from mcp_graphrag.store.engine.statements import migrations

pytestmark = pytest.mark.of_file

RELEASED = Path(__file__).parent / "released"
VERSIONS = range(3, migrations()[-1][0])

# Predicates by the word that a caller gave, and what is stored.
BY_PREDICATE: Mapping[str, list[str]] = {
    "works_at": ["Mara Quist works_for Holm Harbour Authority", "Søren Ødegård works_for Fjord Lines"],
    "depends_on": [
        "Auth Service depends_on User Database",
        "Dock Service depends_on Quay Database",
        "Ferry Service depends_on Tide Database",
        "Mill Service depends_on River Database",
    ],
    "requires": ["Tide Database requires Clock Service"],
    "owned_by": [
        "Auth Service owned_by Ana Silva",
        "Dock Service owned_by Bob Lee",
        "Ferry Service owned_by Jon Pell",
        "Ferry Service owned_by Mara Quist",
    ],
    "hosts": ["Clock Service hosted_by Münster Node"],
    "supplies": ["AT&T provides Ferry Service"],
    "reports_to": ["Ana Silva reports_to Mara Quist"],
    "calls": ["Barn Service calls Mill Service"],
}
BY_SUBJECT: Mapping[str, list[str]] = {
    "Mara Quist": ["works_for Holm Harbour Authority"],
    "søren ødegård": ["born_in Bergen", "works_for Fjord Lines"],
    "Ferry Service": ["depends_on Tide Database", "owned_by Jon Pell", "owned_by Mara Quist"],
    "tide database": ["requires Clock Service"],
    "AT&T": ["provides Ferry Service"],
    "Auth Service": ["depends_on User Database", "owned_by Ana Silva"],
    "Clock Service": ["hosted_by Münster Node"],
}
CLAIMS = (
    "Mara Quist works_at Holm Harbour Authority",
    "Søren Ødegård works_at Fjord Lines",
    "Tide Database requires Clock Service",
    "Ferry Service depends_on Tide Database",
    "AT&T supplies Ferry Service",
    "Münster Node hosts Clock Service",
    "Ana Silva reports to Mara Quist",
    "The Auth Service depends on the User Database",
)
SEARCHES = {"birthplace of Søren": "services.md", "checkout cart": "app.py", "AT&T gateway": "plan.md"}
FOUND = {"münster node": "Münster Node", "Sören Ödegård": "Søren Ødegård", "at&t": "AT&T", "quay db": "Quay Database"}


def released(tmp_path: Path, version: int) -> Path:
    """A copy of the file of a schema."""
    path = tmp_path / "graph.duckdb"
    path.write_bytes(lzma.decompress((RELEASED / f"schema_{version:02}.duckdb.xz").read_bytes()))
    return path


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_file_answers_the_same_questions_when_it_is_opened(
    tmp_path: Path, wordllama: Embedder, version: int
) -> None:
    with Graph(Settings(db=released(tmp_path, version)), embedders=Embedders(wordllama)) as graph:
        titles = {
            (mode, query): graph.search(SearchQuery(query, mode=mode, limit=1)).hits[0].chunk.document.uri
            for mode in ("vector", "keyword", "hybrid")  # vectors first: no write has made any
            for query in SEARCHES
        }
        assert {asked: uri.rpartition("/")[2] for asked, uri in titles.items()} == {
            (mode, query): title for mode in ("vector", "keyword", "hybrid") for query, title in SEARCHES.items()
        }
        for predicate, expected in BY_PREDICATE.items():
            query = TripleQuery(predicate=predicate, infer=False)
            found = {f"{one.subject} {one.predicate} {one.object}" for one in graph.query_triples(query).triples}
            assert (predicate, set(expected) - found) == (predicate, set())
        for subject, expected in BY_SUBJECT.items():
            query = TripleQuery(subject=subject, infer=False)
            found = {f"{one.predicate} {one.object}" for one in graph.query_triples(query).triples}
            assert (subject, set(expected) - found) == (subject, set())
        assert {claim: graph.check_claim(claim).verdict for claim in CLAIMS} == dict.fromkeys(CLAIMS, "supported")
        assert {query: graph.find_entities(query, limit=1)[0].entity.name for query in FOUND} == FOUND
        assert graph.verify().problems == []
        assert graph.waiting_for_embedding() == 0
        assert graph.health().problems == []


def test_a_released_file_that_is_read_only_says_what_it_needs(tmp_path: Path, wordllama: Embedder) -> None:
    path = released(tmp_path, VERSIONS[0])

    with Graph(Settings(db=path, read_only=True), embedders=Embedders(wordllama)) as graph:
        with pytest.raises(FileTrouble, match="Open it once without --read-only"):
            graph.describe()
        assert "Open it once without --read-only" in str(graph.health().problems[0])


def test_a_file_is_made_current_once(tmp_path: Path, wordllama: Embedder, caplog: pytest.LogCaptureFixture) -> None:
    path = released(tmp_path, VERSIONS[0])
    for _ in range(2):
        with Graph(Settings(db=path), embedders=Embedders(wordllama)) as graph:
            graph.describe()

    assert [record.getMessage() for record in caplog.records].count("a file of an earlier version is made current") == 1
