import re

import pytest

from mcp_graphrag.ingest.html.read_html import read_html

PROSE = "<p>The ledger service writes every payment twice, and the second copy goes to the archive in Oslo.</p>"
TEXT = "The ledger service writes every payment twice, and the second copy goes to the archive in Oslo."
LINKS = "<ul><li><a href=a.html>Install</a><li><a href=b.html>Upgrade</a><li><a href=c.html>Remove</a></ul>"

PAGES = {
    "a role for the main part, navigation in sidebars": (
        "<div class=related role=navigation><h3>Navigation</h3><a href=i>index</a> <a href=n>next</a> | Guide</div>"
        f"<div class=body role=main><h1>Ledger<a class=headerlink href=#l title='Link'>¶</a></h1>{PROSE}</div>"
        f"<div class=sphinxsidebar><h3>Table of Contents</h3>{LINKS}<p>This page: show source</p></div>"
        "<div class=footer>© 2024 Example. Made with a generator.</div>"
    ),
    "tables around the section, no landmarks": (
        "<div class=navheader><table><tr><th colspan=3>Chapter 5. Ledger<tr><td><a accesskey=p href=p>Prev</a>"
        "<td>Part II<td><a accesskey=n href=n>Next</a></table></div>"
        f"<div class=sect1><h1>Ledger</h1><div class=toc><dl><dt>5.1. <a href=#s>Writing</a></dl></div>{PROSE}</div>"
        "<div class=navfooter><table><tr><td><a href=p>Prev</a><td><a href=n>Next</a><tr><td>Chapter 4. Cards<td>5.2."
        " Archive</table></div>"
    ),
    "a list of links in front of the title": (
        "<div id=path><a href=/>Example</a> &gt; <a href=/d>Documents</a> &gt; <a href=/d/5>Version 5</a></div>"
        f"<div id=column2>{LINKS}</div><div id=column1><h1>Ledger</h1>{PROSE}</div>"
    ),
    "the contents of the page below its title": (
        "<h1>Ledger</h1><h2>On this page</h2><ul><li><a href=#a>Writing</a><li><a href=#b>Reading</a><li>"
        f"<a href=#c>Archive</a></ul>{PROSE}"
    ),
    "links of header lines without classes": (
        "<p>Next: <a href=n accesskey=n rel=next>Reading</a>, Previous: <a href=p accesskey=p rel=prev>Cards</a>"
        f" [<a href=t rel=contents>Contents</a>]</p><h1>Ledger</h1>{PROSE}"
    ),
    "a footer of links that only its words tell": (
        f"<h1>Ledger</h1>{PROSE}<hr><div class=header><p>Next: <a href=n>Reading</a>, Previous: <a href=p>Cards</a>,"
        " Up: <a href=u>Money</a> &nbsp; [<a href=t rel=contents>Contents</a>]</p></div>"
    ),
    "a table of links that only their words tell": (
        f"<h1>Ledger</h1>{PROSE}<div class=foot><table><tr><td><a href=p>&lt;&lt; Prev</a><td><a href=h>Home</a><td>"
        "<a href=n>Next &gt;&gt;&gt;</a><tr><td>Cards of the bank<td>&nbsp;<td>Archive</table></div>"
    ),
    "a bar of links around the name of the page": (
        "<div class=tocset><div class=tocview><table><tr><td>1 <a href=a>Money</a><tr><td>2 <a href=b>Cards</a></table>"
        "</div></div><div class=maincolumn><div class=navsettop><div class=navleft><a href=t>top</a> contents</div><div"
        f" class=navright><a href=p>← prev</a> <a href=n>next →</a></div></div><h1>Ledger</h1>{PROSE}</div>"
    ),
    "a site made of components": (
        "<div id=__app><a class='skipToContent skip-link' href=#m>Skip to content</a><div class='Layout has-sidebar'>"
        f"<div class=VPSidebar><div class=group>{LINKS}</div></div><main><div class='theme-doc-markdown markdown'>"
        f"<header><h1>Ledger<a class=hash-link href=#ledger>\u200b</a></h1></header>{PROSE}</div>"
        "<div class=pagination-nav><a href=p>Previous: Cards</a><a href=n>Next: Archive</a></div></main></div></div>"
        "<div class=cookie-banner><p>We use cookies to count visits.</p><a href=/privacy>More</a></div>"
    ),
    "a blog": (
        "<header class=site-header><p class=site-title><a href=/>Ann writes</a></p><p>Notes on ledgers</p></header>"
        f"<article><header><h1>Ledger</h1></header>{PROSE}<footer>Posted in <a href=/c>Notes</a></footer></article>"
        f"<aside class=widget-area><h2>Recent posts</h2>{LINKS}</aside><footer>Proudly powered by a program</footer>"
    ),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_main_content_of_a_page_is_read_without_its_navigation(page: str) -> None:
    lines = [line for line in read_html(f"<html><body>{page}").text.split("\n") if line]
    assert lines[0] == "# Ledger"
    assert lines[-1] == TEXT
    assert lines[1:-1] in ([], ["## On this page"])


@pytest.mark.parametrize(
    "kept",
    [
        "<aside class=sidebar>Why twice? An auditor asked for it.</aside>",
        "<section id=navigation><h2>Navigation</h2><p>The menu has three entries.</section>",
        "<div class=section id=footer><h2>Footer</h2><p>It shows the version.</div>",
        "<blockquote>Write it twice.<cite>Ann</cite></blockquote>",
        "<p>See <a rel=next href=n>the next chapter</a> on how the archive is read again.</p>",
        "<h2>Writers</h2><h2>See also</h2><ul><li><a href=#a>post</a><li><a href=#b>void</a><li><a href=#c>x</a></ul>",
    ],
)
def test_content_that_only_looks_like_navigation_is_kept(kept: str) -> None:
    text = read_html(f"<main><h1>Ledger</h1>{PROSE}{kept}</main>").text
    words = re.findall(r"\w+", re.sub("<[^>]*>", " ", kept))
    assert re.findall(r"\w+", re.sub(r"\]\(\S*\)", "", text.partition(TEXT)[2])) == words


def test_a_page_of_links_is_kept_without_its_navigation() -> None:
    page = f"<nav><a href=/>Home</a></nav><h1>Modules</h1>{LINKS}"
    assert read_html(page).text == "# Modules\n\n- [Install](a.html)\n- [Upgrade](b.html)\n- [Remove](c.html)"


def test_the_whole_page_is_read_where_little_would_remain() -> None:
    page = f"<main><p>Loading…</main><div class=footer>{PROSE}</div>"
    assert TEXT in read_html(page).text


def test_a_small_main_element_beside_long_text_is_not_all_that_is_read() -> None:
    assert read_html(f"<main>Welcome.</main><div>{PROSE}</div>").text == f"Welcome.\n\n{TEXT}"
