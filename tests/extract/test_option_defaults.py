"""Default values of options, by lists, headings, definitions and sentences of reference documentation."""

import pytest
from extract_helpers import stated

from mcp_graphrag.extract.structure.defaults import find_defaults
from mcp_graphrag.ingest.html.read_html import read_html
from mcp_graphrag.model import Document


def defaults(text: str, *, title: str = "") -> list[tuple[str, str]]:
    """The options of a Markdown text with their defaults."""
    return [(name, value) for name, predicate, value in stated(text, title=title) if predicate == "has_default"]


@pytest.mark.parametrize(
    "text",
    [
        "- `maxDepth` (default: `5`). How deep to look.",
        "- `maxDepth` (number, default: 5): how deep to look.",
        "* **maxDepth** How deep to look. Defaults to `5`.",
        "- `maxDepth`: how deep to look. The default is 5.",
        "#### `maxDepth`\n\nDefault: 5 (since 4.0).\n\nHow deep to look.",
        "#### `maxDepth`\n\n**Default:** `5`\n\nHow deep to look.",
        "### Options\n\n##### maxDepth\n\nHow deep to look, defaults to 5.",
        "`maxDepth`\n\nHow deep to look. Defaults to\n5.",
        "#### `maxDepth`\n\nDefault: 5.\n\nHow deep to look. Can be five (default) or six.",
        "maxDepth=integer [required]\n\nHow deep to look.\n\nDefault: 5\n",
    ],
)
def test_an_option_has_a_default(text: str) -> None:
    assert defaults(f"# Walker\n\n{text}\n") == [("maxDepth", "5")]


@pytest.mark.parametrize(
    "text",
    [
        "- `maxDepth` (default: see below). How deep to look.",
        "- `maxDepth` (no default). How deep to look.",
        "- `maxDepth` How deep to look. Defaults to 5 on Windows.",
        "- `maxDepth` How deep to look. Defaults to 5 if `walk` is set.",
        "- `maxDepth` How deep to look. The default is 5, unless `walk` is set.",
        "- `maxDepth` How deep to look. For archives, the default is 5.",
        "- `maxDepth` Used with `width`, which defaults to 5.",
        "- `maxDepth` Not to be mixed up with `width` (default: 5).",
        "- `maxDepth` How deep to look. The default is not 5.",
        "- `maxDepth` How deep to look. The default was 5 before 2.0.",
        "- `maxDepth` How deep to look. Is the default 5?",
        "- `maxDepth` How deep to look. Defaults to 5 or 6.",
        "- `enabled` (default: `5`). An option of many things.",
        "- `resolver` (default: `5`). An option of a thing that is not named.",
        "- `maxDepth` How deep to look.\n\nThe default is 5.",
        "## maxdepth\n\nHow deep to look, defaults to 5.",  # the section of a topic, under no heading for options
        "Variable: maxDepth\n\nNo default: 5 is only usual.",
        "`maxDepth`: matrix, def. 5-by-3",
        "#### `maxDepth`\n\nTransports supported:\n\n`amqp`\n\n- other\n\n## Others\n\nDefault: 5.",
    ],
)
def test_other_sentences_give_no_default(text: str) -> None:
    assert defaults(f"# Walker\n\n{text}\n") == []


def test_an_ordinary_word_is_the_option_of_the_program_of_the_title() -> None:
    text = "precision=integer\n\nHow many digits.\n\nDefault: 8\n"

    assert defaults(text, title="v.trim - manual") == [("v.trim precision", "8")]
    assert defaults(text) == []


def test_one_name_with_several_defaults_is_that_of_several_options() -> None:
    text = "## Logging in\n\n- `template_name` Defaults to `login.html`.\n\n"
    text += "## Logging out\n\n- `template_name` Defaults to `out.html`.\n"

    assert defaults(text) == []


def test_a_parameter_of_a_command_is_no_setting_of_that_name() -> None:
    text = "- `synchronous_commit` Waits for the disk. The default value is `off`.\n"

    assert defaults(text, title="CREATE SUBSCRIPTION") == [("CREATE SUBSCRIPTION synchronous_commit", "off")]


PAGE = """<html><body><h1>Tool</h1><dl>
<dt><code>-q</code><br><code>--quiet</code></dt><dd><p>Says nothing.</p></dd>
<dt><code>-t <em><code>n</code></em></code><br><code>--timeout=<em><code>n</code></em></code></dt>
<dd><p>Wait. The default is 3 seconds.</p></dd>
<dt><code>max_jobs</code> (<code>integer</code>)</dt><dd><p>How many. The default is one (<code>1</code>).</p></dd>
<dt>Anchor chain</dt><dd><p>The default is <code>27</code>.</p></dd>
</dl></body></html>"""


def test_what_is_said_below_a_term_is_said_of_it_and_of_no_option_above() -> None:
    read = read_html(PAGE)
    found = find_defaults(Document("note:1", "Tool", read.text, blocks=read.blocks))
    assert [(one.name, read.text[slice(*one.value)]) for one in found] == [
        ("--timeout", "3 seconds"),
        ("max_jobs", "1"),
    ]
