"""ONNX models as bytes: messages of protobuf (onnx.proto), which are fields of a number and a value."""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

GRAPH, NODES = 7, 1  # fields of a model, and of its graph
INPUTS, OUTPUTS, OPERATOR, ATTRIBUTES, DOMAIN = 1, 2, 4, 5, 7  # fields of a node
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7  # types of numbers
IR_VERSION, OPERATOR_SETS, OPERATOR_SET = 8, 8, 17
RUNTIME = "com.microsoft"  # the domain of the operators that only onnxruntime has
GRAPH_NAME, INITIALIZERS, GRAPH_INPUTS, GRAPH_OUTPUTS = 2, 5, 11, 12
NUMBER_TYPES = {"float32": FLOAT, "int8": INT8, "int64": INT64}

Field = tuple[int, int, int | bytes]


def model(graph: Sequence[bytes]) -> bytes:
    """A model, by the fields of its graph."""
    sets = field(OPERATOR_SETS, field(2, OPERATOR_SET)), field(OPERATOR_SETS, field(1, RUNTIME) + field(2, 1))
    return field(1, IR_VERSION) + b"".join(sets) + field(GRAPH, b"".join([*graph, field(GRAPH_NAME, "graph")]))


def operator(name: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: float) -> bytes:
    """A node as a field of a graph; an input that it may lack is "" where it lacks it."""
    parts = [field(INPUTS, each) for each in inputs] + [field(OUTPUTS, each) for each in outputs]
    for key, value in attributes.items():
        place, kind = (3, 2) if isinstance(value, int) else (2, 1)
        parts.append(field(ATTRIBUTES, field(1, key) + field(place, value) + field(20, kind)))
    return field(NODES, b"".join([*parts, field(OPERATOR, name), field(DOMAIN, domain)]))


def constant(name: str, values: NDArray[Any]) -> bytes:
    """Numbers as a field of a graph."""
    shape = b"".join(field(1, size) for size in values.shape)
    typed = shape + field(2, NUMBER_TYPES[values.dtype.name])
    return field(INITIALIZERS, typed + field(8, name) + field(9, values.tobytes()))


def tensor(place: int, name: str, number_type: int, *, rank: int = 2) -> bytes:
    """An input or output as a field of a graph, of a rank and of any sizes."""
    typed = field(1, number_type) + field(2, field(1, b"") * rank)
    return field(place, field(1, name) + field(2, field(1, typed)))


def fields(message: bytes) -> Iterator[Field]:
    """(number, kind, value) of the fields of a message, in order."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield number, kind, value
            continue
        length = {EIGHT_BYTES: 8, FOUR_BYTES: 4}.get(kind)
        if length is None:
            length, at = _varint(message, at)
        yield number, kind, message[at : at + length]
        at += length


def field(number: int, value: float | str | bytes) -> bytes:
    """A field, of the kind that goes with its value."""
    if isinstance(value, int):
        return same_field(number, VARINT, value)
    if isinstance(value, float):
        return same_field(number, FOUR_BYTES, struct.pack("<f", value))
    return same_field(number, LENGTH, value.encode() if isinstance(value, str) else value)


def same_field(number: int, kind: int, value: int | bytes) -> bytes:
    """A field as `fields` gives it."""
    key = _number(number << 3 | kind)
    if isinstance(value, int):
        return key + _number(value)
    return key + (_number(len(value)) if kind == LENGTH else b"") + value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """(number, where it ends): seven bits a byte, the lowest first; the highest bit says that more follow."""
    number = shift = 0
    while True:
        byte = message[at]
        number, shift, at = number | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return number, at


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
