"""`verify` and `verify --repair`, with the exit code of each."""

import json

import pytest
from cli_runs import Cli
from edit_helpers import TEST

from mcp_graphrag import open_graph


@pytest.mark.slow
def test_verify_says_what_is_wrong_and_repair_mends_it(cli: Cli) -> None:
    cli("ingest", "--text", "The Harbour Service depends on the Tide Database.", "--uri", "memo:1")
    sound = cli("verify", "--json").fields
    assert (sound["sound"], sound["documents"], sound["triples"]) == (True, 1, 1)
    with open_graph(cli.db) as graph, graph.writing(TEST) as write:
        write.tx.run("UPDATE evidence SET quote = 'It sank.', recorded_change = $change")

    wrong = cli("verify", "--json")
    assert wrong.code == 6
    (problem,) = json.loads(wrong.out)["problems"]
    assert (problem["kind"], problem["count"]) == ("quote_not_in_text", 1)

    mended = cli("verify", "--repair", "--json").fields
    assert (mended["sound"], [each["kind"] for each in mended["mended"]]) == (True, ["quote_not_in_text"])
    assert cli("verify").out.splitlines()[0] == "sound"


def test_a_triple_that_ends_before_it_begins_is_named_with_what_to_do(cli: Cli) -> None:
    fact = {"subject": "Harbour", "predicate": "uses", "object": "Tide"}
    cli("add-triples", "-", stdin=json.dumps(fact).encode())
    with open_graph(cli.db) as graph, graph.writing(TEST) as write:
        write.tx.run("UPDATE triple SET valid_from = '2021-01-02', valid_to = '2021-01-01', recorded_change = $change")

    said = cli("verify")
    assert said.code == 6
    assert "Harbour uses Tide: 2021-01-02 to 2021-01-01" in said.out
    assert "Take such a triple out with `mcp-graphrag forget`" in said.out

    cli("forget", "--subject", "Harbour", "--predicate", "uses", "--object", "Tide", "--force")
    assert cli("verify").out.splitlines()[0] == "sound"


@pytest.mark.slow
def test_what_only_the_past_refers_to_is_dropped_by_the_command_that_is_named(cli: Cli) -> None:
    cli("ingest", "--text", "The Harbour Service depends on the Tide Database.", "--uri", "memo:1")
    with open_graph(cli.db) as graph, graph.writing(TEST) as write:
        write.tx.run("DELETE FROM entity WHERE id = 1 AND $change > 0")

    left = cli("verify", "--repair")
    assert left.code == 6
    assert "What is left is not in force: `mcp-graphrag compact --keep-retired 0`" in " ".join(left.out.splitlines())

    cli("compact", "--keep-retired", "0", "--force")
    assert cli("verify").out.splitlines()[0] == "sound"
