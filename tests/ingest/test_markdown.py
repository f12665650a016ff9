import pytest

from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.reader import Reading


def blocks_of(reading: Reading) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.kind, reading.text[block.start : block.end], block.headings) for block in reading.blocks]


def test_blocks_partition_the_text_and_have_their_heading_paths() -> None:
    reading = read_markdown(
        "\n# A\n\nOne.\n\n## B *b* `c`\n- x\n- y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\n# no\n```\n# D\n"
    )
    assert blocks_of(reading) == [
        ("heading", "\n# A\n\n", ("A",)),
        ("text", "One.\n\n", ("A",)),
        ("heading", "## B *b* `c`\n", ("A", "B b c")),
        ("list", "- x\n- y\n\n", ("A", "B b c")),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |\n\n", ("A", "B b c")),
        ("code", "```py\n# no\n```\n", ("A", "B b c")),
        ("heading", "# D\n", ("D",)),
    ]
    assert reading.title == "A"


def test_heading_paths_are_right_after_skipped_and_higher_levels() -> None:
    reading = read_markdown("# A\n### C\n## B\n# Z\n#\n")
    assert [(block.kind, block.headings) for block in reading.blocks] == [
        ("heading", ("A",)),
        ("heading", ("A", "C")),
        ("heading", ("A", "B")),
        ("heading", ("Z",)),
        ("text", ("Z",)),
    ]


def test_a_table_needs_a_delimiter_for_every_header_cell() -> None:
    assert [kind for kind, _, _ in blocks_of(read_markdown("a | b\n--- | ---\n1 | 2\n\na | b\n| --- |\n"))] == [
        "table",
        "text",
    ]


@pytest.mark.parametrize(
    "blocks",
    [
        [
            ("heading", "Title\n=====\n", ("Title",)),
            ("text", "<!-- # no -->\n\n", ("Title",)),
            ("heading", "Sub\n---\n", ("Title", "Sub")),
            ("text", "text", ("Title", "Sub")),
        ],
        [("text", "a\n\n", ()), ("code", "```\n# x\n\n| b |\n", ())],
        [("text", "text\n", ()), ("table", "| a |\n|---|\n| 1 |\n", ()), ("text", "> q\n", ())],
        [("code", "---\na: 1\n---\n\n", ())],
    ],
    ids=["setext headings and comments", "unclosed code", "a table before another block", "front matter alone"],
)
def test_a_text_has_these_blocks(blocks: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert blocks_of(read_markdown("".join(text for _, text, _ in blocks))) == blocks


def test_front_matter_provides_metadata_and_title() -> None:
    front = (
        "---\ntitle: 'The: Title'\ndraft: true\norder: 3\nversion: 1.10\ntags: [a, 'b']\n"
        "authors:\n  - Ann  # chief\n  - Bob\nabout: >\n  long\n  words\nnested:\n  deep: 1\n"
        "people:\n  - name: x\nempty:\n---\n"
    )
    reading = read_markdown(front + "# Other\n")
    assert reading.metadata == {
        "title": "The: Title",
        "draft": True,
        "order": 3,
        "version": "1.10",
        "tags": ["a", "b"],
        "authors": ["Ann", "Bob"],
        "about": "long words",
    }
    assert reading.title == "The: Title"
    assert blocks_of(reading) == [("code", front, ()), ("heading", "# Other\n", ("Other",))]


@pytest.mark.parametrize(
    "front", ["---\nTitle: Tides\nAUTHOR: Ann\n---\n", '+++\nTitle = "Tides"\nAUTHOR = "Ann"\n+++\n']
)
def test_keys_of_front_matter_are_the_same_in_any_case(front: str) -> None:
    reading = read_markdown(front + "# Other\n")
    assert (reading.title, reading.metadata) == ("Tides", {"title": "Tides", "author": "Ann"})


def test_prose_between_rules_is_not_front_matter() -> None:
    assert read_markdown("---\nNote: words\nthat go on.\n---\nmore\n").metadata == {}
