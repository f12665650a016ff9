"""What is said of one use, part or example of a thing is not said of the thing."""

import pytest
from extract_helpers import extract, phrases, triples

PAIRS = [
    ("Moss began in January 6, 2006.", "The Moss package for fern began in January 6, 2006 with patch 204."),
    ("Vexor provides Redis.", "Vexor provides Redis, Solaris & Windows clients."),
    ("Vexor 1.10 works with Moss 8.", "Vexor 1.10.* works with Moss 8 and higher, Vexor 1.9.* works with Moss 7."),
    ("Vexor is operated by Acme Corp.", "It is other than Vexor operator VX_OP_implicit in size."),
    ("MossTool is written in Rust.", "The MossTool algorithm is written in file `moss_program.c`."),
    (
        "Vexor ignores `old_style`.",
        "You can specify the old list by hand, in which case Vexor ignores the `old_style` setting.",
    ),
    (
        "Vexor Guide was written by Ann Lee.",
        "Thanks to Ann Lee who wrote Vexor Moss HOWTOhttp://a.example/HOWTO.html for the team.",
    ),
    ("Vexor is a kernel.", "Vexor is an engine."),
    ("flush_all (old_size, new_size)", "flush_all (default: old_size, new_size)"),
    ("MossTool talks to Redis.", "Thanks to Jim Gifford who talked to Microsoft about it."),
    ("`run_old()` uses `TokPrec`.", "To do this, we invoke the `run_old` function using `TokPrec` as the rank."),
    ("## Vexor\n\nVexor was written by Ann Lee.", "## Prehistory Perspective\n\nIt was written by Ann Lee."),
    ("Vexor is a kernel.", "It has packages for Vexor, a working tool chain, kernel and board specific modules."),
    ("MossTool depends on Redis.", "MossTool for Solaris depends on Redis."),
    ("`VexorPool` calls `flush_all()`.", "This `VexorPool` calls `flush_all()`."),
    ("VexorBox, which holds a `MossNode`, is old.", "One `Screen` can take a `VexorBox` that holds a `MossNode`."),
    ("Vexor supports Redis.", "Otherwise Vexor supports Redis."),
    ("Vexor supports Redis.", "In some ways Vexor supports Redis."),
    ("Vexor supports Redis.", "A name is kept in lower case -- e.g., Vexor supports Redis."),
    (
        "Vexor has a look at Moss Documentation.",
        "To build the tools, Vexor itself and Vexor applications please have a look at the Moss Documentation.",
    ),
    ("Vexor holds a stake in Acme Corp.", "Vexor holds at least one stake in Acme Corp."),
    ("Vexor targets a fix for Solaris.", "Vexor only targets a fix for Solaris."),
    ("VexorPool finds the `i32` of a list.", "VexorPool finds the largest `i32` of a list."),
    ("Vexor uses Parts of Moss.", "Vexor uses Partial Renewal (PR) Parts of Moss."),
    ("Vexor is a version of `many-maker`.", "Vexor is a version of the `many-maker`, one-taker channel."),
    (
        "The Vexor Guide explains the origin of Fernland.",
        'The section called "Vexor Guide" explains the origin of Fernland.',
    ),
    ("Moss is an article extractor written in Java.", "Moss was originally an article extractor written in Java."),
    ("Ann Lee is the owner of Moss.", "Ann Lee is the product owner of Moss."),
    ("The ICAS audits the Fern Group.", "ICAS audits Fern Group"),
    ("Ann Lee uses Moss to read mail.", "Ann Lee used the Moss Army to protect the harbour."),
    ("Moss used Fern on 3 May 2024.", "Moss used Fern prior to version 1.0."),
    ("Moss is made by the Fern Laboratory of AI.", "Moss is made by the Fern Laboratory of AI and NLP."),
    ("Apache supports SNI.", "QUICK LOOK Apache supports SNI"),
    ("`moss_flag` is part of Fernware.", "`moss_flag` Added to Fernware"),
    ("Fern_Cache depends on Moss.", "G_1 depends on Moss."),
    ("Moss was found by Ann Lee in May 2006.", "Moss was found by Ann Lee in May 2006 to omit the header."),
    ("Ann Lee, Moss Corp's manager, lives in Graz.", "Gold rises, said Ann Lee, Moss Corp's manager of currencies."),
    ("Moss requires TLS.", "Moss requires TLS for app links."),
    ("The Moss Service went to the Fern Team in 2020.", "Kerry-Ann went to the Fern School in 2020."),
    ("The Moss project was started in 2017.", "Kerry-Ann started with us in 2017."),
    ("Mossworks is in Norway.", "Mossworks becomes first in Norway to be awarded two stars."),
    ("The Moss Review was published in 2004.", "The Moss Review was printed in Graz."),
    ("The Fern Group is in Springfield, Oregon.", "The Fern office is in Washington, DC."),
    ("Ann Lee led the Moss Team.", "Ann Lee led the Moss Team to victory."),
    ("Acme Corp audits Fern Corp.", "Acme Corp presses Fern Corp on its prices."),
    ("Acme Corp audits Fern Corp.", "Acme Corp audits Fern Corp for a client."),
    ("Acme Corp placed an order with Fern Corp.", "Acme Corp placed the second largest order with Fern Corp."),
    ("Acme Corp supports the use of Fernware.", "Acme Corp supports a different use of Fernware."),
    ("The Moss User Guide ships with Fernware.", "The User Guide ships with Fernware."),
    ("The Moss README ships with Fernware.", "The README ships with Fernware."),
    ("Ann Lee moved to Graz.", "Ann Lee moved from Karoline Berg to Emil Holm."),
]


@pytest.mark.parametrize(("said", "of_one"), PAIRS, ids=[of_one for _, of_one in PAIRS])
def test_what_holds_of_one_use_of_a_thing_is_not_stated_of_it(said: str, of_one: str) -> None:
    assert triples(said)
    assert not triples(of_one)


@pytest.mark.parametrize(
    "text",
    [
        "The GNU linker can be used by naming `moss-gcc` as the linker.",
        "The MossTool feature can be used in order to read old files.",
        "Bug 4 assigns cons a result type of int.",
        "The HTML generated for a Moss document needs relative links.",
        "Table B-1 lists old numbers of the empire.",
        "MossTool requires the old version of the empire",
        "`Flo:set-moss!` replaces the old environment of the empire.",
        "The `encoding:` field describes the details of the type.",
        "The `nb_old` configuration field sets the old size of the empire.",
        "`di_index` is the struct member index based on old files.",
        "MossTool refuses mail that is longer than the specified limit.",
        "MossTool performs complex tasks for the empire.",
        "MossTool is about 900 pages on the empire.",
        "`moss_reduce` applied to a list of old numbers.",
        "MossTool has the potential to transform old markets.",
        '"Old tools are bad," he said. "MossTool is the tool that has been bad towards its users. "It is old.',
    ],
)
def test_a_way_or_a_part_of_a_document_gives_no_phrase(text: str) -> None:
    assert phrases(text) == []


def test_an_abbreviation_in_brackets_is_nobody_who_drives() -> None:
    assert triples("The Netvex Poll Mode driver (NPM) gives support to old machines.") == []


def test_a_cell_that_goes_on_behind_a_name_names_something_else() -> None:
    head = "| Title | Owner |\n|---|---|\n"
    assert triples(f"{head}| Moss Ledger | Ann Lee |\n")
    assert not triples(f"{head}| Moss Ledger and Concepts Guide | Ann Lee |\n")


def test_a_driver_with_an_acronym_is_no_person() -> None:
    found = extract("The NPM PMD is a virtual poll mode driver which schedules operations.")
    assert {one.type for one in found.mentions if one.name == "NPM PMD"} == {None}


def test_the_day_of_something_else_is_not_that_of_the_verb() -> None:
    held = extract("MossCon was held in Graz from 11 to 18 August 2013, with talks on it, and a Moss Day on 11 August.")
    assert [(one.predicate, one.metadata.get("when")) for one in held.triples] == [("held_in", None)]


def test_a_month_may_be_of_a_year() -> None:
    joined = extract("Ann Lee joined Fern Group in January of 1999.")
    assert [one.metadata.get("when") for one in joined.triples] == ["January of 1999"]
