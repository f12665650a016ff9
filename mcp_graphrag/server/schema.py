"""Tool schemas that every host takes, and arguments that do not fit them explained in words."""

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mcp_graphrag.server.as_sent import as_sent

Fill = Callable[[str], str]
Node = dict[str, Any]


class Arguments(FuncMetadata):
    """The arguments of a tool, read by `as_sent` in place of the SDK's own reading of texts."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """The arguments in the types of the tool's parameters."""
        return as_sent(self.arg_model, data)


def tighten(tool: Tool, fill: Fill, more: Mapping[str, Node]) -> None:
    """Refuse unknown arguments, and publish small schemas: of the input without references and null alternatives.

    `more` are fields that every answer of the tool may have besides its own.
    """
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = portable(model.model_json_schema(by_alias=True), fill)
    answer = cast("type[BaseModel] | None", tool.fn_metadata.output_model)
    schema: Node | None = None
    if answer is not None:
        schema = compact(json.loads(re.sub(r"(?<=[a-z])Out\b", "", json.dumps(answer.model_json_schema()))))
        schema["properties"] |= more
    tool.fn_metadata = Arguments(arg_model=model, output_schema=schema, output_model=answer)


def portable(schema: Node, fill: Fill = str) -> Node:
    """The schema with references put in place, without titles, nulls and `const`: some hosts reject each of them."""

    def change(node: Node) -> Node:
        found = _without_null(node)
        if "$ref" in found:
            target = schema["$defs"][str(found.pop("$ref")).rsplit("/", maxsplit=1)[-1]]
            return change({**target, **found})
        if "const" in found:
            found["enum"] = [found.pop("const")]
        if "description" in found:
            found["description"] = fill(found["description"])
        left_out = {"$defs", "title", "default" if _is_empty(found.get("default")) else ""}
        return {key: value for key, value in found.items() if key not in left_out}

    return _changed(schema, change)


def compact(schema: Node) -> Node:
    """The schema of an answer without titles, defaults, nulls, and the docstrings and required fields of its parts.

    Empty fields are left out of an answer, so that none is null.
    """

    def change(node: Node) -> Node:
        left_out = {"title", "default", "" if node is schema else "required"}
        left_out.add("description" if "properties" in node else "")
        left_out.add("additionalProperties" if node.get("additionalProperties") is True else "")
        return {key: value for key, value in _without_null(node).items() if key not in left_out}

    return _changed(schema, change)


def _changed(node: Any, change: Callable[[Node], Node]) -> Any:
    """A schema with every schema in it changed, itself first; names of properties and definitions are no keywords."""
    if isinstance(node, list):
        return [_changed(each, change) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    found = change(cast("Node", node))
    for key, value in found.items():
        if key in {"properties", "$defs"}:
            found[key] = {name: _changed(each, change) for name, each in value.items()}
        else:
            found[key] = _changed(value, change)
    return found


def _is_empty(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_empty(each) for each in cast("Node", value).values())
    return value in (None, "", [])


def _without_null(node: Node) -> Node:
    if "anyOf" not in node:
        return dict(node)
    arms = [each for each in node["anyOf"] if each.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key not in {"anyOf", "default"}}
    return {**arms[0], **rest} if len(arms) == 1 else {**rest, "anyOf": arms}


def explain_arguments(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """What is wrong with a call's arguments, a sentence each, and the next step."""
    sentences = [_sentence(each, schema) for each in error.errors()[:5]]
    return f"{' '.join(dict.fromkeys(sentences))} Correct the arguments of {tool} and call it again."


def _sentence(detail: ErrorDetails, schema: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    kind, limits, given = detail["type"], detail.get("ctx", {}), str(detail["input"])[:60]
    if kind == "extra_forbidden":
        return _unknown(where, schema)
    sentences = {
        "missing": f"The argument {where} is missing.",
        "less_than_equal": f"{where} is {given}; the most is {limits.get('le')}.",
        "greater_than_equal": f"{where} is {given}; the least is {limits.get('ge')}.",
        "string_too_long": f"{where} has more than {limits.get('max_length')} characters.",
        "too_long": f"{where} has more than {limits.get('max_length')} members.",
        "string_too_short": f"{where} is empty.",
        "too_short": f"{where} is empty.",
        "list_type": f"{where} is {given}; it takes a list.",
        "string_type": f"{where} is {given}; it takes a text.",
        "model_type": f"{where} is {given}; it takes an object.",
        "dict_type": f"{where} is {given}; it takes an object.",
        "literal_error": f"{where} is '{given}'; choose one of {limits.get('expected')}.",
    }
    return sentences.get(kind, f"{where}: {detail['msg']}.")


def _unknown(where: str, schema: dict[str, Any]) -> str:
    *outer, _ = where.split(".")
    for part in outer:
        schema = schema.get("items", {}) if part.isdigit() else schema.get("properties", {}).get(part, {})
    return unknown_name("field" if outer else "argument", where, list(schema.get("properties", {})))


def unknown_name(kind: str, where: str, known: Sequence[str]) -> str:
    """What is wrong with the name of an argument or field, and which one was meant, or all that there are."""
    near = difflib.get_close_matches(where.rpartition(".")[2], known, n=1)
    meant = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(known) or 'none'}."
    return f"There is no {kind} {where}. {meant}"
