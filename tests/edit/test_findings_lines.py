"""What a client found in chunks, as lines: read, and each that is none of the form left out alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from mcp_graphrag.clean_input import parse_time
from mcp_graphrag.edit.find_quote import find_quote, nearest_name, nearest_sentence
from mcp_graphrag.edit.findings_lines import Dropped, EntityFound, line_of, read_lines
from mcp_graphrag.model import Candidate
from mcp_graphrag.server.reading_guide import GUIDE

TEXT = """Since “March” 2021 **Priya Nair** has
led the search team. Its index — new this year — runs on `Lucene`, which she introduced.
"""


def test_lines_are_read_as_triples_by_chunk_and_repeat_only_what_changes() -> None:
    text = r"""
        chunk 12
        Priya Nair | Person | leads | search team | Team | has led | 2021-03..2023
        | | not uses | A\|B
        name Lucene | Technology | the index
        nothing 13-15, 18
        chunk 20:
        #7 || met | Priya Nair ||| ..2024"""
    found, dropped = read_lines(text)
    assert dropped == []
    assert [each.citation for each in found] == ["12", "13", "14", "15", "18", "20"]
    march, year, next_ = (parse_time(each, "") for each in ("2021-03", "2023", "2024"))
    leads = Candidate("Priya Nair", "leads", "search team", "Person", "Team", quote="has led")
    assert found[0].triples == [
        replace(leads, valid_from=march, valid_to=year),
        Candidate("Priya Nair", "not uses", "A|B", "Person", quote="has led"),
    ]
    assert (found[0].entities, found[0].lines) == ([EntityFound("Lucene", "Technology", "the index")], [5, 3, 4])
    assert found[-1].triples == [Candidate("#7", "met", "Priya Nair", None, "Person", quote="", valid_to=next_)]


@pytest.mark.parametrize(
    ("line", "reason", "mended"),
    [
        ("Ann | leads | Team", "not a line of findings", "Ann | | leads | Team"),
        ("Ann | P | has | B | T | x | y | z", "not a line of findings", r"Ann | P | has | B | T | x\|y\|z"),
        ("Ann", "not a line of findings", ""),
        ("nothing 9-2", "not a line of findings", ""),
        ("Ann | P | has | B | T | x | soon", "the first date is 'soon', which is no date", ""),
    ],
)
def test_a_line_that_cannot_be_read_is_left_out_alone(line: str, reason: str, mended: str) -> None:
    (found,), (dropped,) = read_lines(f"chunk 1\n{line}\nAnn | Person | knows | Bob | | x")
    assert [each.object for each in found.triples] == ["Bob"]
    assert dropped == Dropped("1", "line 2", reason, dropped.hint, mended)


def test_a_triple_before_any_chunk_is_left_out() -> None:
    assert read_lines("A | | b | C | | d")[1][0].reason == "no chunk is named above it"


def test_a_triple_as_a_line_is_read_as_the_same_triple() -> None:
    triple = Candidate("A|B", "runs on", "C", None, "T", quote="A|B runs on C", valid_from=parse_time("2024", ""))
    assert line_of(triple) == r"A\|B |  | runs on | C | T | A\|B runs on C | 2024-01-01.."
    (found,), _ = read_lines(f"chunk 1\n{line_of(triple)}")
    assert found.triples == [triple]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ('since "March" 2021 Priya Nair has led', "Since “March” 2021 **Priya Nair** has\nled"),
        ("> Priya Nair** has\n> led", "Priya Nair** has\nled"),
        ("Its index - new … Lucene", "Its index — new this year — runs on `Lucene"),
        ("runs [...] she", "runs on `Lucene`, which she"),
        ("ear", None),
        ("she … runs", None),
        ("…", None),
    ],
)
def test_a_quote_is_found_whatever_its_layout_and_an_ellipsis_skips_words(quote: str, words: str | None) -> None:
    span = find_quote(quote, TEXT)
    assert (TEXT[slice(*span)] if span else None) == words


def test_the_nearest_sentence_and_name_are_proposed_if_they_are_near() -> None:
    assert nearest_sentence("The index runs on Lucene, that she introduced", TEXT).startswith("Its index")
    assert (nearest_sentence("Nobody left", TEXT), nearest_name("Solr", TEXT)) == ("", "")
    assert nearest_name("Pria Nair", TEXT) == "Priya Nair"


def test_the_lines_that_the_guide_and_the_page_show_can_be_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reading.md").read_text("utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0]
    found, dropped = read_lines(shown)
    assert (dropped, [len(each.triples) for each in found]) == ([], [4, 0, 0, 0, 0])
    assert all(line in shown for line in GUIDE.partition("chunk 12\n")[2].partition("\n\n")[0].splitlines())
