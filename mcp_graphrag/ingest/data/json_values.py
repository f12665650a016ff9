"""What is wanted of parsed JSON, whatever is there: texts and objects, or nothing."""

from collections.abc import Mapping
from typing import Any, cast

Json = Mapping[str, Any]


def text_of(value: Any) -> str:
    """A value that is a text, without space around it; "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def object_of(value: Any) -> Json:
    """A value that is an object, else an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """A value that is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def objects_of(value: Any) -> list[Json]:
    """The objects in a list; of anything else none."""
    return [cast("Json", item) for item in list_of(value) if isinstance(item, dict)]
