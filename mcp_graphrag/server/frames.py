"""Bytes from a client to JSON-RPC messages: bounded before they are parsed, and refused with an answer.

Independent of the transport: `LineBuffer` cuts a stream of bytes into lines, `read_frame` reads one line or body.
"""

import codecs
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

MAX_BYTES = 64_000_000  # a text of 10 MB of which each character is escaped
MAX_DEPTH = 100
MAX_VALUES = 500_000
MAX_DIGITS = 300  # a longer whole number is no finite float, and one of over 4,300 Python refuses to write
ONE_MESSAGE = "Send one JSON-RPC message in a line of stdio or a request of HTTP."
MAX_END = 4096  # bytes of a refused line in which its id is searched

Id: TypeAlias = str | int | None

# A string, also one without an end; a number; a bracket; a comma. Each match goes on where the one before ended, and
# none is given up, so that the time is linear.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[-+\d][-+.\deE]*+|[][{},]', re.DOTALL)
_ID = rb'"id"\s*+:\s*+(-?\d{1,18}|"[^"\\]{0,256}+")\s*+'
_ID_HERE = re.compile(_ID + rb"[,}]")
_ID_AT_END = re.compile(_ID + rb'(?:,\s*+"(?:jsonrpc|method)"\s*+:\s*+"[^"\\]{0,256}+"\s*+)*+}\s*\Z')
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Refusal:
    """A line that is no message, or more than is read: the answer to send."""

    id: Id
    code: int
    message: str

    @property
    def answer(self) -> JSONRPCError:
        """The JSON-RPC error; its id is null where the line has none that can be read."""
        return JSONRPCError(jsonrpc="2.0", id=self.id, error=ErrorData(code=self.code, message=self.message))


Frame: TypeAlias = JSONRPCMessage | Refusal


class LineBuffer:
    """Cuts chunks of bytes into lines of at most `max_bytes`; of a longer line only its two ends are kept."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""  # of a line that is too long

    def feed(self, chunk: bytes) -> Iterator[bytes | Refusal]:
        """The lines that end in a chunk, without their line ends; a refusal for each that is too long."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._add(part)
            yield self._line()
        self._add(rest)

    def end(self) -> Iterator[bytes | Refusal]:
        """The line that the stream ended in, if it did."""
        if self._size:
            yield self._line()

    def _add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._max_bytes:
            joined = b"".join(self._parts)
            self._head = self._head or joined[:MAX_END]
            self._parts = [joined[-MAX_END:]]

    def _line(self) -> bytes | Refusal:
        line, size, head = b"".join(self._parts), self._size, self._head
        self._parts, self._size, self._head = [], 0, b""
        return too_large(head, line[-MAX_END:], size, self._max_bytes) if head else line


def too_large(head: bytes, tail: bytes, size: int, max_bytes: int = MAX_BYTES) -> Refusal:
    """The refusal of a message of so many bytes, of which the first and the last few are at hand."""
    found, _ = _scan(head)
    return Refusal(
        _id_at_end(tail) if found is None else found,
        INVALID_REQUEST,
        f"The message has {size:,} bytes; the most is {max_bytes:,}. Send less at once.",
    )


def read_frame(line: bytes) -> Frame | None:
    """The message of a line or body, or the answer that refuses it; None for what needs no answer.

    Half a surrogate pair and bytes that are not UTF-8 become U+FFFD: clients cut texts inside a character. A byte order
    mark in front, as shells of Windows write it, is ignored (RFC 8259, 8.1).
    """
    line = line.removeprefix(codecs.BOM_UTF8)
    if not line.strip():
        return None
    if len(line) > MAX_BYTES:
        return too_large(line[:MAX_END], line[-MAX_END:], len(line))
    found, problem = _scan(line)
    if problem:
        # The scan has stopped: the id may stand behind that place.
        return Refusal(_id_at_end(line[-MAX_END:]) if found is None else found, INVALID_REQUEST, problem)
    try:
        message = _parse(line)
    except ValueError as error:
        return Refusal(found, PARSE_ERROR, f"The message is no JSON: {error}. {ONE_MESSAGE}")
    return _as_message(message)


def _scan(line: bytes) -> tuple[Id, str]:
    """What a look at the tokens of a line finds: the id of the outermost object, and the bound that it exceeds."""
    depth, is_object, found = 0, False, None
    for count, token in enumerate(_TOKEN.finditer(line)):
        problem = ""
        first = line[token.start()]
        if first in b"[{":
            is_object = first in b"{" if depth == 0 else is_object
            depth += 1
            problem = f"The message is nested more than {MAX_DEPTH} levels deep." if depth > MAX_DEPTH else ""
        elif first in b"]}":
            depth -= 1
        elif first in b'"':
            if depth == 1 and is_object and (named := _ID_HERE.match(line, token.start())):
                found = _id_of(named[1])
        elif first not in b",":
            problem = _number_problem(token[0])
        if count >= MAX_VALUES:
            problem = f"The message has more than {MAX_VALUES:,} names, values and brackets."
        if problem:
            return found, f"{problem} Send less at once."
    return found, ""


def _number_problem(number: bytes) -> str:
    if len(number) > MAX_DIGITS:
        return f"The message has a number of {len(number):,} characters; the most is {MAX_DIGITS}."
    if b"e" in number.lower():
        try:
            return "The message has an infinite number." if math.isinf(float(number)) else ""
        except ValueError:
            return ""  # no number: the parser says so
    return ""


def _id_at_end(tail: bytes) -> Id:
    """The id of a line that ends with it, as most clients write it."""
    return next((_id_of(found[1]) for found in _ID_AT_END.finditer(tail)), None)


def _id_of(written: bytes) -> Id:
    try:
        return cast("Id", json.loads(written))
    except ValueError:
        return None


def _parse(line: bytes) -> Any:
    try:
        return from_json(line, allow_inf_nan=False)
    except ValueError as error:
        text = line.decode("utf-8", "replace")
        if "\ufffd" not in text and "\\u" not in text:
            raise ValueError(str(error)) from None
    # The stock parser knows halves of surrogate pairs; the scan has bounded what makes it slow.
    try:
        parsed = json.loads(text, parse_constant=_no_constant)
        return json.loads(_SURROGATE.sub("\ufffd", json.dumps(parsed, ensure_ascii=False)))
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} at column {error.pos + 1}") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _as_message(value: Any) -> Frame | None:
    if not isinstance(value, dict):
        fact = "The message is a batch" if isinstance(value, list) else "The message is no object"
        return Refusal(None, INVALID_REQUEST, f"{fact}. {ONE_MESSAGE}")
    message = cast("dict[str, Any]", value)
    given = message.get("id")
    known: Id = given if isinstance(given, str) or type(given) is int else None
    try:
        if "id" in message and known is None and "method" in message:
            return Refusal(None, INVALID_REQUEST, "The id of a request is a string or a whole number.")
        return jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        return _refused(message, known)


def _refused(message: dict[str, Any], known: Id) -> Refusal | None:
    """The answer to an object that is no message; None where it was to be a notification or an answer itself."""
    if "method" not in message:
        is_answer = "result" in message or "error" in message
        return None if is_answer else Refusal(known, INVALID_REQUEST, 'The message has no "method".')
    if "id" not in message:
        return None
    if message.get("jsonrpc") != "2.0":
        return Refusal(known, INVALID_REQUEST, 'The message has no "jsonrpc": "2.0".')
    if not isinstance(message["method"], str):
        return Refusal(known, INVALID_REQUEST, "The method of a request is a string.")
    return Refusal(known, INVALID_PARAMS, "The params of a request are an object.")
