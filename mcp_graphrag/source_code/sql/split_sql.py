"""The statements of a text of SQL as tokens, in any dialect; rows of data are passed over.

No grammar is used: those that there are read a dialect each, and of real schemas only a part, while what statements
define and use stands in front of them or behind a few words.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|(?:(?<=\n)|\A)[\#\\.][^\n]*)
    |(?P<open>/\*|\$(?:[^\W\d]\w*)?\$)
    |(?P<string>[eE]'(?:[^'\\]|\\.|'')*+'|'[^']*')
    |(?P<quoted>"[^"]*"|`[^`]*`|(?<![\w\])])\[[^\W\d][^\]\n]{0,200}\])
    |(?P<place>%\(\w+\)s|%s|:(?!:)\w+|::|[@:$?]\w+|\?|\{\w*\})
    |(?P<word>[^\W\d][\w$\#]*)
    |(?P<other>\d[\w.]*|\S)""",
    re.VERBOSE | re.DOTALL,
)
_MYSQL = re.compile(r"`\w+`|\bENGINE\s*=|^delimiter\s", re.IGNORECASE | re.MULTILINE)
_STRING_OF_MYSQL = re.compile(r"'(?:[^'\\]|\\.)*+'", re.DOTALL)
_DELIMITER = re.compile(r"^[ \t]*delimiter[ \t]+(\S+)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_ROW = r"\((?:[^'()]++|(?<=\W[eE])'(?:[^'\\]|\\.)*+'|'[^']*')*+\)"
_ROWS = re.compile(rf"\s*{_ROW}(?:\s*,\s*{_ROW})*+", re.DOTALL)
_ROWS_OF_MYSQL = re.compile(_ROWS.pattern.replace("'[^']*'", _STRING_OF_MYSQL.pattern), re.DOTALL)
_TAG = re.compile(r"(?=(\$(?:[^\W\d]\w*)?\$))")
_GO = re.compile(r"^[ \t]*go[ \t]*$", re.IGNORECASE | re.MULTILINE)
_COPIED = "\n\\."  # ends the rows of COPY
_DOWN = re.compile(r"^--[ \t]*(?:\+\w+[ \t]+down|migrate:down|@?undo|rollback\b)", re.IGNORECASE | re.MULTILINE)
_COMPOUND = frozenset({"trigger", "function", "procedure", "proc", "event"})  # whose body may have statements
_AFTER_END = frozenset({"if", "loop", "while", "repeat", "for"})
_DIALECT_SHOWN = 20_000  # characters


class Token(NamedTuple):
    """A word (in small letters), a quoted name, a string, a body between dollars, a placeholder or another character.

    `kind` is "word", "quoted", "string", "body", "place" or "other"; `text` is as written for all but words.
    """

    kind: str
    text: str
    start: int
    end: int


def statements_of(
    text: str, breaks: frozenset[int] = frozenset(), start: int = 0, end: int = -1
) -> Iterator[list[Token]]:
    """The statements of a text, none over the starts of lines in `breaks`; it takes time linear in the text.

    What a migration says to be its way back, behind a line such as "-- +goose Down", is left out.
    """
    end = len(text) if end < 0 else end
    if not start and (down := _DOWN.search(text)):
        end = down.start()
    scanner, tokens, depth = _Scanner(text, start, end), list[Token](), 0
    while (token := scanner.next(breaks)) is not None:
        depth = _depth(tokens, token.text, depth)
        if token.text != ";" or (depth > 0 and token.kind != "break"):
            tokens.append(token)
            if token.text == "values" and tokens[0].text in {"insert", "replace"}:
                scanner.skip_rows()
            continue
        if tokens:
            yield tokens
            if tokens[0].text == "copy" and any(each.text == "stdin" for each in tokens):
                scanner.skip_copied()
        tokens, depth = [], 0
    if tokens:
        yield tokens


def _depth(tokens: list[Token], word: str, depth: int) -> int:
    """How many BEGIN and CASE without END there are in the body of a trigger or routine that is no string."""
    if not tokens or tokens[0].text != "create" or _COMPOUND.isdisjoint(each.text for each in tokens[1:9]):
        return 0
    if word in {"begin", "case"} and tokens[-1].text != "end":
        return depth + 1
    if word == "end":
        return depth - 1
    return depth + 1 if tokens[-1].text == "end" and word in _AFTER_END else depth


class _Scanner:
    """Reads tokens from a place on; ";" also for a line with GO, and for a break, of which it is the kind."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._is_mysql = _MYSQL.search(text, start, min(end, start + _DIALECT_SHOWN)) is not None
        self._text, self._at, self._end = _without_delimiters(text) if self._is_mysql else text, start, end
        self._copied = text.rfind(_COPIED, start, end)
        self._last: dict[str, int] = {}  # where each mark that closes something is for the last time

    def next(self, breaks: frozenset[int]) -> Token | None:
        """The next token, None at the end."""
        while (found := _TOKEN.match(self._text, self._at, self._end)) is not None:
            kind, at, stop = found.lastgroup or "", self._at, found.end()
            if kind == "string" and self._is_mysql and (whole := _STRING_OF_MYSQL.match(self._text, at, self._end)):
                stop = whole.end()
            self._at = stop
            if kind == "open" and (body := self._body(found[0])) is not None:
                return body
            if kind == "skip" and at in breaks:
                return Token("break", ";", at, at)
            if kind == "word":
                word = found[0].lower()
                is_end = word == "go" and _GO.match(self._text, self._text.rfind("\n", 0, at) + 1)
                return Token(kind, ";" if is_end else word, at, stop)
            if kind not in {"skip", "open"}:
                return Token(kind, self._text[at:stop], at, stop)
        return None

    def skip_rows(self) -> None:
        """Go behind rows of constants."""
        rows = (_ROWS_OF_MYSQL if self._is_mysql else _ROWS).match(self._text, self._at, self._end)
        self._at = rows.end() if rows else self._at

    def skip_copied(self) -> None:
        """Go behind the rows that follow a COPY from the input."""
        if self._at <= self._copied:
            self._at = self._text.index(_COPIED, self._at) + len(_COPIED)

    def _body(self, mark: str) -> Token | None:
        """What is between two marks of dollars; a comment is passed over, as is a mark alone."""
        if not self._last:
            self._last = {each[1]: each.start() for each in _TAG.finditer(self._text, self._at - 2, self._end)}
            self._last["*/"] = self._text.rfind("*/", self._at, self._end)
        start, closing = self._at, "*/" if mark == "/*" else mark
        if self._last.get(closing, -1) < start:
            return None
        close = self._text.index(closing, start)
        self._at = close + len(closing)
        return Token("body", self._text[start:close], start, close) if mark != "/*" else None


def _without_delimiters(text: str) -> str:
    """A text of MySQL with ";" for the delimiters that it declares, at the same offsets."""
    declared = {found[1] for found in _DELIMITER.finditer(text)} - {";"}
    text = _DELIMITER.sub(lambda found: " " * len(found[0]), text)
    for mark in declared:
        text = text.replace(mark, ";".ljust(len(mark)))
    return text
