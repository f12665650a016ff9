"""docs/postgres.md is true, command by command, with a fresh PostgreSQL of the system that wants TLS and passwords."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mcp_graphrag import Candidate, open_graph

pytest.importorskip("duckdb_extension_postgres_scanner")
BINARIES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"))), Path("/nowhere"))
IS_ROOT = sys.platform != "win32" and os.getuid() == 0
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BINARIES.is_dir(), reason="no PostgreSQL of Debian is installed"),
]
PAGE = (Path(__file__).parents[2] / "docs" / "postgres.md").read_text(encoding="utf-8")


class Server(NamedTuple):
    """A running server of `localhost`, and a folder in which only its user writes."""

    port: int
    folder: Path


def as_server(*command: str | Path) -> None:
    """Run a command as the user of the server, which refuses to be root's."""
    done = subprocess.run(
        [*(("runuser", "-u", "postgres", "--") if IS_ROOT else ()), *map(str, command)],
        check=False,
        stdout=subprocess.DEVNULL,  # the server keeps what it is given
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    assert done.returncode == 0, command


@pytest.fixture
def server() -> Iterator[Server]:
    folder = Path(
        subprocess.check_output(["mktemp", "-d"], text=True).strip()
    )  # the user's may not enter that of pytest
    if IS_ROOT:
        subprocess.run(["chown", "postgres", folder], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    secret, certificate = folder / "secret", folder / "ca.crt"
    as_server("sh", "-c", f"echo administrator > {secret}")
    as_server(BINARIES / "initdb", "-D", folder / "data", "-A", "scram-sha-256", f"--pwfile={secret}", "-U", "postgres")
    as_server(
        "openssl", "req", "-new", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "server.key", "-out", certificate,
    )  # fmt: skip
    as_server("sh", "-c", f"echo 'hostssl all all 127.0.0.1/32 scram-sha-256' > {folder}/data/pg_hba.conf")
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c ssl=on"
    options += f" -c ssl_key_file={folder}/server.key -c ssl_cert_file={certificate}"
    as_server(BINARIES / "pg_ctl", "-D", folder / "data", "-w", "-o", options, "-l", folder / "log", "start")
    subprocess.run(["chmod", "755", folder], check=True)
    yield Server(port, folder)
    as_server(BINARIES / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop")
    subprocess.run(["rm", "-r", folder], check=True)


def test_each_command_of_the_page_works_over_tls_with_the_least_rights(server: Server, tmp_path: Path) -> None:
    def said(command: str) -> str:
        command = command.replace("db.example", f"localhost:{server.port}").replace(
            "ca.crt", str(server.folder / "ca.crt")
        )
        command = command.replace("mcp-graphrag ", f"{sys.executable} -m mcp_graphrag ")
        done = subprocess.run(
            ["sh", "-ec", command], check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    sql, commands = (re.search(rf"```{kind}\n(.+?)```", PAGE, re.DOTALL) for kind in ("sql", "console"))
    assert sql
    assert commands
    passwords = dict(re.findall(r"CREATE ROLE (\w+) LOGIN PASSWORD '(\w+)'", sql[1])) | {"postgres": "administrator"}
    (tmp_path / "pgpass").write_text(
        "".join(f"localhost:{server.port}:*:{role}:{each}\n" for role, each in passwords.items())
    )
    (tmp_path / "pgpass").chmod(0o600)
    environment = {**os.environ, "PGPASSFILE": str(tmp_path / "pgpass"), "XDG_CACHE_HOME": str(tmp_path)}
    (tmp_path / "graph.sql").write_text(sql[1])
    said(f"psql -v ON_ERROR_STOP=1 'postgresql://postgres@localhost:{server.port}/postgres' -f graph.sql")
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as graph:
        graph.add_triples([Candidate("Billing Service", "depends_on", "Auth Service")])
    lines = commands[1].splitlines()
    assert lines[0] == "pip install 'mcp-graphrag[postgres]'"
    answers, exports = dict[str, str](), ""
    for line in lines[1:]:
        if line.startswith("export"):
            exports = f"{line}\n"
        else:
            answers[line] = said(exports + line)
    impacts = [answer for line, answer in answers.items() if " impact " in line]
    assert len(impacts) == 2
    assert all("Web Shop" in each and "Billing Service" in each for each in impacts)
    assert "healthy" in next(answer for line, answer in answers.items() if " doctor" in line)
    with open_graph(tmp_path / "back.duckdb", embedder="wordllama") as graph:
        assert graph.trace_impact("Auth Service").total == 2
        assert not graph.verify().problems
