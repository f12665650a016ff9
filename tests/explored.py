"""An explorer in a process of its own, and the graph that it shows."""

import contextlib
import json
import subprocess
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
from forked import FRESH, own_environment
from frames import SECONDS

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate

TEXT = """# Operations

Billing depends on Ledger. Ledger ran on Server One until 2024, and runs on Server Two since.
Checkout depends on Billing. Billing is owned by Team Blue, says the register.

# Handover

Billing is owned by Team Red, says the handover note.
"""
MOVED = datetime(2024, 1, 1)  # noqa: DTZ001  (naive UTC, as the graph has it)


def operations(graph: Graph) -> None:
    """A document, the triples that it says, a move at a date and two owners that disagree."""
    graph.ingest_text(TextInput(TEXT, "Operations", "", "notes:operations"), extract="document")
    said = (
        ("Billing", "depends_on", "Ledger", "Billing depends on Ledger", None, None),
        ("Checkout", "depends_on", "Billing", "Checkout depends on Billing", None, None),
        ("Ledger", "runs_on", "Server One", "Ledger ran on Server One until 2024", None, MOVED),
        ("Ledger", "runs_on", "Server Two", "runs on Server Two since", MOVED, None),
        ("Billing", "owned_by", "Team Blue", "Billing is owned by Team Blue", None, None),
        ("Billing", "owned_by", "Team Red", "Billing is owned by Team Red", None, None),
    )
    for subject, predicate, object, quote, begins, ends in said:
        types = ("Team" if predicate == "owned_by" else "Service", "Service")
        graph.add_triples(
            [
                Candidate(
                    subject, predicate, object, types[1], types[0], quote=quote, source="notes:operations",
                    valid_from=begins, valid_to=ends,
                )
            ]
        )  # fmt: skip


@dataclass
class Explored:
    """A running explorer, by the address that it printed."""

    url: str
    pid: int

    @property
    def key(self) -> str:
        """Its key."""
        return self.url.partition("#key=")[2]

    def get(self, path: str, **headers: str) -> httpx2.Response:
        """The response to a request for a file."""
        with httpx2.Client(trust_env=False, timeout=SECONDS) as client:
            return client.get(self.url.partition("/#")[0] + path, headers=headers)

    def ask(self, tool: str, given: dict[str, Any] | None = None, **headers: str) -> httpx2.Response:
        """The response to a question of the page."""
        with httpx2.Client(trust_env=False, timeout=SECONDS) as client:
            return client.post(
                f"{self.url.partition('/#')[0]}/api/{tool}",
                json=given or {},
                headers={"Authorization": f"Bearer {self.key}", **headers},
            )


@contextlib.contextmanager
def explored(db: Path, *flags: str, **variables: str) -> Generator[Explored]:
    """An explorer of a file, killed at the end of the block."""
    words = [*FRESH, "explore", "--db", str(db), "--no-open", "--json", *flags]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=own_environment() | variables, text=True) as process:
        try:
            assert process.stdout is not None
            said = "".join(iter(process.stdout.readline, "}\n"))
            yield Explored(json.loads(said + "}")["url"], process.pid)
        finally:
            process.kill()
