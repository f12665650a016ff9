"""One folder of all kinds, ingested by Claude beside `auto`: killed halfway and resumed as if it had not been."""

import json
import os
import shutil
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_server import ClaudeServer, Connection
from cli_runs import Cli
from forked import FRESH, own_environment
from model_answers import chunks_of, note, read_sentences
from office_files import page_text, pdf, word
from store_helpers import query

from mcp_graphrag.embed.wordllama import load_wordllama
from mcp_graphrag.store import Store

PROJECT = Path(__file__).parents[2]
WORDS = ("ingest", "docs", "--extract", "auto", "--extract", "claude")
STORED = """
SELECT s.name, p.name, o.name, e.extractor, e.quote FROM evidence e JOIN triple t ON t.id = e.triple_id
JOIN entity s ON s.id = t.subject_id JOIN entity o ON o.id = t.object_id JOIN predicate p ON p.id = t.predicate_id
WHERE e.retired_change IS NULL ORDER BY ALL
"""
TABLES = ("document", "chunk", "entity", "triple", "mention", "chunk_edge")


def write_folder(folder: Path) -> None:
    """Code, Markdown, HTML, a table, a notebook, a PDF and a DOCX: texts of this project, and sentences to extract."""
    folder.mkdir()
    for name in ("claude.py", "clean_input.py", "errors.py"):
        shutil.copy(PROJECT / "mcp_graphrag" / name, folder)
    for number, name in enumerate(("README.md", "CONTRIBUTING.md")):
        text = (PROJECT / name).read_text(encoding="utf-8")
        (folder / name).write_text(f"{note(number)}\n\n{text[:12_000]}", encoding="utf-8")
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n- ")[1:16]
    paragraphs = "".join(f"<h2>Change</h2><p>{each} {note(10 + at)}</p>" for at, each in enumerate(changes))
    (folder / "changes.html").write_text(f"<title>Changes</title>{paragraphs}", encoding="utf-8")
    rows = "".join(f"Alpha{number} Service,Ana Silva,Beta{number} Database\n" for number in range(30))
    (folder / "services.csv").write_text(f"service,owner,depends_on\n{rows}", encoding="utf-8")
    cells = [{"cell_type": "markdown", "source": f"# Step {at}\n\n{note(at)} {changes[at]}"} for at in range(8)]
    (folder / "book.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (folder / "stations.pdf").write_bytes(pdf([f"{page_text(number)} {note(number)}" for number in range(1, 9)]))
    sections = [(f"Part {at}", f"{note(60 + at)} {changes[at]}") for at in range(10)]
    (folder / "manual.docx").write_bytes(word(sections, title="Manual"))


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    write_folder(tmp_path.resolve() / "docs")
    return Cli(tmp_path.resolve())


def contents(db: Path) -> tuple[list[Any], list[Any]]:
    store = Store(db)
    try:
        counts = [query(store, f"SELECT count(*) FROM {name} WHERE retired_change IS NULL")[0][0] for name in TABLES]
        return counts, query(store, STORED)
    finally:
        store.close()


def asked(api: ClaudeServer) -> Iterator[str]:
    """The chunks of all requests."""
    return (chunk for body in api.requests for chunk in chunks_of(body))


@pytest.mark.slow
def test_killed_halfway_and_resumed_pays_nothing_twice_and_stores_the_same(cli: Cli, claude_api: ClaudeServer) -> None:
    claude_api.default = read_sentences
    variables = {**claude_api.environment, "MCP_GRAPHRAG_EMBEDDER": "wordllama"}
    keyless = cli("ingest", "docs", "--json").fields
    assert (keyless["added"], keyless.get("skipped", [])) == (10, [])
    cli.db.unlink()

    planned = cli(*WORDS, "--dry-run", "--json", variables=variables).fields["model"]
    whole = cli(*WORDS, "--json", variables=variables).fields
    assert whole["model"]["requests"] == planned["requests"] == len(claude_api.requests)
    tokenizer, _ = load_wordllama()
    bodies = [json.dumps(body, ensure_ascii=False) for body in claude_api.requests]
    counted = sum(len(tokenizer.encode(body).ids) for body in bodies)
    assert planned["input_tokens"] == pytest.approx(counted, rel=0.15)
    expected, chunks = contents(cli.db), Counter(asked(claude_api))
    cli.db.unlink()

    paid = _killed(cli, claude_api, variables, after=len(claude_api.requests) // 2)
    claude_api.requests.clear()
    claude_api.default = read_sentences
    assert cli(*WORDS, variables=variables).code == 0

    assert contents(cli.db) == expected
    assert Counter(asked(claude_api)) == chunks - paid


def _killed(cli: Cli, api: ClaudeServer, variables: dict[str, str], *, after: int) -> Counter[str]:
    """The chunks whose requests were answered before the process was killed, with all of its requests waiting."""
    paid: Counter[str] = Counter()
    waiting = threading.Semaphore(0)
    released, lock = threading.Event(), threading.Lock()
    api.requests.clear()
    answered = 0

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        nonlocal answered
        with lock:
            is_answered = answered < after
            answered += is_answered
        if not is_answered:
            waiting.release()
            released.wait(60)
            return
        paid.update(chunks_of(body))
        read_sentences(connection, body)

    api.default = respond
    config = cli.folder / "no-settings.toml"
    words = (*FRESH, *WORDS, "--db", "graph.duckdb", "--config", str(config))
    environment = {**own_environment(), **variables}
    with subprocess.Popen(
        words, cwd=cli.folder, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        for _ in range(3):  # the setting claude_workers
            assert waiting.acquire(timeout=60)
        os.kill(process.pid, signal.SIGKILL)
    released.set()
    return paid
