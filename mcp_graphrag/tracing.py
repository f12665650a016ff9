"""Spans of OpenTelemetry around work, where the process has set it up; they carry counts, never text, path or name."""

import functools
import sys
from collections.abc import Callable, Sized
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def traced(name: str, *counts: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """A decorator: each call is a span of that name with these fields of its result, or the kind of its error.

    Of a field that is a list the span has the length.
    """

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @functools.wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            # Whoever exports spans has imported it; nobody else shall wait for that.
            trace: Any = sys.modules.get("opentelemetry.trace")
            if trace is None:
                return function(*args, **kwargs)
            tracer = trace.get_tracer("mcp_graphrag")
            with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
                try:
                    result = function(*args, **kwargs)
                except BaseException as error:
                    span.set_attribute("error.type", type(error).__qualname__)
                    span.set_status(trace.StatusCode.ERROR)
                    raise
                if span.is_recording():
                    span.set_attributes({f"mcp_graphrag.{field}": _count(getattr(result, field)) for field in counts})
                return result

        return call

    return decorate


def _count(value: object) -> object:
    return len(value) if isinstance(value, Sized) and not isinstance(value, str) else value
