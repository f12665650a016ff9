"""Tool schemas that every host takes, and arguments that do not fit them explained in words."""

import difflib
from typing import Any, cast

from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError
from pydantic_core import ErrorDetails


def tighten(tool: Tool) -> None:
    """Refuse unknown arguments, and publish a schema without titles, references and null alternatives."""
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = portable(model.model_json_schema(by_alias=True))


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with references put in place, without titles, nulls and `const`: some hosts reject each of them."""
    return cast("dict[str, Any]", _portable(schema, schema.get("$defs", {})))


def _portable(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_portable(each, definitions) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    found = cast("dict[str, Any]", node)
    if "$ref" in found:
        target = definitions[str(found["$ref"]).rsplit("/", maxsplit=1)[-1]]
        rest = {key: value for key, value in found.items() if key != "$ref"}
        return _portable({**target, **rest}, definitions)
    if "anyOf" in found:
        arms = [each for each in found["anyOf"] if each.get("type") != "null"]
        rest = {key: value for key, value in found.items() if key not in {"anyOf", "default"}}
        return _portable({**arms[0], **rest} if len(arms) == 1 else {**rest, "anyOf": arms}, definitions)
    kept: dict[str, Any] = {}
    for key, value in found.items():
        if key == "properties":
            fields = cast("dict[str, Any]", value)
            kept[key] = {name: _portable(each, definitions) for name, each in fields.items()}
        elif key == "const":
            kept["enum"] = [value]
        elif key not in {"$defs", "title"} and not (key == "default" and value in (None, "", [], {})):
            kept[key] = _portable(value, definitions)
    return kept


def arguments_said(tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """What is wrong with a call's arguments, a sentence each, and how they should be."""
    said = [_said(each, schema) for each in error.errors()[:5]]
    return f"{' '.join(dict.fromkeys(said))} Correct the arguments of {tool} and call it again."


def _said(detail: ErrorDetails, schema: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in detail["loc"])
    kind, limits, given = detail["type"], detail.get("ctx", {}), str(detail["input"])[:60]
    if kind == "extra_forbidden":
        return _unknown(where, schema)
    said = {
        "missing": f"The argument {where} is missing.",
        "less_than_equal": f"{where} is {given}; the most is {limits.get('le')}.",
        "greater_than_equal": f"{where} is {given}; the least is {limits.get('ge')}.",
        "string_too_long": f"{where} has more than {limits.get('max_length')} characters.",
        "too_long": f"{where} has more than {limits.get('max_length')} members.",
        "string_too_short": f"{where} is empty.",
        "too_short": f"{where} is empty.",
        "list_type": f"{where} is {given}; it takes a list.",
        "literal_error": f"{where} is '{given}'; choose of {limits.get('expected')}.",
    }
    return said.get(kind, f"{where}: {detail['msg']}.")


def _unknown(where: str, schema: dict[str, Any]) -> str:
    *outer, name = where.split(".")
    for part in outer:
        schema = schema.get("items", {}) if part.isdigit() else schema.get("properties", {}).get(part, {})
    known = list(schema.get("properties", {}))
    near = difflib.get_close_matches(name, known, n=1)
    meant = f" Did you mean {near[0]}?" if near else f" It takes {', '.join(known) or 'none'}."
    return f"There is no {'field' if outer else 'argument'} {where}.{meant}"
