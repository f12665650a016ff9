"""Commands made of tools: each parameter of a tool is an option or an argument with the same help and limits."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

import click
from pydantic import BaseModel, TypeAdapter, ValidationError

from mcp_graphrag.cli.session import NAMES, Session, command
from mcp_graphrag.errors import BadInput
from mcp_graphrag.server.declaration import Parameter, Tool, fields_of
from mcp_graphrag.server.records import Answer

Run = Callable[..., Answer | None]


def tool_command(tool: Tool, *extra: click.Parameter, run: Run | None = None) -> click.Command:
    """The command of a tool. `run(session, tool, **arguments)` stands in for the call, and gets the `extra` options."""

    def invoke(session: Session, **given: Any) -> None:
        arguments = {name: _value(each, given) for name, each in tool.parameters.items() if not each.cli.over_mcp_only}
        arguments |= {each.name or "": given[f"{each.name}"] for each in extra}
        answer = run(session, tool, **arguments) if run else session.run(tool, arguments)
        if answer is not None:
            session.show(answer)

    made = command(tool.command, *tool.settings, about=tool.about + _records_help(tool))(invoke)
    ours = [each for parameter in tool.parameters.values() for each in _options(parameter)]
    flags = {flag for each in ours for flag in each.opts}
    # A parameter of the tool stands before a setting of the same name.
    made.params = [*ours, *extra, *(each for each in made.params if not flags.intersection(each.opts))]
    return made


def record_command(tool: Tool, name: str, about: str) -> click.Command:
    """A command that gives a tool that takes a list of records one record, whose fields are options."""
    (parameter,) = tool.parameters.values()
    (record,) = get_args(parameter.type)
    fields = fields_of(record)

    def invoke(session: Session, **given: Any) -> None:
        one = record(**{key: _value(each, given) for key, each in fields.items()})
        session.show(session.run(tool, {parameter.name: [one]}))

    made = command(name, *tool.settings, about=about)(invoke)
    made.params = [*(each for field in fields.values() for each in _options(field)), *made.params]
    return made


def _records_help(tool: Tool) -> str:
    """What a file of records has, for a tool that takes them."""
    records = [record for each in tool.parameters.values() if (record := _records_of(each.type))]
    fields = [", ".join(each.model_fields) for each in records]
    return f"\n\nFILE, or - for standard input, has one JSON object a line: {fields[0]}." if fields else ""


def _options(parameter: Parameter, prefix: str = "") -> Sequence[click.Parameter]:
    """The options or the argument of a parameter; a record has an option for each of its fields."""
    kind, cli = parameter.type, parameter.cli
    if cli.over_mcp_only:
        return []
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        nested = fields_of(kind).values()
        return [each for field in nested for each in _options(field, f"{parameter.name}_")]
    name = f"{prefix}{parameter.name}_"
    if _records_of(kind):
        metavar = "FILE" if parameter.required else f"[{parameter.name.upper()}-FILE]"
        file = click.File(encoding="utf-8-sig")
        return [click.Argument([name], type=file, metavar=metavar, required=parameter.required)]
    if cli.positional:
        many = cli.joined or get_origin(kind) is list
        more: dict[str, Any] = {} if parameter.required or many else {"default": parameter.default}
        shown = f"{parameter.name.upper()}{'…' if many else ''}"
        metavar = shown if parameter.required else f"[{shown}]"
        required, nargs = parameter.required, -1 if many else 1
        return [click.Argument([name], type=_type(parameter), required=required, nargs=nargs, metavar=metavar, **more)]
    return [_option(parameter, name)]


def _option(parameter: Parameter, name: str) -> click.Option:
    kind, default, about = parameter.type, parameter.default, NAMES.fill(parameter.about)
    flag = parameter.cli.flag or f"--{parameter.name.replace('_', '-')}"
    if kind is bool:
        flags = flag if "/" in flag or not default else f"{flag}/--no-{flag.removeprefix('--')}"
        return click.Option([flags, name], default=default, is_flag=True, help=about)
    if get_origin(kind) is dict:
        return click.Option([flag, name], multiple=True, metavar="KEY=VALUE", help=f"{about} Repeatable.".strip())
    if get_origin(kind) is list:
        one = flag if parameter.cli.flag else flag.removesuffix("s")
        shown: dict[str, Any] = {"default": tuple(default), "show_default": True} if default else {}
        return click.Option([one, name], multiple=True, type=_type(parameter), help=f"{about} Repeatable.", **shown)
    given: dict[str, Any] = (
        {} if parameter.required else {"default": default, "show_default": default not in (None, "")}
    )
    return click.Option([flag, name], type=_type(parameter), help=about, required=parameter.required, **given)


def _type(parameter: Parameter) -> Any:
    kind = get_args(parameter.type)[0] if get_origin(parameter.type) is list else parameter.type
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    limits = parameter.limits
    if kind is int:
        return click.IntRange(limits.get("ge"), limits.get("le")) if limits else click.INT
    if kind is float:
        return click.FloatRange(limits.get("ge", limits.get("gt")), limits.get("le"), min_open="gt" in limits)
    return click.STRING


def _value(parameter: Parameter, given: Mapping[str, Any], prefix: str = "") -> Any:
    """What was given for a parameter, as the tool takes it."""
    kind = parameter.type
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind(**{name: _value(each, given, f"{parameter.name}_") for name, each in fields_of(kind).items()})
    value = given[f"{prefix}{parameter.name}_"]
    if record := _records_of(kind):
        return list(_read_records(value or (), record))
    if parameter.cli.joined:
        return " ".join(value) or parameter.default or ""
    if get_origin(kind) is dict:
        return _pairs(value, as_text=get_args(kind)[1] is str)
    return list(value) if get_origin(kind) is list else value


def _records_of(kind: Any) -> type[BaseModel] | None:
    """The record that a parameter takes a list of, if it does."""
    inner = get_args(kind)[0] if get_origin(kind) is list else None
    return inner if isinstance(inner, type) and issubclass(inner, BaseModel) else None


def _read_records(lines: Any, record: type[BaseModel]) -> Any:
    """The records of a file of JSON lines. Raises BadInput, naming the line."""
    adapter = TypeAdapter(record)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield adapter.validate_python(json.loads(line))
        except json.JSONDecodeError as error:
            raise BadInput(f"Line {number} is not JSON: {error.msg}.", "Write one JSON object a line.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            fields = ", ".join(record.model_fields)
            raise BadInput(f"Line {number}: {where}: {first['msg']}.", f"The fields are {fields}.") from error


def _pairs(words: tuple[str, ...], *, as_text: bool) -> dict[str, Any]:
    """The mapping of KEY=VALUE words, each value as JSON where it is that, else as text."""
    if wrong := [word for word in words if "=" not in word]:
        raise click.BadParameter(f"{wrong[0]!r} is not KEY=VALUE.")
    pairs = dict(word.split("=", maxsplit=1) for word in words)
    return {key: text if as_text else _json_or_text(text) for key, text in pairs.items()}


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
