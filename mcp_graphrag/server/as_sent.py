"""Arguments as clients send them: null for what is left out, JSON inside a text, one item for a list, numbers as names.

Not by the look of a text, as the SDK reads them: a text is JSON only where a text cannot be meant.
"""

import json
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from pydantic import BaseModel

NOTHING = ("", "null")  # in place of a number, a truth value or a choice


def as_sent(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a record's fields in the types of these where that is what is meant, without nulls.

    What does not fit stays as it is: the check behind this explains it.
    """
    kinds = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    read = {name: _read(value, kinds.get(name, Any)) for name, value in given.items()}
    return {name: value for name, value in read.items() if value is not None}


def from_json(value: Any, kind: type) -> Any:
    """What a text says as JSON if it is of a kind, else the value."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, kind) else value


def _read(value: Any, kind: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    if value is None or kind is Any or (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return value  # a record reads itself
    if kind is str:
        return json.dumps(value) if isinstance(value, int | float) else value
    found, inner = value, get_args(kind)
    if get_origin(kind) is dict:
        found = from_json(value, dict)
        if inner[1] is str and isinstance(found, dict):  # 3 and true fit metadata that says 3 and true
            pairs = cast("dict[str, Any]", found)
            found = {key: each if isinstance(each, str) else json.dumps(each) for key, each in pairs.items()}
    elif get_origin(kind) is list:
        found = from_json(value, list)
        if inner[0] is str and found is not value and not all(isinstance(each, str) for each in found):
            found = value  # "[1]" may be a title
        items = cast("list[Any]", found if isinstance(found, list) else [found])
        found = [_read(each, inner[0]) for each in items if each is not None]
    return None if found in NOTHING else found
