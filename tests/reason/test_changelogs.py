"""An entry of a changelog says what was so when its release came out, until a later one ends it."""

from datetime import timedelta

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.store.engine.transaction import now

NEW, OLD, OLDEST = (f"{now() - timedelta(days=days):%Y-%m-%d}" for days in (30, 200, 900))
DATED = f"""# Changelog

## 3.0.0 - {NEW}

- Fleet Console no longer depends on Memcached.
- Fleet Console reads metrics from Redis instead of StatsD.

## 2.0.0 - {OLD}

- Fleet Console depends on Memcached.
- Fleet Console uses StatsD.
- Fleet Console is owned by the Dock Team.

## 1.0.0 - {OLDEST}

- Fleet Console is hosted in Oslo.
"""
UNDATED = """# Changelog

## Unreleased

- Fleet Console uses Kafka.

## 2.1.0

- Fleet Console depends on Redis.

### Removed

- Fleet Console supports FTP.

## 2.0.0

- Fleet Console depends on MySQL.
"""


@pytest.mark.parametrize(
    ("text", "claim", "verdict"),
    [
        (DATED, "Fleet Console depends on Memcached", "unknown"),
        (DATED, "Fleet Console depended on Memcached", "supported"),
        (DATED, "Fleet Console uses StatsD", "unknown"),
        (DATED, "Fleet Console is owned by the Dock Team", "supported"),
        (DATED, "Fleet Console is hosted in Oslo", "supported"),
        (UNDATED, "Fleet Console depends on Redis", "supported"),
        (UNDATED, "Fleet Console uses Kafka", "unknown"),
        (UNDATED, "Fleet Console supports FTP", "unknown"),
        (UNDATED, "Fleet Console depends on MySQL", "unknown"),
    ],
)
def test_an_entry_holds_from_its_release_until_a_later_one(graph: Graph, text: str, claim: str, verdict: str) -> None:
    graph.ingest_text(TextInput(text, title="Changelog", media_type="text/markdown"))
    assert graph.check_claim(claim).verdict == verdict


def test_what_a_later_release_ends_has_no_impact(graph: Graph) -> None:
    graph.ingest_text(TextInput(DATED, title="Changelog", media_type="text/markdown"))
    assert graph.trace_impact("Memcached").total == 0


def test_numbered_sections_are_no_releases(graph: Graph) -> None:
    text = UNDATED.replace("Changelog", "Manual")
    graph.ingest_text(TextInput(text, title="Manual", media_type="text/markdown"))
    assert graph.trace_impact("MySQL").total == 1
