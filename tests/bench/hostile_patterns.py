"""The patterns of hostile documents: what each is a text of, by kind and name."""

from collections.abc import Callable, Mapping

Make = Callable[[int], str]
ORDINARY = (
    "The Ferry Service depends on the Tide Database, which Ann Lee has run since 3 May 2021. It was written for the"
    " harbour office in Cork and reads {} tables each night. When a table is late, the service waits and says so.\n\n"
)
MEDIA_TYPES = {
    "md": "text/markdown",
    "html": "text/html",
    "txt": "text/plain",
    "json": "application/json",
    "py": "text/x-python",
    "js": "text/javascript",
    "ts": "text/typescript",
    "go": "text/x-go",
    "rs": "text/x-rust",
    "java": "text/x-java",
    "yaml": "application/yaml",
    "csv": "text/csv",
    "rst": "text/x-rst",
    "adoc": "text/asciidoc",
    "vtt": "text/vtt",
    "ipynb": "application/x-ipynb+json",
}


def repeated(unit: str, before: str = "", after: str = "") -> Make:
    """Documents of one unit over and over."""
    return lambda size: before + unit * (max(size - len(before) - len(after), 1) // len(unit) + 1) + after


def nested(opening: str, closing: str, inside: str = "x") -> Make:
    """Documents of one pair of marks in itself."""
    return lambda size: _nested(opening, closing, inside, size // (len(opening) + len(closing)))


def _nested(opening: str, closing: str, inside: str, depth: int) -> str:
    return opening * depth + inside + closing * depth


def numbered(unit: str, before: str = "", after: str = "", join: str = "") -> Make:
    """Documents of one unit with a running number in it."""
    return lambda size: before + join.join(unit.format(at) for at in range(size // (len(unit) + 3))) + after


def growing(unit: str, between: str) -> Make:
    """Documents of runs of a unit, each one longer than the one before."""
    return lambda size: between.join(unit * (1 + at) for at in range(int((2 * size / len(unit)) ** 0.5)))


def ordinary(size: int) -> str:
    """An ordinary text with other names in each paragraph."""
    return "".join(ORDINARY.format(at) for at in range(size // len(ORDINARY) + 1))[:size]


def wide_table(rows: int) -> Make:
    """A Markdown table of few rows and very many columns."""

    def make(size: int) -> str:
        columns = size // (rows + 1) // 4
        return f"|{'---|'.join(['', *[''] * columns])}".join([f"|{' x |' * columns}\n", "\n"]) + (
            f"|{' y |' * columns}\n" * (rows - 1)
        )

    return make


def indented(unit: str) -> Make:
    """Lines each deeper than the one before."""
    return lambda size: "".join(" " * 2 * at + unit for at in range(int(size**0.5)))


def html(unit: str, before: str = "", after: str = "") -> Make:
    """A page of one unit over and over."""
    return repeated(unit, f"<html><body>{before}", f"{after}</body></html>")


MARKDOWN: Mapping[str, Make] = {
    **{f"run of {unit!r}": repeated(unit) for unit in "`*_~[]()<>!#-+=|\\:&\"'@/.,;?{}$%^0aA \t\n"},
    **{
        f"{unit!r}": repeated(unit)
        for unit in (
            *("# a\n", "- a\n", "1. a\n", "> a\n", "| a\n", "a\n", "a\n\n", "A\n", "a\n=\n", "a\n-\n", "***\n", "#\n"),
            *(
                "- \n",
                ">\n",
                "```\n",
                "``` ",
                "~~~\n",
                "    a\n",
                "\ta\n",
                "[a",
                "[a]",
                "[a](b)",
                "[a](",
                "![a](b",
                "[[a",
            ),
            *(
                "[a]: b\n",
                "[a][b]",
                "[^1] ",
                "[^1]: a\n",
                "<a",
                "<a ",
                "<a>",
                "</a>",
                "<!--",
                "<!-- a -->",
                "<?",
                "<![CDATA[",
            ),
            *(
                "*a ",
                "**a ",
                "*a_ ",
                "_a*",
                "a**b",
                "*a*",
                "**a**",
                "~~a~~",
                "`a` ",
                "`` ` ",
                "&amp;",
                "&#0;",
                "&a",
                "\\*",
            ),
            *("a|b\n-|-\n", "|a|b|\n", "|-|\n", "- [ ] a\n", "- a: b\n", "**a:** b\n", "# A\na\n", "## a\n\nb\n\n"),
            *(
                "http://a.b ",
                "a@b.c ",
                "https://",
                "www.",
                "../a.md ",
                "/a/b/c ",
                "C:\\a\\b ",
                "::: a\n",
                "{#a} ",
                "$$a$$ ",
            ),
            *("Ann Lee ", "Ann ", "Ann Lee and ", "Ann of ", "A. B. ", "Mr. ", "Ann's ", "Ann, ", "Ann (Bob) ", "Ann-"),
            *(
                "3 May 2024 ",
                "2024-05-03 ",
                "May ",
                "1999 ",
                "1,",
                "1.",
                "12:30 ",
                "from 1999 to ",
                "since 1999 ",
                "10% ",
            ),
            *("It is ", "who is ", "that ", "of the ", "and ", "not ", "is a ", "because ", "Ann depends on Bob. "),
            *(
                "Ann depends on ",
                "depends on Bob ",
                "Ann is the mother of ",
                "the owner of ",
                "; ",
                ". ",
                "! ",
                "? ",
                "... ",
            ),
            *(
                "“a” ",
                '"a" ',
                "'a' ",
                "“",
                "„",
                "«a» ",
                "said: “",
                "(a) ",
                "(a ",
                "[1] ",
                "\u00a0",
                "\u200b",
                "\u2028",
                "\r",
            ),
            *(
                "é",
                "ß",
                "İ",
                "中",
                "中文 ",
                "א ",
                "\U0001f600",
                "e\u0301",
                "\ufffd",
                "a_b ",
                "a.b.c ",
                "a::b ",
                "aB",
                "A1-",
            ),
            *("INC-1 ", "run() ", "f(", "x = 1; ", "a -> b\n", "a: b\n", "A: b\n", "Owner: Ann Lee\n", "Name | Role\n"),
            *("Ann: hi\n", "* * *\n", "a\\\n", "a  \n", "<br>", "<b>a</b>", "<div>\n", "<table><tr><td>a", "<script>"),
        )
    },
    "nested lists": indented("- a\n"),
    "nested numbered lists": indented("1. a\n"),
    "nested quotes": repeated("> ", after="a\n"),
    "lines of nested quotes": growing(">", "a\n"),
    "nested brackets": nested("[", "]"),
    "nested parentheses": nested("(", ")"),
    "nested links": nested("[", "](a)"),
    "nested emphasis": nested("*a ", " b*"),
    "nested quotation marks": nested("“", "”"),
    "growing runs of backticks": growing("`", " "),
    "growing runs of stars": growing("*", " a "),
    "growing runs of tildes": growing("~", "\n"),
    "growing words": growing("a", " "),
    "growing names": growing("A", " "),
    "one row of a very wide table": wide_table(2),
    "a very wide table of ten rows": wide_table(10),
    "a long table": repeated("| a | b |\n", "| a | b |\n|---|---|\n"),
    "a long table of names": numbered("| Ann{0} | Bob{0} |\n", "| Name | Owner |\n|---|---|\n"),
    "a table of one wide cell": repeated("a ", "| a | b |\n|---|---|\n| ", " | b |\n"),
    "an open fence": repeated("a\n", "```\n"),
    "fences of other lengths": growing("`", "\n"),
    "front matter of one long line": repeated("a", "---\nt: ", "\n---\na\n"),
    "front matter of very many keys": numbered("k{}: a\n", "---\n", "---\na\n"),
    "front matter without an end": repeated("a: b\n", "---\n"),
    "front matter of a long list": repeated("- a\n", "---\nk:\n", "---\na\n"),
    "front matter in brackets": repeated("a,", "---\nk: [", "]\n---\na\n"),
    "front matter of deep brackets": nested("[", "]", "a"),
    "TOML of deep brackets": lambda size: f"+++\na = {_nested('[', ']', '1', size // 2)}\n+++\na\n",
    "TOML of a number": repeated("9", "+++\na = ", "\n+++\na\n"),
    "link definitions": numbered("[a{}]: b\n"),
    "uses of one definition": repeated("[a] ", "[a]: b\n\n"),
    "headings of other names": numbered("# Ann{}\n"),
    "headings of six levels": repeated("".join(f"{'#' * level} a\n" for level in range(1, 7))),
    "one long heading": repeated("a ", "# "),
    "one long heading of markup": repeated("*a* `b` ", "# "),
    "one long word": repeated("a"),
    "other names": numbered("Ann{} Lee{} met Bob{}. ".replace("{}", "{0}")),
    "other names in a list": numbered("Ann{0} Lee, "),
    "other dates": numbered("In {:04d} Ann met Bob. "),
    "aliases": numbered("Ann{0} Lee, also known as A{0}, "),
    "a relation over many lines": repeated("Ann\ndepends\non\n"),
    "a sentence of clauses": repeated("who knows Ann, "),
    "a sentence of conjunctions": repeated("Ann and Bob and ", "The service depends on "),
    "abbreviations": repeated("Dr. J. R. St. "),
    "footnotes": numbered("a[^{0}]\n\n[^{0}]: b\n\n"),
    "references to headings": numbered("# A{0}\n\nsee [a](#a{0}) and A{0}\n\n"),
    "tasks": numbered("- [ ] Ann{} writes the plan\n"),
    "turns": numbered("Ann{}: I own the plan.\n"),
    "labels": numbered("Owner{0}: Ann{0} Lee\n"),
    "code names": numbered("`a_{0}` calls `b_{0}()`. "),
}

HTML: Mapping[str, Make] = {
    "attributes of one tag": numbered(" a{}=b", "<html><body><p", ">a</p></body></html>"),
    "attributes without a value": numbered(" a{}", "<html><body><p", ">a</p></body></html>"),
    "one long attribute": repeated("a", '<html><body><p class="', '">a</p></body></html>'),
    "classes of one tag": repeated("aB ", '<html><body><div class="', '"><p>a</p></div></body></html>'),
    "deep div": nested("<div>", "</div>"),
    "deep span": nested("<span>", "</span>"),
    "deep b": nested("<b>", "</b>"),
    "deep table": nested("<table><tr><td>", "</td></tr></table>"),
    "deep list": nested("<ul><li>", "</li></ul>"),
    "deep quotation": nested("<blockquote>", "</blockquote>"),
    "deep font": nested("<font>", "</font>"),
    "deep link": nested("<a href=b>", "</a>"),
    **{
        f"{unit}": html(unit)
        for unit in (
            *(
                "<p>a",
                "<p>a</p>",
                "<br>",
                "<li>a",
                "<td>a",
                "<b>",
                "<b><p>",
                "<a href=b>",
                "<a href=b>a</a> ",
                "<i><b></i>",
            ),
            *("<h1>a</h1>", "<pre>a\n", "<code>a</code>", "<img src=a>", "<input>", "<svg>", "<math>", "<template>"),
            *(
                "<script>",
                "<style>a{}</style>",
                "<!--",
                "<![CDATA[",
                "&amp;",
                "&#65;",
                "&lt;a&gt;",
                "</p>",
                "</b>",
                "<",
            ),
            *(
                "<select><option>a",
                "<form>",
                "<nav><a href=b>a</a></nav>",
                "<table><td>",
                "<dl><dt>a<dd>b",
                "<p\n",
                "<a b='",
            ),
        )
    },
    "a row of very many cells": html("<td>a</td>", "<table><tr>", "</tr><tr><td>a</td><td>b</td></tr></table>"),
    "spans of rows": html("<td rowspan=50 colspan=50>a</td>", "<table><tr>", "</tr></table>"),
    "rows of spans": html("<tr><td rowspan=50 colspan=50>a</td></tr>", "<table>", "</table>"),
    "a long row and many short ones": lambda size: (
        f"<table><tr>{'<td>a</td>' * (size // 20)}</tr>{'<tr><td>a</td></tr>' * (size // 38)}</table>"
    ),
    "meta tags": repeated("<meta name=author content=a>", "<html><head>", "</head><body>a</body></html>"),
    "a long title": repeated("a ", "<html><head><title>", "</title></head><body>a</body></html>"),
    "wide links": html("<li><a href='#a'>a b c</a></li>", "<ul>", "</ul><h1>T</h1><p>a</p>"),
}

TEXT: Mapping[str, Make] = {
    "an ordinary text": ordinary,
    "a text of one line": repeated("the ferry leaves the harbour in the morning "),
    "a text of short lines": repeated("a b\n"),
    "a text of empty lines": repeated("\n"),
    "a text of spaces": repeated(" ", "a", "a"),
    "a text of combining marks": repeated("\u0301", "a"),
    "a text of right-to-left marks": repeated("\u200f"),
    "a log": numbered("2024-05-03 12:30:00 ERROR service-{} failed: timeout\n"),
    "mail quotes": repeated("> > > a\n"),
}

DATA: Mapping[str, Make] = {
    "deep JSON": nested("[", "]", "1"),
    "deep JSON objects": nested('{"a":', "}", "1"),
    "a long JSON number": repeated("9", "[", "]"),
    "a long JSON list": repeated("1,", "[", "1]"),
}

LONG_NAME = "b" * 20
SOURCE: Mapping[str, Mapping[str, Make]] = {
    "js": {
        "nested functions": nested(f"function {LONG_NAME}(){{", "}"),
        "nested methods of objects": nested("x = {m() {", "}}", "this.a()"),
        "nested arrow functions": nested("const a = () => {", "}", "this.a();"),
        "nested calls": nested("f(", ")"),
        "nested lists": nested("[", "]"),
        "else if": numbered("if (a == {}) {{ this.f(); }} else ", "function f() { ", "{} }"),
        "a long sum": repeated("f(1) + ", "x = ", "1"),
        "a chain of calls": repeated(".f(this.a())", "x = a"),
        "functions on one line": numbered("function f{}(){{}}"),
        "functions below comments": lambda size: (
            "// a\n" * (size // 10) + "".join(f"function f{at}(){{}}" for at in range(size // 40))
        ),
        "comments on one line": repeated("/* a */ "),
        "methods": numbered("m{0}() {{ this.m{0}() }}\n", "class A {\n", "}"),
        "methods on one line": numbered("m{0}() {{ this.m{0}() }} ", "class A { ", "}"),
        "methods of a long name": lambda size: f"class {'A' * (size // 2)} {{\n" + "m() {}\n" * (size // 14) + "}",
        "imports": numbered('import {{ a{0} }} from "./b{0}"\n'),
        "classes that extend each other": numbered("class A{} extends B {{}}\n"),
        "strings": repeated("'a',", "x = [", "]"),
        "open brackets": repeated("{ (["),
    },
    "ts": {
        "decorators": repeated("@a m() {}\n", "class A {\n", "}"),
        "decorators of one method": repeated("@a ", "class A {\n", "m() {} }"),
        "nested types": nested("A<", ">", "B"),
        "nested namespaces": nested("namespace a {", "}"),
        "a dotted namespace": repeated("a.", "namespace ", "a {}"),
        "unions": repeated("A | ", "type A = ", "B"),
    },
    "py": {
        "nested classes": indented("class A:\n"),
        "nested calls": nested("f(", ")"),
        "classes": numbered("class A{0}(A{1}):\n    def f(self): self.f()\n".replace("{1}", "{0}0")),
        "functions": numbered("def f{0}(): return f{0}()\n"),
        "decorators": repeated("@a\n", "", "def f(): pass\n"),
        "a chain of attributes": repeated(".a", "x = a"),
        "a string": repeated("a ", '"""', '"""\n'),
        "imports": numbered("from .a{0} import b{0}\n"),
        "names": numbered("a{} = "),
    },
    "java": {
        "nested classes": nested("class A{", "}"),
        "nested anonymous classes": nested("void f(){new A(){", "}};", ""),
        "nested blocks": nested("{", "}"),
        "methods": numbered("void m{0}() {{ m{0}(); }}\n", "class A {\n", "}"),
        "annotations": repeated("@A ", "class A { ", "void f() {} }"),
        "constants of an enum": numbered("A{} {{ }},", "enum A {", "}"),
        "nested generics": nested("List<", ">", "A"),
    },
    "go": {
        "nested functions": nested("func() {", "}()"),
        "nested structs": nested("struct { a ", "}"),
        "types": numbered("type A{0} struct {{ B{0} }}\n", "package a\n"),
        "methods": numbered("func (a A) m{0}() {{ a.m{0}() }}\n", "package a\ntype A struct {}\n"),
    },
    "rs": {
        "nested modules": nested("mod a {", "}"),
        "nested uses": nested("use a::{", "};", "b"),
        "a long path": repeated("a::", "use ", "b;"),
        "implementations": numbered("impl A{0} for B {{ fn f(&self) {{ self.g() }} }}\n"),
        "nested blocks": nested("{", "}"),
        "macros": nested("a!(", ")"),
    },
}
OTHERS: Mapping[str, Mapping[str, Make]] = {
    "yaml": {
        "deep lists": nested("[", "]", "1"),
        "keys": numbered("k{}: a\n"),
        "deep keys": indented("k:\n"),
        "anchors": numbered("k{0}: &a{0} [*a{0}]\n"),
    },
    "csv": {
        "rows": numbered("a{0},b{0}\n", "a,b\n"),
        "columns": repeated("a,", "", "\n"),
        "quotes": repeated('"a""'),
    },
    "rst": {"sections": repeated("a\n=\n\n"), "directives": repeated(".. a::\n\n"), "quotes": indented("a\n\n")},
    "adoc": {"sections": repeated("== a\n\n"), "lists": indented("* a\n"), "blocks": repeated("----\na\n")},
    "vtt": {"cues": repeated("00:00:01.000 --> 00:00:02.000\na\n\n", "WEBVTT\n\n")},
    "ipynb": {
        "cells": repeated('{"cell_type": "markdown", "source": "a"},', '{"cells": [', "{}]}"),
        "deep cells": nested('{"cells": [', "]}", "{}"),
    },
}

KINDS: Mapping[str, Mapping[str, Make]] = {
    "txt": TEXT,
    "md": MARKDOWN,
    "html": HTML,
    "json": DATA,
    **SOURCE,
    **OTHERS,
}
PATTERNS: Mapping[str, tuple[str, Make]] = {
    f"{kind}: {name}": (MEDIA_TYPES[kind], make) for kind, made in KINDS.items() for name, make in made.items()
}
