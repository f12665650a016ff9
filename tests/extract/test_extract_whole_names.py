"""Names that are cut, joined or of several things, and statements that are only a part of what a sentence says."""

import pytest
from extract_helpers import extract, triples

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate


@pytest.mark.parametrize(
    "text",
    [
        "The before-filter Moss SMTP server accepts connections from the Fern Network.",
        "With one exception, Moss 1.1 maintains compatibility with Moss 1.0.",
        "By default, Mossmail's REST API accepts `application/json`.",
        "This CommonJS module exports a single function: `fernWheel`.",
        "Use the Moss Transaction assistant (Fern → Find) to select them.",
        "Moss-To-Fern breaks compatibility with Express <= `4.x` in the following ways:",
        "Heinkel convinced publisher Moss-Verlag to purchase a third aircraft from his firm.",
        "It was about the trade, to which the United States was a signatory party.",
        "Yay is known from Rocket Monkeys, Duck on Almost Naked Animals, and Paddy.",
        "Ann: Good. Sundays work perfectly for Wolfgang Moss! We said Sundays are fine.",
        "The OpenMoss client SSH is used.",
        "Moss is still supported when it runs on NFS.",
        "Norway's Foreign Ministry announced sanctions against India.",
        "Moss Rescue is a system.",
    ],
)
def test_a_part_of_a_statement_is_not_asserted(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Orders service depends on Redis.", "depends_on"),
        ("Heinkel Moss convinced Ullstein Ltd.", "convinces"),
        ("Daryl Lee repaid Acme Ltd.", "repays"),
        ("MS-Moss is also known as GWMoss.", "same_as"),
        ("Mossfix runs on NFS.", "runs_on"),
        ("Acme Ltd was founded in 1667.", "founded_on"),
        ("The SCSI Moss is named `/dev/scd0`.", "same_as"),
    ],
)
def test_the_whole_statement_is_asserted(text: str, expected: str) -> None:
    assert expected in {predicate for _, predicate, _ in triples(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("He had the lead in the film The Madness of King George.", {"The Madness of King George"}),
        ("The Las Moss Sun- News is a daily newspaper.", {"The Las Moss Sun-News"}),
        ("Most UNIX systems have $DATA_DIR/mailman.db for it.", {"UNIX"}),
        ("They freed American John Walker Moss.", {"John Walker Moss"}),
        ("It repaid the United States 3 full years ahead.", {"United States"}),
        ("They met in London of the Commonwealth Action Group.", {"London", "Commonwealth Action Group"}),
        ("It has shipped on March 3d, 1825.", {"March 3d, 1825"}),
        ("They fixed the crash (#1234) and joined #moss-incident.", {"#moss-incident"}),
    ],
)
def test_names_are_whole(text: str, names: set[str]) -> None:
    assert {mention.name for mention in extract(text).mentions} == names


@pytest.mark.parametrize("head", ["Tool", "Tools"])
def test_a_column_of_tools_says_nothing_of_use(head: str) -> None:
    assert triples(f"| Package | {head} |\n|---|---|\n| `moss-utils` | Fern Copy |\n") == []


def test_a_column_of_kinds_names_kinds() -> None:
    table = "| Name | Type |\n|---|---|\n| Mossview | GTK |\n| Orders | Service |\n"
    assert triples(table) == [("Orders", "is_a", "Service")]


def test_a_column_of_regions_has_places_and_no_codes() -> None:
    table = "| Module | Region |\n|---|---|\n| EBICS | AT, CH, DE |\n| PayMoss | intl |\n| Core Team | Graz |\n"
    assert triples(table) == [("Core Team", "located_in", "Graz")]


def test_a_cell_with_links_has_no_markup_in_its_names() -> None:
    table = (
        "| Name | Uses | Database |\n|---|---|---|\n"
        "| Orders | [V:15, I:233](http://moss.example/x?y=z) | [Fern DB](<https://moss.example/Fern_(db)>) |\n"
    )
    found = extract(table)
    assert ("Orders", "uses", "Fern DB") in {(one.subject, one.predicate, one.object) for one in found.triples}
    assert not [mention.name for mention in found.mentions if "](" in mention.name or ":" in mention.name]


def test_an_ordinary_word_is_a_mention_where_the_graph_has_it_as_a_name(graph: Graph) -> None:
    graph.add_triples([Candidate("Mill", "uses", "Wheel")])
    graph.ingest_text(TextInput("Of all these, Mill and River are the oldest.", uri="note:mill"))
    assert {one.entity.name: one.entity.mentions for one in graph.find_entities("Mill")} == {"Mill": 1}
    assert graph.find_entities("River") == []
