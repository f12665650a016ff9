import json
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Cli

LINES: list[dict[str, Any]] = [
    {"type": "entity", "name": "Service_A", "entityType": "service", "observations": ["Runs in Porto", "Has no owner"]},
    {"type": "entity", "name": "Ledger Store", "entityType": "service", "observations": "Is read only"},
    {"type": "relation", "from": "Service_A", "to": "Ledger Store", "relationType": "depends_on"},
]


@pytest.mark.slow
def test_names_are_found_with_spaces_or_underscores_and_show_what_was_observed(cli: Cli) -> None:
    (cli.folder / "memory.jsonl").write_text("".join(map(json.dumps, LINES)), encoding="utf-8")
    assert cli("import", "memory.jsonl", "--extract", "none").code == 0
    for name, stored in (("Service A", "Service_A"), ("service_a", "Service_A"), ("Ledger_Store", "Ledger Store")):
        told = cli("neighbourhood", name, "--json").fields
        assert (told["entity"], told["matched"], told["total"]) == (stored, "exact", 1)
    assert "Runs in Porto; Has no owner" in cli("neighbourhood", "Service A").out
    assert "Is read only" in cli("neighbourhood", "Ledger_Store").out


def test_a_folder_of_notes_comes_over_with_a_report_and_again_adds_nothing(cli: Cli) -> None:
    notes = cli.folder / "notes"
    notes.mkdir()
    (notes / "chat.md").write_text("# Chat\n- [use] For teams\n- depends_on [[Session Store]]\n\nProse.\n", "utf-8")
    (notes / "doubt.md").write_bytes("S\u00e3o Paulo".encode("cp1252"))
    first, again = (cli("import", "notes", "--extract", "none", "--json").fields for _ in range(2))
    assert [first[key] for key in ("format", "entities", "relations", "observations")] == ["basic-memory", 1, 1, 1]
    assert (again["entities_added"], again["relations_added"]) == (0, 0)
    assert sorted(reason.split(":")[0] for reason in first["left_out"]) == ["lines of prose", "notes"]
    (triple,) = cli("query", "--predicate", "depends_on", "--json").fields["triples"]
    assert (triple["subject"], triple["object"]) == ("chat", "Session Store")
    (cli.folder / "empty").mkdir()
    assert "empty has no notes in Markdown. Known are memory.jsonl" in cli("import", "empty").error


def test_a_memory_in_a_folder_is_left_to_import(tmp_path: Path) -> None:
    line = {"type": "entity", "name": "Ann Lee", "entityType": "person", "observations": ["knows Go"]}
    (tmp_path / "memory.jsonl").write_text(json.dumps(line), encoding="utf-8")
    (tmp_path / "note.md").write_text("The mill grinds barley.\n", encoding="utf-8")
    told = Cli(tmp_path.resolve())("ingest", str(tmp_path.resolve())).out
    assert "memory.jsonl" in told
    assert "is the memory of an MCP memory server" in told
    assert "Documents: 1 added" in told
