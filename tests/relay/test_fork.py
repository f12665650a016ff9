import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems start a fresh interpreter")

FORKS = """
import os, sys
from pathlib import Path
from mcp_graphrag.relay.fork import can_fork, fork_module
assert can_fork()
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
child = fork_module("probe", b"given", log, {"KEPT": "1"}, Path(sys.argv[1]).parent)
while child.poll() is None:
    pass
print(child.code)
"""
PROBE = """
import json, os, sys
def main():
    open_files = [each for each in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{each}")]
    found = [sys.stdin.read(), sorted(map(int, open_files)), dict(os.environ), os.getcwd(), os.getsid(0) == os.getpid()]
    print(json.dumps(found), file=sys.stderr)
    sys.exit(SystemExit)
"""


def test_a_fork_has_nothing_of_its_parent_but_its_modules(tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "probe.py").write_text(PROBE)
    path = os.pathsep.join([str(tmp_path / "modules"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "SECRET": "key", "KEPT": "1"}
    read, write = os.pipe()
    words = [sys.executable, "-c", FORKS, str(tmp_path / "log")]
    parent = subprocess.run(words, env=environment, pass_fds=[write], capture_output=True, timeout=100, check=True)
    os.close(write)

    assert parent.stdout == b"1\n", parent.stderr
    assert os.read(read, 1) == b""
    os.close(read)
    found = json.loads((tmp_path / "log").read_text().splitlines()[0])
    assert found == ["given", [0, 1, 2], {"KEPT": "1"}, str(tmp_path), True]
