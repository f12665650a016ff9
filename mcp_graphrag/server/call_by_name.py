"""Calls of tools and commands by name over a socket: arguments, answers and errors as JSON."""

import inspect
import logging
from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from mcp_graphrag import errors
from mcp_graphrag.errors import BadInput, Defect, GraphragError, as_graphrag_error
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.written_forms import ShortForms

log = logging.getLogger(__name__)


def error_as_json(error: GraphragError) -> dict[str, str]:
    """An error as it crosses the socket: the name of its class, and its two sentences."""
    return {"kind": type(error).__name__, "fact": error.fact, "hint": error.hint}


def error_of(fields: Mapping[str, str]) -> GraphragError:
    """The error that came over the socket, which is caught and shown as it was there."""
    kind = getattr(errors, fields["kind"], GraphragError)
    made = cast("GraphragError", kind.__new__(kind))
    GraphragError.__init__(made, fields["fact"], fields["hint"])
    return made


def arguments_as_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a tool as JSON; lone surrogates, as in a file name that is not UTF-8, become question marks."""
    return to_jsonable_python(dict(arguments), fallback=str)


def checked_arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as the tool takes them, of their JSON. Raises BadInput for one that does not fit."""
    _, *parameters = inspect.signature(tool.run, eval_str=True).parameters.values()
    given: dict[str, Any] = {}
    for each in parameters:
        if each.name not in arguments:
            continue
        try:
            given[each.name] = TypeAdapter(each.annotation).validate_python(arguments[each.name])
        except ValidationError as error:
            why = error.errors()[0]["msg"]
            raise BadInput(f"{tool.name} cannot take that {each.name}: {why}.", "Correct it and try again.") from None
    return given


def run_by_name(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Answer:
    """The answer of a tool, its arguments given as JSON. Raises GraphragError; a defect is logged here."""
    given = checked_arguments(tool, arguments)
    try:
        return run_whole(tool, call, given)
    except Exception as error:
        fault = as_graphrag_error(error)
        if isinstance(fault, Defect):
            log.exception("%s", tool.name)
        raise fault from error


def run_whole(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Answer:
    """The answer of a tool; what it wrote is moved from the write-ahead log to the file."""
    answer = answered(tool, call, arguments)
    if not tool.reads:
        call.graph.store.checkpoint()
    return answer


def answered(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Answer:
    """The answer of a tool, the text of which has short forms of names and citations."""
    answer = tool.run(call, **arguments)
    asked = ShortForms()
    answer.write_with(asked)
    answer.written()
    if not asked.asked_names and not asked.asked_citations:
        return answer  # which may be about a file that is not there
    answer.write_with(ShortForms(*call.graph.short_forms(asked.asked_names, asked.asked_citations)))
    return answer


def answer_as_json(answer: Answer) -> dict[str, Any]:
    """An answer as it crosses the socket, with the forms of its text."""
    return {"answer": answer.model_dump(mode="json"), "forms": answer.forms.as_json()}


def answer_of(tool: Tool, said: Mapping[str, Any]) -> Answer:
    """The answer that came over the socket."""
    kind = inspect.signature(tool.run, eval_str=True).return_annotation
    answer = cast("Answer", TypeAdapter(kind).validate_python(said["answer"]))
    answer.write_with(ShortForms.of_json(said["forms"]))
    return answer
