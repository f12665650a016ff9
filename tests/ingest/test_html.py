import pytest
from cpu_time import check_linear

from mcp_graphrag.ingest.html.read_html import read_html


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h1>A <a href='#a'>¶</a></h1><p>one<br>two</p>", "# A\n\none  \ntwo"),
        ("<ul><li>a<ol><li>b<li>c</ol>d<li>e</ul>", "- a\n  1. b\n  2. c\n\n  d\n- e"),
        ("<p>See <a href=' /x '> the <b>page</b></a>.", "See [the page](/x)."),
        ("<a href='javascript:x()'>go</a> <a href='/a b'>x</a>", "go [x](</a b>)"),
        ("<pre><code class='language-py'>if a:\n    b ```\n</code></pre>", "````py\nif a:\n    b ```\n````"),
        ("<pre>a<pre>b</pre>d</pre>c", "```\nabd\n```\n\nc"),
        ("<blockquote><p>a</p><ul><li>b</ul></blockquote>c", "> a\n> - b\n\nc"),
        (
            "<p># no heading<p>1. no list<p>```<p>--- <p>&lt;!-- x",
            "\\# no heading\n\n1\\. no list\n\n\\```\n\n\\---\n\n\\<!-- x",
        ),
        (
            "a b c<script>d</script><template>e</template><nav>f</nav><footer>g</footer><aside>h</aside>",
            "a b c\n\nh",
        ),
        ("a<p hidden>b</p><p style='Display : none'>c</p><!-- d --><p>&#1;e &amp; f", "a\n\ne & f"),
        ("<p>a <del>b c</del> d<ul><li><s>e</s></ul>", "a ~~b c~~ d\n\n- ~~e~~"),
        ("<del><p>a b<ul><li>c</ul></del><strike></strike>d", "~~a b~~\n\n- ~~c~~\n\nd"),
        ("<p>a</div></p></b><table><tr><td>b</td></table></body>c", "a\n\nb\n\nc"),
    ],
)
def test_a_page_becomes_markdown(page: str, text: str) -> None:
    assert read_html(page).text == text


def test_a_table_becomes_rows_under_its_header() -> None:
    page = (
        "<table><caption>C</caption><thead><tr><th>N<th colspan=2>V|w</thead>"
        "<tr><td rowspan=2>x<td>1<td><ul><li>a<li>b</ul><tr><td colspan=2>2<td>y</table>"
    )
    assert (
        read_html(page).text == "C\n\n| N | V\\|w |  |  |\n| --- | --- | --- | --- |\n| x | 1 | a b |\n| x | 2 |  | y |"
    )


def test_a_layout_table_is_read_as_page_content() -> None:
    page = "<table><tr><td><h2>Left</h2>text<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>"
    assert read_html(page).text == "## Left\n\ntext\n\n| a | b |\n| --- | --- |\n| c | d |"


def test_a_note_with_a_sign_is_no_table() -> None:
    page = "<table><tr><td rowspan=2><img alt='[Tip]'></td><th>Tip</th><tr><td>Read it <b>twice</b>.</table>"
    assert read_html(page).text == "[Tip]\n\nTip\n\nRead it twice."


def test_title_and_metadata_come_from_the_head() -> None:
    page = (
        "<title> The \n page </title><meta name=Author content=' Ann  B '><meta name=description content='What'>"
        "<meta name=viewport content=x><svg><title>icon</title></svg><h1>Other</h1>"
    )
    reading = read_html(page)
    assert (reading.title, reading.metadata) == ("The page", {"author": "Ann B", "description": "What"})


def test_list_items_below_the_eighth_level_stay_at_that_level() -> None:
    assert read_html("<ul><li>" * 9 + "x" + "</li></ul>" * 9 + "y").text == "- - - - - - - - x\n\ny"


@pytest.mark.parametrize("tag", ["div", "code", "ul><li", "blockquote", "span", "table><tr><td", "b", "p><code", "foo"])
def test_deeply_nested_pages_are_read_in_linear_time(tag: str) -> None:
    assert "x" in read_html(f"<{tag}>x " * 2_000).text
    check_linear(lambda size: read_html(f"<{tag}>x " * size), 10_000)


def test_unclosed_tags_are_read() -> None:
    assert read_html("<a " * 100_000).text == ""
