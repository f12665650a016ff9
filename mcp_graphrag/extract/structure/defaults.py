"""Default values of options: of a listed term ("`depth` (default: `5`)") or of a heading."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple, Line
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.lower_names import titled_name
from mcp_graphrag.model import Chunk, Document

HAS_DEFAULT = "has_default"
MAX_SECTION = 1_500  # characters behind a term or heading in which its default may stand
_NAME = r"-{0,2}[A-Za-z_$][\w.$-]{1,60}(?:\[\])?"
_VALUE = (
    r"(?:[\"“']?`{1,2}[\"']?(?P<code>[^`\n]{1,40}?)[\"']?`{1,2}[\"”']?|[\"“'‘](?P<quoted>[^\"”'’\n]{1,30})[\"”'’]"
    r"|(?P<plain>(?i:true|false|yes|no|on|off|enabled|disabled)"
    r"|-?\d[\d_,.]{0,12}(?<![,.])(?: ?(?:ms|s|sec|min|h|[KMG]i?B|%|bytes|milliseconds?|seconds?|minutes?|hours?|days?"
    r"|characters|pixels|px)(?![\w-]))?))(?![\w`%])(?!\.\d)"
)
_SAID = re.compile(
    r"(?:(?P<bracket>[(\[](?:[^()\[\]\n`]{0,40}[,;] *)?(?:optional,? )?[Dd]efaults?(?: value)?(?: is|:| =|=| to)? *)"
    r"|(?P<label>^[ \t]*(?:[-*+] )?[*_]{0,2}[Dd]efault(?: value)?[*_]{0,2}:[*_]{0,2} +)"
    r"|(?:(?<=[.,;)] )|(?<=[.,;]\n)|^[ \t]*(?:[-*+] )?)"
    r"(?:(?:It |and )?[Dd]efaults to|(?:The |the )?[Dd]efault(?: value)? is(?: set to)?)(?: +|\n[ \t]*(?=\S)))"
    r"(?P<value>the value of (?:your |the )?(?:\[)?`(?P<setting>[A-Za-z_][\w.-]{2,60})`"
    # "five minutes (`5min`)"
    rf"|(?:[a-z-]{{1,20}} ){{1,3}}\(`(?P<literal>[^`\n]{{1,40}})`\)|{_VALUE})?",
    re.MULTILINE,
)
# Behind a value: the end of what is said, or a case for which alone it holds.
_ENDED = re.compile(r"\s*(?:$|[;,)\]]|\.(?:\s|$)|\s\()", re.MULTILINE)
_BUT = re.compile(
    r"\b(?:unless|except|otherwise|if|when|whenever|where|depending|depends|for|until|before|prior|previously|was"
    r"|in production|in development|or)\b"
)
_SENTENCE_END = re.compile(r"\.(?:\s|\Z)|\n[ \t]*\n|\n[ \t]*[-*+] ")
# What opens the text of an option: a list item or a line of its own with its name in code or bold, or with "=value".
_TERM = re.compile(
    rf"^(?:(?P<lead>[ \t]*(?:[-*+•][ \t]+)?(?:\[)?(?:`|\*\*`?|__))(?P<name>{_NAME})"
    rf"(?:[ =]?[<\[{{]?[\w|.…-]+[>\]}}]?|\?)?(?:`?\*\*|`|__)"
    rf"|(?P<plain>{_NAME})=[\w.,\[\]|-]{{1,40}}(?: \[required\])?[ \t]*$)",
    re.MULTILINE,
)
# A line of a term that a document defines: an option with its values or type, in code or of a form that words lack.
_DEFINED = re.compile(
    r"(?:-[\w?], )?(?:(?P<code>[`*_]{1,3})|(?=--?\w|\w+[_.]\w))"
    rf"(?P<name>{_NAME})(?:(?<=\w)(?:[ =]|\[=)?[`*_]{{0,3}}[<\[{{]?[\w|.…-]*[>\]}}]?)?[`*_]{{0,3}}"
    r"(?: ?\([^()\n]{1,40}\))?,?"
)
_COMMAND = re.compile(r"[A-Z]{2,}(?: [A-Z]{2,})*")  # the title of a page on a command of SQL
_TITLE = re.compile(rf"`?(?P<name>{_NAME})`?(?: ?¶)?")
_IDENTIFIER = re.compile(r"[a-z0-9][_.-][A-Za-z]|[a-z][A-Z]|\A--")
_OF_OPTIONS = frozenset(
    """
    argument attribute config configuration directive field flag key name option options parameter param prop property
    setting variable parameters settings arguments properties props flags variables params
    """.split()  # noqa: SIM905
)
_NO_OPTIONS = frozenset({"default", "defaults", "note", "notes", "example", "type", "usage", "return", "returns"})


class Default(NamedTuple):
    """An option with its default value, and what says so: spans of the document."""

    said: Span
    name: str
    value: Span


class _Opener(NamedTuple):
    """What opens a part of the text: an option, or something else, without a name."""

    start: int
    end: int
    name: str | None
    paragraphs: int


def find_defaults(document: Document) -> list[Default]:
    """The defaults that the document states, in order; none for a name with several, which is that of many options."""
    text = document.text
    if "efault" not in text:
        return []
    command = document.title if _COMMAND.fullmatch(document.title) else None
    owner = command or titled_name(document.title)
    defined = list(_defined(document))
    openers = sorted([*_headings(document), *defined, *_terms(text, defined)], key=lambda one: one[:2])
    found: list[Default] = []
    for opener, following in zip_longest(openers, openers[1:]):
        # One word, "resolver" or "clef", is an option of something that the page has to name, unless it is a heading.
        is_known = owner is not None or opener.paragraphs > 3
        if opener.name and opener.name.casefold() not in _NO_OPTIONS and (is_known or not _is_word(opener.name)):
            end = min(following.start if following is not None else len(text), opener.end + MAX_SECTION)
            found += _of_option(text, opener, _end_of_paragraphs(text, opener.end, end, opener.paragraphs))
    # A parameter of CREATE SUBSCRIPTION may have the name of a setting.
    found = [
        one._replace(name=f"{owner} {one.name}") if owner and (command or _is_word(one.name)) else one for one in found
    ]
    values: dict[str, set[str]] = {}
    for one in found:
        values.setdefault(one.name, set()).add(text[slice(*one.value)])
    return sorted(one for one in found if len(values[one.name]) == 1)


def _is_word(name: str) -> bool:
    """Whether the name of an option is a single word, "precision", that other things have too."""
    return GAZETTEER.is_common(name) or (name.isalpha() and name.islower())


def default_lines(chunk: Chunk, defaults: Sequence[Default]) -> Iterator[Line]:
    """The defaults that a chunk states."""
    for one in defaults[bisect_left(defaults, chunk.start, key=lambda one: one.said[0]) :]:
        (start, end), value = ((first - chunk.start, last - chunk.start) for first, last in (one.said, one.value))
        if end > len(chunk.text):
            break
        name = DraftMention(0, 0, one.name, None, "topic", 0.9)
        default = DraftMention(*value, chunk.text[slice(*value)], None, "value", 0.9)
        # An ordinary word, "enabled", names the options of many things.
        if name.name != default.name and not GAZETTEER.is_common(name.name) and any(map(str.isalnum, default.name)):
            yield Line([default], [DraftTriple(name, HAS_DEFAULT, default, "default", "default")], (start, end), {})


def _headings(document: Document) -> Iterator[_Opener]:
    """The headings of a document, those with a name that are an option."""
    for block in document.blocks:
        if block.kind == "heading" and block.headings:
            title = _TITLE.fullmatch(block.headings[-1].strip())
            above = {word for heading in block.headings[:-1] for word in heading.casefold().split()}
            is_option = title is not None and (
                _IDENTIFIER.search(title["name"]) is not None
                or "`" in document.text[block.start : block.end]
                or not _OF_OPTIONS.isdisjoint(above)
            )
            yield _Opener(block.start, block.end, title["name"] if title is not None and is_option else None, 4)


def _defined(document: Document) -> Iterator[_Opener]:
    """The terms that the document defines, those with a name that are an option, of several the long form."""
    for start, end in sorted({block.terms[-1] for block in document.blocks if block.terms}):
        lines = document.text[start:end].split("\n")
        options = [found["name"] for line in lines if (found := _DEFINED.fullmatch(line.strip())) is not None]
        named = [name for name in options if name.startswith("--")] or options
        yield _Opener(start, end, named[0] if named else None, 6)


def _terms(text: str, defined: Sequence[_Opener]) -> Iterator[_Opener]:
    """The names of other options in front of their texts: of a list item, or on a line of their own."""
    for term in _TERM.finditer(text):
        before = bisect_left(defined, term.end(), key=lambda one: one.start) - 1
        if before >= 0 and term.start() < defined[before].end:
            continue
        behind = text[term.end() : text.find("\n", term.end()) + 1 or len(text)]
        is_item = (term["lead"] or "").lstrip()[:2] in {"- ", "* ", "+ ", "• "}
        if term["plain"] or is_item or not behind.strip(" \t:\n"):
            count = 1 if is_item else 4 if term["plain"] else 3
            yield _Opener(term.start(), term.end(), term["name"] or term["plain"], count)


def _end_of_paragraphs(text: str, start: int, end: int, count: int) -> int:
    """Where the paragraphs behind an opener end: those on its line and below, the blank line behind it left out."""
    at = start + len(text[start:end]) - len(text[start:end].lstrip(": \t\n"))
    for _ in range(count):
        at = text.find("\n\n", at, end)
        if at < 0:
            return end
        at += 2
    return at


def _of_option(text: str, opener: _Opener, end: int) -> Iterator[Default]:
    """The default in the text of an option, if that gives one and only one."""
    found: list[Default] = []
    for said in _SAID.finditer(text, opener.end, end):
        if said["bracket"] and text[said.end() : said.end() + 1] in {")", "]"} and said["value"] is None:
            continue  # "Can be a (default) or b"
        span = _value_span(said)
        first = max([opener.end, *(stop.end() for stop in _SENTENCE_END.finditer(text, opener.end, said.start()))])
        if span is None or "`" in text[first : said.start()] or _ENDED.match(text, said.end()) is None:
            return
        is_in_brackets = said["bracket"] is not None
        stop = _SENTENCE_END.search(text, said.end() - 1)
        rest = text[said.end() : stop.start() if stop is not None else said.end() + 200]
        if not is_in_brackets and _BUT.search(f"{text[first : said.start()]} {rest}".casefold()):
            return
        start = opener.start if opener.paragraphs == 1 else min(first, said.start())
        start += len(text[start : said.end()]) - len(text[start : said.end()].lstrip())
        found.append(Default((start, said.end() + is_in_brackets), opener.name or "", span))
    if len({text[slice(*one.value)] for one in found}) == 1:
        yield found[0]


def _value_span(said: re.Match[str]) -> Span | None:
    names = ("setting", "literal", "code", "quoted", "plain")
    return next((said.span(name) for name in names if said[name]), None)
