import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from store_helpers import query

from mcp_graphrag.store import Store

WRITE = """
import sys
from pathlib import Path
from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.triple_rows import add_predicates

store = Store(Path(sys.argv[1]))
for number in range(100_000):
    with store.writing(Origin("test")) as tx:
        add_entities(tx, [NewEntity(f"E{number}", f"e{number}", "", "")])
        add_predicates(tx, [f"p{number}"])
    if number % 50 == 49:
        store.checkpoint()
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="kill -9 needs POSIX")
@pytest.mark.parametrize("acknowledged", [1, 120])
def test_a_killed_process_loses_no_acknowledged_write(tmp_path: Path, acknowledged: int) -> None:
    path = tmp_path / "graph.duckdb"
    with subprocess.Popen([sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        numbers = [int(writer.stdout.readline()) for _ in range(acknowledged)]
        writer.send_signal(signal.SIGKILL)
        numbers += [int(line) for line in writer.stdout if line.endswith("\n")]

    store = Store(path)
    names = [int(name[1:]) for (name,) in query(store, "SELECT name FROM entity ORDER BY id")]
    predicates = [int(name[1:]) for (name,) in query(store, "SELECT name FROM predicate ORDER BY id")]
    store.close()

    assert names == list(range(len(names)))
    assert names == predicates, "a write is in the file whole or not at all"
    assert set(numbers) <= set(names)
