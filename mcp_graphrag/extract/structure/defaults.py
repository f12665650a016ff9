"""Default values of options: of a listed term ("`depth` (default: `5`)"), a heading, a sentence, or a table."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.extract.draft_triple import DraftTriple
from mcp_graphrag.extract.structure.line import Line
from mcp_graphrag.extract.structure.markup import cells_of, is_delimiter_row
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.lower_names import titled_name
from mcp_graphrag.model import Chunk, Document

HAS_DEFAULT = "has_default"
MAX_SECTION = 1_500  # characters behind a term or heading in which its default may stand
_NAME = r"-{0,2}[A-Za-z_$][\w.$-]{1,60}(?:\[\])?"
_WORD_VALUE = r"(?:[Tt]rue|[Ff]alse|TRUE|FALSE|[Yy]es|[Nn]o|on|off|On|Off|[Ee]nabled|[Dd]isabled)"
_NUMBER = (
    r"-?\d[\d_,.]{0,12}(?<![,.])(?: ?(?:ms|s|sec|min|h|[KMG]i?B|%|bytes|milliseconds?|seconds?|minutes?|hours?|days?"
    r"|characters|pixels|px)(?![\w-]))?"
)
_VALUE = (
    rf"(?:[\"“']?`{{1,2}}[\"']?(?P<code>[^`\n]{{1,40}}?)[\"']?`{{1,2}}[\"”']?|[\"“'‘](?P<quoted>[^\"”'’\n]{{1,30}})[\"”'’]"
    rf"|(?P<plain>{_WORD_VALUE}|{_NUMBER}))(?![\w`%])(?!\.\d)"
)
_OF_SETTING = (
    r"the value of (?:your |the )?(?:\[)?`(?P<setting>[A-Za-z_][\w.-]{2,60})`(?:\]\([^()\s]*\))?"
    r"(?: (?:setting|option|parameter|variable))?"
)
_SAID = re.compile(
    r"(?P<bracket>[(\[](?:[^()\[\]\n`]{0,40}[,;] *)?(?:optional,? )?[Dd]efaults?(?: value)?(?: is|:| =|=| to)? *)"
    r"|(?P<label>^[ \t]*(?:[-*+] )?[*_]{0,2}[Dd]efault(?: value)?[*_]{0,2}:[*_]{0,2} +)"
    r"|(?P<sentence>(?:(?<=[.,;)] )|(?<=[.,;]\n)|^[ \t]*(?:[-*+] )?)"
    r"(?:(?:It |and )?[Dd]efaults to|(?:The |the )?[Dd]efault(?: value)? is(?: set to)?)(?: +|\n[ \t]*(?=\S)))",
    re.MULTILINE,
)
# Behind a label any word is a value: "Default: confined".
_LABELLED_VALUE = re.compile(r"(?P<word>[A-Za-z][\w.+-]{0,40})(?=[ \t]*(?:\n|\Z))")
_VALUES = re.compile(rf"(?:{_OF_SETTING}|{_VALUE})")
_CLOSED = re.compile(r"\s*[)\],;]")
_ENDED = re.compile(r"\s*(?:$|[;,)]|\.(?:\s|$)|\s\()", re.MULTILINE)
_BUT = re.compile(
    r"\b(?:unless|except|otherwise|if|when|whenever|where|depending|depends|on [A-Z]\w+|for|until|before|prior"
    r"|previously|was|in production|in development|or)\b"
)
# In front; what holds without any setting is the default.
_IF = re.compile(
    r"[\s*_>-]*(?:On|For|In|With|When|If|Under|Unless|Where|Before|Until|Since|As of|Formerly|Previously)\b"
    r"(?![^.,]{0,40}\b(?:not (?:set|specified|given|provided)|unset|omitted|undefined|unspecified)\b)"
)
_BLANK = re.compile(r"[^\S\n]*:?[^\S\n]*\n[^\S\n]*\n")
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n(?:[^\S\n]*\n)*(?![ \t]{2})")
_SENTENCE_END = re.compile(r"\.(?:\s|\Z)|\n[ \t]*\n|\n[ \t]*[-*+] ")
# What opens the text of an option: a list item or a line of its own with its name in code or bold.
_TERM = re.compile(
    rf"^(?P<lead>[ \t]*(?:[-*+•][ \t]+)?(?:\[)?(?:`|\*\*`?|__))(?P<name>{_NAME})"
    rf"(?P<rest>[^`\n*_]{{0,40}})(?:`?\*\*|`|__)",
    re.MULTILINE,
)
# Without marks: "precision=integer" or "Option variable: poislim" on a line of its own, the text below a blank line.
_PLAIN_TERM = re.compile(
    rf"^(?:(?P<name>{_NAME})=[\w.,\[\]|-]{{1,40}}(?: \[required\])?"
    rf"|(?P<flag>--[a-z][\w-]{{1,40}})(?:=<?[\w.…-]{{1,30}}>?,?…?)?"
    r"|(?:Option|Variable|Parameter|Setting|Property|(?:Option|System|User|Global) variable): "
    rf"`?(?P<labelled>{_NAME})`?)"
    r"[ \t]*\n[ \t]*(?:\n|(?=[A-Z]))",
    re.MULTILINE,
)
_ALONE = re.compile(r"[ \t]*:?[ \t]*(?:\n|\Z)")
_LISTED = re.compile(r":[ \t]*\n\s*\Z")  # "Transports supported:" and the name of one
_ARGUMENT = re.compile(r"(?:[ =]?[<\[{]?[\w|.…-]+[>\]}]?|\?)?")
_TITLE = re.compile(rf"`?(?P<name>{_NAME})`?(?: ?¶)?")
# "Legend Properties", "The tuner module"
_OF_PROPERTIES = re.compile(
    r"(?P<owner>[\w.-]+(?: [\w.-]+)?) (?:Properties|properties)\b"
    r"|[Tt]he (?P<module>[\w.-]+) (?:module|plugin|extension|component|command|function)\b"
)
_OF_OPTIONS = re.compile(
    r"\b(?:options?|settings?|parameters?|params?|configuration|config|arguments|properties|props|flags|variables)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[a-z0-9][_.-][A-Za-z]|[a-z][A-Z]|\A--")
_IN_SENTENCE = re.compile(
    rf"(?:(?<=[.;] )|^(?:[-*+] )?)(?:The )?`(?P<name>{_NAME})`"
    rf"(?: (?:option|setting|parameter|argument|property|flag|field))?"
    rf" defaults to {_VALUE}"
    rf"|[Tt]he default(?: value)? (?:of|for) (?:the )?`(?P<name2>{_NAME})`(?: [a-z]+)? is "
    rf"{_VALUE.replace('?P<', '?P<of_')}",
    re.MULTILINE,
)
# "`ambient`: scalar, def. `0.3`" at the start of a line, and "if `name` is set to true (the default)".
_BEHIND_TYPE = re.compile(
    rf"^(?:[-*+] )?`(?P<name>{_NAME})`:[^\n`]{{0,60}}, def(?:ault:?|\.):? {_VALUE}(?=[ \t]*(?:[.;,]?$|\())",
    re.MULTILINE,
)
_NAMED_DEFAULT = re.compile(
    rf"(?<![\w.`-])`?(?P<name>[A-Za-z]\w*(?:[_.-]\w+)+)`? (?:is|is set to|set to|=) {_VALUE}"
    r" \((?:which is )?the default(?: value)?\)"
)
# The column titles of a table, and the line below them.
_TABLE = re.compile(r"^(?P<titles>[^\n]{1,1000})\n(?P<rule>[ \t]*[|:-][-|: \t]*)$", re.MULTILINE)
_OF_DEFAULTS = frozenset({"default", "defaults", "default value", "default values"})
_OF_OPTIONS_COLUMN = frozenset(
    """
    argument attribute config configuration directive field flag key name option options parameter param prop property
    setting variable
    """.split()  # noqa: SIM905
) | {"env var", "environment variable"}
_OPTION_CELL = re.compile(rf"\[?[`*]*(?P<name>{_NAME})[`*]*(?:\]\([^()\s]*\))?")
_VALUE_CELL = re.compile(rf"{_VALUE}|(?P<word>[A-Za-z$/][\w.+:/$-]{{0,40}})")
_NO_VALUES = frozenset({"none", "null", "undefined", "nil", "n/a", "required", "unset", "empty", "varies", "auto"})
MAX_ROWS = 500
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
    max_paragraphs: int


def find_defaults(document: Document) -> list[Default]:
    """The defaults that the document states, in order; none for a name with several, which is that of many options."""
    text = document.text
    if "efault" not in text and ", def. " not in text:
        return []
    owner = _owner(document)
    openers = sorted([*_headings(document), *_terms(text)])
    found = [*_in_brackets(text), *_in_tables(text, openers, is_known=owner is not None)]
    for opener, following in zip_longest(openers, openers[1:]):
        # One word, "resolver" or "clef", is an option of something that the page has to name, unless it is a heading.
        is_known = owner is not None or opener.max_paragraphs > 3
        if (
            opener.name is not None
            and opener.name.casefold() not in _NO_OPTIONS
            and (is_known or not _is_word(opener.name))
        ):
            end = min(following.start if following is not None else len(text), opener.end + MAX_SECTION)
            found += _of_option(text, opener, _end_of_paragraphs(text, opener.end, end, opener.max_paragraphs))
    for said in _IN_SENTENCE.finditer(text):
        span, start = _value_span(said), said.start("name" if said["name"] else "name2")
        if span is not None and _ENDED.match(text, said.end()) and not _is_conditional(text, start, said.end()):
            found.append(Default(said.span(), said["name"] or said["name2"], span))
    found = [one._replace(name=f"{owner} {one.name}") if owner and _is_word(one.name) else one for one in found]
    values: dict[str, set[str]] = {}
    for one in found:
        values.setdefault(one.name, set()).add(text[slice(*one.value)])
    return sorted(one for one in found if len(values[one.name]) == 1)


def _owner(document: Document) -> str | None:
    """What a page is about, in front of names that other things have too: "v.out.ascii", "Legend" of its properties."""
    titled = _OF_PROPERTIES.match(document.title)
    named = titled["owner"] or titled["module"] if titled is not None else None
    return named or titled_name(document.title, document.text)


def _is_word(name: str) -> bool:
    """Whether the name of an option is a single word, "precision", that other things have too."""
    return GAZETTEER.is_common(name) or (name.isalpha() and name.islower())


def _in_brackets(text: str) -> Iterator[Default]:
    for pattern in (_BEHIND_TYPE, _NAMED_DEFAULT):
        for said in pattern.finditer(text):
            if (span := _value_span(said)) is not None:
                yield Default(said.span(), said["name"], span)


def _in_tables(text: str, openers: Sequence[_Opener], *, is_known: bool) -> Iterator[Default]:
    """The defaults in the column of a table with a row for each option, or in the only row of one below an option.

    `is_known`: it is known what has options of one word.
    """
    ends = [one.end for one in openers]
    table = _TABLE.search(text)
    while table is not None:
        end = table.end()
        titles = [text[slice(*cell)].strip("*_` ").casefold() for cell in cells_of(text, table.span("titles"))]
        at = next((at for at, title in enumerate(titles) if title in _OF_DEFAULTS), 0)
        if at and is_delimiter_row(table["rule"]):
            rows = list(islice(_table_lines(text, end + 1), MAX_ROWS))
            end = rows[-1][1] if rows else end
            before = bisect_right(ends, table.start()) - 1
            above = openers[before] if before >= 0 else None
            is_next = above is not None and not text[above.end : table.start()].strip()
            heading = above.name if above is not None and is_next and titles[0] == "type" and len(rows) == 1 else None
            for row in rows:
                values = cells_of(text, row)
                value = _cell_value(text, values[at]) if len(values) == len(titles) else None
                option = _OPTION_CELL.fullmatch(text, *values[0]) if titles[0] in _OF_OPTIONS_COLUMN else None
                name = option["name"] if option is not None and (is_known or not _is_word(option["name"])) else heading
                if value is not None and name is not None:
                    yield Default(strip_span(text, row), name, value)
        table = _TABLE.search(text, end)


def _table_lines(text: str, start: int) -> Iterator[Span]:
    """The lines from an offset on that have cells."""
    while start < len(text):
        end = text.find("\n", start)
        end = end if end >= 0 else len(text)
        if "|" not in text[start:end]:
            return
        yield start, end
        start = end + 1


def _cell_value(text: str, cell: Span) -> Span | None:
    """The value in a cell of defaults; None where it is none or no single one."""
    said = _VALUE_CELL.fullmatch(text, *cell)
    span = _value_span(said) if said is not None else None
    return span if span is not None and text[slice(*span)].casefold() not in _NO_VALUES else None


def default_lines(chunk: Chunk, defaults: Sequence[Default]) -> Iterator[Line]:
    """The defaults that a chunk states."""
    for one in defaults[bisect_left(defaults, chunk.start, key=_start) :]:
        (start, end), value = (_in_chunk(chunk, span) for span in (one.said, one.value))
        if end > len(chunk.text):
            break
        name = DraftMention(0, 0, one.name, None, "topic", 0.9)
        default = DraftMention(*value, chunk.text[slice(*value)], None, "value", 0.9)
        # An ordinary word, "enabled", names the options of many things.
        if name.name != default.name and not GAZETTEER.is_common(name.name) and any(map(str.isalnum, default.name)):
            yield Line([default], [DraftTriple(name, HAS_DEFAULT, default, "default", "default")], (start, end), {})


def _start(default: Default) -> int:
    return default.said[0]


def _in_chunk(chunk: Chunk, span: Span) -> Span:
    return span[0] - chunk.start, span[1] - chunk.start


def _headings(document: Document) -> Iterator[_Opener]:
    """The headings of a document, those with a name that are an option."""
    for block in document.blocks:
        if block.kind == "heading" and block.headings:
            title = _TITLE.fullmatch(block.headings[-1].strip())
            is_option = title is not None and (
                _IDENTIFIER.search(title["name"]) is not None
                or "`" in document.text[block.start : block.end]
                or any(map(_OF_OPTIONS.search, block.headings[:-1]))
            )
            yield _Opener(block.start, block.end, title["name"] if title is not None and is_option else None, 4)


def _terms(text: str) -> Iterator[_Opener]:
    """The names of options in front of their texts: of a list item, or on a line of their own."""
    for term in _TERM.finditer(text):
        is_item = bool(term["lead"].strip(" \t[`*_")) or term["lead"].lstrip()[:1] in {"-", "*", "+", "•"}
        is_item = is_item and term["lead"].lstrip()[1:2] in {" ", "\t"}
        is_alone = (
            _ALONE.match(text, term.end()) is not None
            and _LISTED.search(text, max(term.start() - 4, 0), term.start()) is None
        )
        if is_item or is_alone:
            is_option = _ARGUMENT.fullmatch(term["rest"]) is not None
            yield _Opener(term.start(), term.end(), term["name"] if is_option else None, 1 if is_item else 3)
    for term in _PLAIN_TERM.finditer(text):
        yield _Opener(
            term.start(), term.end(), term["name"] or term["flag"] or term["labelled"], 1 if term["flag"] else 4
        )


def _end_of_paragraphs(text: str, start: int, end: int, count: int) -> int:
    """Where the paragraphs behind an opener end: those on its line and below, the blank line behind it left out."""
    blank = _BLANK.match(text, start, end)
    at = blank.end() if blank is not None else start
    for _ in range(count):
        following = _PARAGRAPH_END.search(text, at, end)
        if following is None:
            return end
        at = following.end()
    return at


def _of_option(text: str, opener: _Opener, end: int) -> Iterator[Default]:
    """The default in the text of an option, if that gives one and only one."""
    found: list[Default] = []
    for said in _SAID.finditer(text, opener.end, end):
        if said["bracket"] and text[said.end() : said.end() + 1] in {")", "]"}:
            continue  # "Can be a (default) or b"
        value = _VALUES.match(text, said.end(), end)
        if value is None and said["label"]:
            value = _LABELLED_VALUE.match(text, said.end(), end)
        span = _value_span(value) if value is not None else None
        first = max([opener.end, *(stop.end() for stop in _SENTENCE_END.finditer(text, opener.end, said.start()))])
        if value is None or span is None or "`" in text[first : said.start()]:
            return
        is_in_brackets = said["bracket"] is not None
        if (_CLOSED if is_in_brackets else _ENDED).match(text, value.end()) is None:
            return
        if not is_in_brackets and _is_conditional(text, first, value.end()):
            return
        start = opener.start if opener.max_paragraphs == 1 else min(first, said.start())
        found.append(Default((start, value.end() + is_in_brackets), opener.name or "", span))
    if len({text[slice(*one.value)] for one in found}) == 1:
        one = found[0]
        start = one.said[0] + len(text[slice(*one.said)]) - len(text[slice(*one.said)].lstrip())
        yield one._replace(said=(start, one.said[1]))


def _value_span(said: re.Match[str]) -> Span | None:
    return next((said.span(name) for name, value in said.groupdict().items() if value and "name" not in name), None)


def _is_conditional(text: str, first: int, end: int) -> bool:
    """Whether the sentence with a default from `first` on, whose value ends at `end`, gives it for some cases only."""
    stop = _SENTENCE_END.search(text, end - 1)
    rest = text[end : stop.start() if stop is not None else end + 200]
    return _BUT.search(rest) is not None or _IF.match(text, first, end) is not None
