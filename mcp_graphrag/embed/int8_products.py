"""An ONNX model computed in 8-bit integers: its stored bytes rewritten in memory, before a session loads them.

A file of 8-bit weights saves space only: the runtime turns the weights into floats once, and multiplies these. Here
each such product becomes the operators of dynamic quantization: the input is scaled to 8 bits where it arises, and
integers are multiplied. The vectors have a cosine of .99 or more to the former ones, and take less than half the time.

That holds of processors with instructions for it. Older ones add pairs of products in 16 bits, which can overflow: a
model that multiplies two matrices tells these apart.

A model is a protobuf message (onnx.proto): fields of a number and a value, which is an integer or bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

GRAPH, NODES = 7, 1  # fields of a model, and of its graph
INPUTS, OUTPUTS, OPERATOR, ATTRIBUTES = 1, 2, 4, 5  # fields of a node
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6  # types of numbers
IR_VERSION, OPERATOR_SETS, OPERATOR_SET = 8, 8, 17
GRAPH_NAME, GRAPH_INPUTS, GRAPH_OUTPUTS = 2, 11, 12

Field = tuple[int, int, int | bytes]


@dataclass(frozen=True)
class Node:
    """An operator with the names of its inputs and outputs."""

    operator: str
    inputs: Sequence[str]
    outputs: Sequence[str]


def with_int8_products(model: bytes) -> bytes:
    """The model with each product by weights (MatMul by Mul(Cast(weights), scale)) computed in integers."""
    fields = list(_fields(model))
    return b"".join(
        _field(number, kind, _rewritten(value) if number == GRAPH and isinstance(value, bytes) else value)
        for number, kind, value in fields
    )


def product_model() -> bytes:
    """A model that multiplies matrices `a` (unsigned) and `b` of 8-bit integers as the rewritten one does."""
    graph = [
        _written("MatMulInteger", ["a", "b"], ["product"]),
        _field(GRAPH_NAME, LENGTH, b"product"),
        _value(GRAPH_INPUTS, "a", UINT8),
        _value(GRAPH_INPUTS, "b", INT8),
        _value(GRAPH_OUTPUTS, "product", INT32),
    ]
    operators = _field(OPERATOR_SETS, LENGTH, _field(2, VARINT, OPERATOR_SET))
    return _field(1, VARINT, IR_VERSION) + operators + _field(GRAPH, LENGTH, b"".join(graph))


def _value(place: int, name: str, number_type: int) -> bytes:
    """An input or output of a graph: a matrix."""
    sizes = _field(1, LENGTH, b"") * 2
    matrix = _field(1, VARINT, number_type) + _field(2, LENGTH, sizes)
    return _field(place, LENGTH, _field(1, LENGTH, name.encode()) + _field(2, LENGTH, _field(1, LENGTH, matrix)))


def _rewritten(graph: bytes) -> bytes:
    fields = list(_fields(graph))
    nodes = [_node(value) if number == NODES and isinstance(value, bytes) else None for number, _, value in fields]
    made_by = {output: node for node in nodes if node for output in node.outputs}
    written: list[bytes] = []
    scaled: set[str] = set()
    for node, field in zip(nodes, fields, strict=True):
        weights = _weights(node, made_by) if node else None
        if node is None or weights is None:
            written.append(_field(*field))
            continue
        (given, _), (product,) = node.inputs, node.outputs
        if given not in scaled:
            scaled.add(given)
            written.append(_written("DynamicQuantizeLinear", [given], [f"{given}/{end}" for end in ("q", "s", "z")]))
        to_float = b"".join([_field(1, LENGTH, b"to"), _field(3, VARINT, FLOAT), _field(20, VARINT, 2)])
        written += [
            _written("MatMulInteger", [f"{given}/q", weights[0], f"{given}/z"], [f"{product}/i"]),
            _written("Cast", [f"{product}/i"], [f"{product}/f"], to_float),
            _written("Mul", [f"{given}/s", weights[1]], [f"{product}/s"]),
            _written("Mul", [f"{product}/f", f"{product}/s"], [product]),
        ]
    return b"".join(written)


def _weights(node: Node, made_by: Mapping[str, Node]) -> tuple[str, str] | None:
    """The names of 8-bit weights by which a node multiplies, and of their scale; None for any other node."""
    if node.operator != "MatMul":
        return None
    scaling = made_by.get(node.inputs[1])
    if scaling is None or scaling.operator != "Mul":
        return None
    cast = made_by.get(scaling.inputs[0])
    if cast is None or cast.operator != "Cast" or cast.inputs[0] in made_by or scaling.inputs[1] in made_by:
        return None
    return cast.inputs[0], scaling.inputs[1]


def _node(message: bytes) -> Node:
    names: dict[int, list[str]] = {INPUTS: [], OUTPUTS: [], OPERATOR: []}
    for number, _, value in _fields(message):
        if number in names and isinstance(value, bytes):
            names[number].append(value.decode())
    return Node(names[OPERATOR][0], names[INPUTS], names[OUTPUTS])


def _written(operator: str, inputs: Sequence[str], outputs: Sequence[str], attribute: bytes = b"") -> bytes:
    """A node as a field of the graph."""
    parts = [_field(INPUTS, LENGTH, name.encode()) for name in inputs]
    parts += [_field(OUTPUTS, LENGTH, name.encode()) for name in outputs]
    parts.append(_field(OPERATOR, LENGTH, operator.encode()))
    parts += [_field(ATTRIBUTES, LENGTH, attribute)] if attribute else []
    return _field(NODES, LENGTH, b"".join(parts))


def _fields(message: bytes) -> Iterator[Field]:
    """The fields of a message, in order."""
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


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """(number, where it ends): seven bits a byte, the lowest first; the highest bit says that more follow."""
    number = shift = 0
    while True:
        byte = message[at]
        number, shift, at = number | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return number, at


def _field(number: int, kind: int, value: int | bytes) -> bytes:
    key = _number(number << 3 | kind)
    if isinstance(value, int):
        return key + _number(value)
    return key + (_number(len(value)) if kind == LENGTH else b"") + value


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
