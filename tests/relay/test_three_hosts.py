import signal
import subprocess
import sys
from pathlib import Path

import pytest
from http_served import http_served
from served import connected, served, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a server over HTTP is ended by a signal")
COUNT = """
import duckdb, sys
with duckdb.connect(sys.argv[1], read_only=True) as file:
    print(file.execute("SELECT count(*) FROM documents").fetchone()[0])
"""


def documents_in(db: Path) -> str:
    """What another program that opens the file counts, "" where it cannot open it."""
    ran = subprocess.run([sys.executable, "-c", COUNT, str(db)], capture_output=True, text=True, check=False)
    return ran.stdout.strip()


@pytest.mark.slow
def test_hosts_of_both_eras_over_stdio_and_http_share_a_file_that_duckdb_opens_when_they_are_idle(
    tmp_path: Path,
) -> None:
    db, corpus = tmp_path / "graph.duckdb", tmp_path / "corpus"
    corpus.mkdir()
    for number in range(30):
        (corpus / f"{number}.md").write_text(f"# Mill {number}\n\nMill {number} depends on the River.\n" * 20, "utf-8")
    daemon = {"MCP_GRAPHRAG_NO_DAEMON": ""}
    with (
        http_served(db, **daemon) as server,
        connected(server.url) as over_http,
        served(db, "--root", str(corpus), mode="auto", **daemon) as modern,
        served(db, mode="legacy", **daemon) as legacy,
    ):
        job = modern("ingest", paths=[str(corpus)])
        for number in range(5):
            fact = {"subject": f"Writer {number}", "predicate": "knows", "object": "Everybody"}
            over_http("add_triples", triples=[fact])
            assert legacy("query_triples", subject=f"Writer {number}")["triples"]
        wait_for(lambda: modern("get_job", job=job["job"])["state"] == "done")
        assert over_http("brief")["holds"]["documents"] == 30
        wait_for(lambda: documents_in(db) == "30")
        assert legacy("query_triples", object="Everybody")["triples"]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
        # The clients over stdio go on without it.
        assert len(legacy("query_triples", object="Everybody")["triples"]) == 5
