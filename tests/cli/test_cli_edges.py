import json
from pathlib import Path

import pytest
from cli_runs import Cli

DOCK = "The pilot brings the ferry into the dock at high tide."
TIDE = "At high tide the ferry is brought into its dock by the pilot."


@pytest.mark.slow
def test_edges_are_discovered_once_and_given_as_json_lines_all_or_none(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "dock.txt").write_text(DOCK)
    (tmp_path / "tide.txt").write_text(TIDE)
    assert cli("ingest", "dock.txt", "tide.txt").code == 0

    found = cli("discover-edges").out.splitlines()
    assert found[0] == "1 edge added (similar_to 1); 2 documents read, 2 chunks compared."
    assert "/dock.txt#chunk:0-54@" in found[1]
    assert cli("discover-edges", "tide", "--json").fields["added"] == 0

    uris = {name: (tmp_path / f"{name}.txt").resolve().as_uri() for name in ("dock", "tide")}
    good = json.dumps({"source": uris["tide"], "target": uris["dock"], "relation": "elaborates"})
    (tmp_path / "edges.jsonl").write_text(f"{good}\n\n{{\n")
    refused = cli("add-edges", "edges.jsonl")
    assert (refused.code, "Line 3 is not JSON" in refused.error) == (2, True)
    unfit = cli("add-edges", "-", stdin=b'{"source": "x"}')
    assert (unfit.code, "Line 1: target: Field required" in unfit.error) == (2, True)
    assert cli("add-edges", "-", stdin=good.encode()).out.startswith("1 edge added, 0 known.\n")
