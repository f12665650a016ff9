"""A graph in PostgreSQL: it is kept, found and undone as in a file, by several processes, and copied there and back."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb
import platformdirs
import pytest
from cached_databases import log_of, started_server

from mcp_graphrag import Candidate, TextInput, open_graph
from mcp_graphrag.durability.copy_graph import copy_graph
from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.errors import BadInput, FileTooNew, FileTrouble, NotAGraph, NotAllowed
from mcp_graphrag.graph import Graph
from mcp_graphrag.index import saved_indexes
from mcp_graphrag.jobs.job import start_job
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Origin
from mcp_graphrag.store.engine import migrate, postgres
from mcp_graphrag.store.engine.extensions import load_extension
from mcp_graphrag.store.engine.statements import migrations

pytestmark = pytest.mark.slow
# A call that fails is made again: what it had stored is known then.
WRITER = """
import sys
import time
from mcp_graphrag import Candidate, open_graph
from mcp_graphrag.errors import FileTrouble
with open_graph(sys.argv[1], embedder="wordllama") as graph:
    for number in range(int(sys.argv[3])):
        while True:
            try:
                graph.add_triples([Candidate(f"{sys.argv[2]} {number}", "depends_on", "Shared Database")])
                break
            except FileTrouble:
                time.sleep(0.2)
        print(number, flush=True)
"""  # DuckDB takes a program without a file for an interactive one, and may print how far a long statement is
PASSWORD = "hunter2 '$now \\"  # noqa: S105  (of a server that this test starts)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    found = started_server()
    found.psql("ALTER SYSTEM SET log_statement = 'all';")
    found.psql("SELECT pg_reload_conf();")
    yield found
    found.cleanup()


@pytest.fixture
def url(server: Any, request: pytest.FixtureRequest) -> str:
    name = f"t{abs(hash(request.node.name))}"
    server.psql(f"CREATE DATABASE {name};")
    return str(server.get_uri(name))


def opened(home: str | Path) -> Graph:
    return open_graph(home, embedder="wordllama")


def fill(graph: Graph) -> None:
    graph.ingest_text(TextInput("The Auth Service depends on the User Database.", title="Services"))
    graph.add_triples([Candidate("Billing Service", "depends_on", "Auth Service", quote="It does.")])


def test_what_is_stored_is_found_walked_checked_and_undone(url: str) -> None:
    with opened(url) as graph:
        fill(graph)
    with opened(url) as graph:
        assert graph.search("what does the Auth Service need?").hits[0].chunk.text.startswith("The Auth Service")
        assert [each.entity.name for each in graph.trace_impact("User Database").affected] == [
            "Auth Service",
            "Billing Service",
        ]
        assert graph.check_claim("Billing Service depends on the User Database").verdict == "supported"
        graph.undo()
        assert [each.entity.name for each in graph.trace_impact("User Database").affected] == ["Auth Service"]
        assert not graph.verify().problems


def test_a_graph_is_copied_to_a_database_and_back_with_its_history(url: str, tmp_path: Path) -> None:
    with opened(tmp_path / "graph.duckdb") as graph:
        fill(graph)
        graph.undo()
        with opened(url) as database:
            rows = copy_graph(graph, database)
            with pytest.raises(BadInput, match="already"):
                copy_graph(graph, database)
    with opened(url) as database, opened(tmp_path / "back.duckdb") as back:
        database.add_triples([Candidate("Web Shop", "depends_on", "Auth Service")])
        again = copy_graph(database, back)
        assert not back.verify().problems
        assert back.trace_impact("User Database").total == 2
    assert rows["change"] + 1 == again["change"]
    assert rows["triple"] + 1 == again["triple"]


def statements_of(server: Any, call: Callable[[], object]) -> list[str]:
    """What PostgreSQL was asked for in a call."""
    before = log_of(server).stat().st_size
    call()
    time.sleep(0.2)
    return re.findall(r"LOG:  statement: (.*)", log_of(server).read_text(errors="replace")[before:])


def test_a_write_of_one_triple_takes_at_most_12_round_trips(server: Any, url: str) -> None:
    with opened(url) as graph:
        for name in ("A", "B", "C"):
            graph.add_triples([Candidate(name, "depends_on", "Shared Database")])
        asked = statements_of(server, lambda: graph.add_triples([Candidate("D", "depends_on", "Shared Database")]))
        assert graph.trace_impact("Shared Database").total == 4
    trips = len(asked) + sum("FROM STDIN" in each for each in asked)  # the answer to such a COPY is waited for
    assert trips <= 12, asked
    assert sum("COMMIT" in each for each in asked) == 1


def test_of_four_writers_nothing_is_lost_or_doubled_when_one_and_the_server_are_killed(server: Any, url: str) -> None:
    def started(name: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", WRITER, url, name, "125"], stdout=subprocess.PIPE, text=True)

    with opened(url) as reader:
        reader.add_triples([Candidate("First", "depends_on", "Shared Database")])
        writers = {name: started(name) for name in ("Ann", "Bob", "Eve", "Tom")}
        said = {name: [next(iter(each.stdout or ())) for _ in range(10)] for name, each in writers.items()}
        writers["Ann"].kill()
        said["Bob"] += [next(iter(writers["Bob"].stdout or ())) for _ in range(20)]
        kill_server(server)
        start_again(server)
        for name, each in writers.items():
            said[name] += each.stdout or ()
            each.communicate()
            assert each.returncode == (-signal.SIGKILL if name == "Ann" else 0)
        names = stored_names(reader)
        assert len(set(names)) == len(names)
        acknowledged = {
            f"{name} {line.strip()}" for name, lines in said.items() for line in lines if line.strip().isdigit()
        }
        assert not acknowledged - set(names)
        assert len(names) <= len(acknowledged) + 2  # the last write of who is killed may be stored and not said
        assert reader.trace_impact("Shared Database").total == len(names)
        assert not reader.verify().problems


def kill_server(server: Any) -> None:
    """End all processes of a server at once, as a crash of its machine does."""
    main = server.get_postmaster_info().process
    for each in (main, *main.children()):
        each.kill()
    time.sleep(1)
    (log_of(server).parent / "postmaster.pid").unlink()  # it names a process that nobody may have waited for


def start_again(server: Any) -> None:
    """Start a server that was killed, as soon as the system has cleared away what was left of it."""
    for tries_left in reversed(range(5)):
        try:
            server.ensure_postgres_running()
        except subprocess.SubprocessError:
            if not tries_left:
                raise
            time.sleep(3)
        else:
            return


def stored_names(graph: Graph) -> list[str]:
    """The subjects of all triples, asked for again where the connections that there were are gone."""
    found, after = list[str](), 0
    while after is not None:
        try:
            page = graph.query_triples(TripleQuery(None, "depends_on", "Shared Database", limit=200, after=after))
        except FileTrouble:
            time.sleep(0.2)
            continue
        found += [triple.subject for triple in page.triples]
        after = page.next_after
    return found


def test_a_job_of_another_process_is_running_until_that_ends(url: str) -> None:
    with opened(url) as one, opened(url) as other:
        job = start_job(one, one.text_work(TextInput("A depends on B.")), Origin("test"))
        start_job(other, other.text_work(TextInput("C depends on D.")), Origin("test"))
        one.store.release()  # as where nothing uses it for a moment
        assert other.job(job.id).state == "running"
        one.store.close()  # as at its end
        start_job(other, other.text_work(TextInput("E depends on F.")), Origin("test"))
        assert other.job(job.id).state == "interrupted"


def test_rows_without_an_id_are_repaired(server: Any, url: str) -> None:
    with opened(url) as graph:
        fill(graph)
        server_of(
            server,
            url,
            "UPDATE mention SET entity_id = 999 WHERE start_offset = (SELECT min(start_offset) FROM mention)",
        )
        server_of(
            server, url, "INSERT INTO entity_alias VALUES (998, 'x', 'x', 'alias', NULL, now(), 1, NULL, NULL, NULL)"
        )
        assert {"mention_without_entity", "name_without_entity"} <= {each.kind for each in graph.verify().problems}
        left = {each.kind for each in graph.repair().problems}
        assert not left & {"mention_without_entity", "name_without_entity"}


def server_of(server: Any, url: str, sql: str) -> str:
    """What the server answers in the database of a URL."""
    name = url.partition("?")[0].rpartition("/")[2]
    return str(server.psql(f"\\c {name}\n{sql};"))


@pytest.mark.parametrize(
    "name", ["x'); DROP TABLE triple; --", "$now $change IN FIRST (", 'a"b\\', "FROM incoming_id) é"]
)
def test_a_name_is_no_statement(url: str, name: str) -> None:
    with opened(url) as graph:
        graph.add_triples([Candidate(name, "depends_on", "Other", quote=name)])
        graph.add_entities([EntityInput(name, type="Thing", description=name, aliases=[f"{name} too"])])
        graph.add_triples([Candidate(name, "depends_on", f"Other {number}", quote=name) for number in range(5)])
        assert {triple.subject for triple in graph.query_triples(TripleQuery(name)).triples} == {name}
        assert [each.entity.name for each in graph.trace_impact("Other").affected] == [name]
        assert graph.find_entities(name)[0].entity.name == name
        graph.update_entity(name, EntityUpdate(rename="Plain"))
        graph.undo()
        graph.merge("Other", name)
        graph.split(name)
        assert not graph.verify().problems


def test_who_may_only_read_reads_and_a_password_is_nowhere(
    server: Any, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(url) as graph:
        fill(graph)
    literal = PASSWORD.replace("'", "''")
    server_of(
        server,
        url,
        f"CREATE ROLE reader LOGIN PASSWORD '{literal}'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    )
    access = log_of(server).parent / "pg_hba.conf"
    access.write_text(f"local all reader scram-sha-256\n{access.read_text()}")
    server.psql("SELECT pg_reload_conf();")
    log_of(server).write_text("")
    theirs = url.replace("postgres:@", f"reader:{quote(PASSWORD, safe='')}@")
    with open_graph(theirs, embedder="wordllama", read_only=True) as graph:
        assert graph.trace_impact("User Database").total == 2
        assert graph.search("what does the Auth Service need?").hits
        with pytest.raises(NotAllowed):
            graph.undo()
    with opened(theirs) as graph, pytest.raises(FileTrouble, match="permission denied") as refused:
        graph.undo()
    with (
        opened(theirs.replace("hunter2", "hunter3")) as graph,
        pytest.raises(FileTrouble, match="authentication") as wrong,
    ):
        graph.status()
    command = [sys.executable, "-m", "mcp_graphrag", "status", "--read-only", "--json"]
    asked = subprocess.Popen(command, env={**os.environ, "MCP_GRAPHRAG_DB": theirs}, stdout=subprocess.PIPE, text=True)
    listed = subprocess.run(["ps", "axww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    told = [asked.communicate()[0], listed, caplog.text, log_of(server).read_text(errors="replace")]
    told += [f"{each.value} {each.value.hint} {each.value.__cause__}" for each in (refused, wrong)]
    assert asked.returncode == 0
    assert not [each for each in told if "hunter" in each]


def test_another_machine_sees_a_write_at_once(url: str) -> None:
    with opened(url) as one, opened(url) as other:
        one.add_triples([Candidate("A Service", "depends_on", "B Service")])
        assert other.trace_impact("B Service").total == 1
        began = time.monotonic()
        other.add_triples([Candidate("C Service", "depends_on", "A Service")])
        assert one.trace_impact("B Service").total == 2
        assert time.monotonic() - began < 30


def test_connections_that_the_server_ends_cost_the_call_under_way_and_nothing_stored(server: Any, url: str) -> None:
    def end_connections() -> None:
        server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid();")

    def write_without_them(graph: Graph) -> None:
        with graph.writing(Origin("test")) as write:
            write.tx.log_change()
            end_connections()

    with opened(url) as graph:
        graph.add_triples([Candidate("A", "depends_on", "B")])
        with pytest.raises(FileTrouble, match="could not be read or written"):
            write_without_them(graph)
        end_connections()
        graph.add_triples([Candidate("C", "depends_on", "B")])
        assert graph.trace_impact("B").total == 2
        assert not graph.verify().problems


def test_a_database_of_another_program_is_refused_and_left_as_it_is(url: str) -> None:
    with duckdb.connect(config={"allow_unsigned_extensions": False}) as connection:
        assert not load_extension(connection, "postgres_scanner")
        connection.execute(f"ATTACH '{url}' AS other (TYPE postgres); CREATE TABLE other.public.t (a INTEGER)")
    with opened(url) as graph, pytest.raises(NotAGraph, match="another program"):
        graph.add_triples([Candidate("A", "depends_on", "B")])


def test_the_next_process_reads_saved_indexes_and_catches_up_and_builds_those_of_another_database(
    server: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked() -> list[str]:
        with opened(url) as graph:
            return [each.entity.name for each in graph.trace_impact("User Database").affected]

    monkeypatch.setattr(platformdirs, "user_cache_path", tmp_path.joinpath)
    monkeypatch.setattr(saved_indexes, "MIN_BYTES", 0)
    name = url.split("/")[3].partition("?")[0]
    with opened(url) as graph:
        fill(graph)
    server.psql(f"CREATE DATABASE {name}_restored TEMPLATE {name};")
    with opened(url) as graph:
        graph.add_triples([Candidate("Web Shop", "depends_on", "User Database")])
        graph.trace_impact("User Database")
        with opened(url) as other:
            other.add_triples([Candidate("Till", "depends_on", "User Database")])
    with monkeypatch.context() as patch:
        patch.setattr("mcp_graphrag.index.triple_graph.graph_rows", None)  # who builds the graph reads them
        assert sorted(asked()) == ["Auth Service", "Billing Service", "Till", "Web Shop"]
    # Of the same name and identity, and of other changes under the same numbers.
    server.psql(f"DROP DATABASE {name};")
    server.psql(f"ALTER DATABASE {name}_restored RENAME TO {name};")
    with opened(url) as graph:
        for number in range(5):
            graph.add_triples([Candidate(f"Part {number}", "part_of", "Auth Service")])
    assert sorted(asked()) == ["Auth Service", "Billing Service"]


def test_an_older_schema_is_migrated_and_a_newer_one_refused_by_a_process_that_is_open_too(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of_them = migrations()

    def known(*steps: tuple[int, str]) -> None:
        for module in (postgres, migrate):
            monkeypatch.setattr(module, "migrations", lambda: steps)

    known(*all_of_them)
    with opened(url) as earlier:
        fill(earlier)
        added = "CREATE TABLE fruit (name VARCHAR); ALTER TABLE triple ADD COLUMN ripe BOOLEAN DEFAULT true;"
        known(*all_of_them, (99, f"{added} CREATE SEQUENCE fruit_id; UPDATE entity SET description = 'old';"))
        with opened(url) as later:
            assert later.trace_impact("User Database").total == 2
            assert not later.verify().problems
        known(*all_of_them)
        with pytest.raises(FileTooNew, match="schema 99; this one knows"):
            earlier.trace_impact("User Database")
    with opened(url) as earlier, pytest.raises(FileTooNew, match="schema 99; this one knows"):
        earlier.status()


def test_a_database_of_before_it_said_its_schema_among_its_counters_is_completed(server: Any, url: str) -> None:
    with opened(url) as graph:
        fill(graph)
    server_of(server, url, "DELETE FROM id_counter WHERE name = 'schema'")
    with opened(url) as graph:
        assert graph.query_triples(TripleQuery()).triples
    assert server_of(server, url, "SELECT last FROM id_counter WHERE name = 'schema'").strip()


def test_a_migration_that_fails_leaves_the_earlier_schema(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(url) as graph:
        fill(graph)
    steps = [*migrations(), (98, "CREATE TABLE fruit (name VARCHAR);"), (99, "DROP TABLE triple; DROP TABLE nothing;")]
    with monkeypatch.context() as newer:
        for module in (postgres, migrate):
            newer.setattr(module, "migrations", lambda: steps)
        with opened(url) as graph, pytest.raises(duckdb.Error, match="nothing"):
            graph.status()
    with opened(url) as graph:
        assert graph.trace_impact("User Database").total == 2


def test_two_processes_that_open_an_empty_database_make_one_graph(url: str) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, url, name, "2"], stderr=subprocess.PIPE, text=True)
        for name in ("Ann", "Bob")
    ]
    assert [each.communicate()[1] for each in started] == ["", ""]
    with opened(url) as graph:
        assert graph.trace_impact("Shared Database").total == 4


def test_health_shows_the_server_who_writes_and_what_the_indexes_lack(url: str) -> None:
    with opened(url) as graph, opened(url) as other:
        fill(graph)
        graph.trace_impact("User Database")
        other.add_triples([Candidate("Web Shop", "depends_on", "User Database")])
        with other.writing(Origin("test")):
            found = graph.health()
        assert found.home.kind.startswith("PostgreSQL 1")
        assert found.lock_holder.startswith(f"mcp-graphrag {os.getpid()} on ")
        assert found.home.latency_ms
        assert (found.exists, found.changes_behind, found.problems) == (True, 1, [])
        assert not graph.status().home.writer


def test_a_graph_in_a_file_loads_nothing_of_postgresql() -> None:
    loaded = "import sys, mcp_graphrag.graph; print('mcp_graphrag.store.engine.postgres' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True) == "False\n"


def test_a_password_is_in_no_error() -> None:
    with opened("postgresql://me:hunter2@127.0.0.1:1/graph") as graph, pytest.raises(FileTrouble) as error:
        graph.status()
    assert "hunter2" not in f"{error.value} {error.value.__cause__} {graph.settings} {graph.settings.shown()}"


def test_what_is_about_a_file_says_what_to_use_instead(url: str, tmp_path: Path) -> None:
    with opened(url) as graph:
        fill(graph)
        with pytest.raises(BadInput, match="pg_dump"):
            graph.back_up(tmp_path / "copy.duckdb")
