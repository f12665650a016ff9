"""What every answer is: a model complete by itself, with its text for clients that show only text."""

from typing import Annotated, Any, cast

from pydantic import BaseModel, Field

EMPTY: tuple[Any, ...] = (None, "", [], {})


class Answer(BaseModel):
    """The base of every answer: `in_words` says what its fields say."""

    def in_words(self) -> str:
        """The same facts in compact words."""
        raise NotImplementedError


def wire(value: Any) -> Any:
    """An answer as JSON values, without the optional fields that are empty."""
    if isinstance(value, BaseModel):
        fields = type(value).model_fields
        found = {name: getattr(value, name) for name in fields}
        return {name: wire(each) for name, each in found.items() if fields[name].is_required() or each not in EMPTY}
    if isinstance(value, list):
        return [wire(each) for each in cast("list[Any]", value)]
    return value


class Listing(Answer):
    """An answer that may be cut: `truncated` says so and `hint` what to do about it."""

    truncated: Annotated[bool, Field(description="Whether there is more than was answered.")]
    hint: Annotated[str, Field(description="What to do next.")] = ""
    notes: Annotated[list[str], Field(description="What was left out, and why.")] = []

    def footer(self) -> str:
        """Notes and hint, a line each."""
        return "".join(f"\n{line}" for line in (*self.notes, self.hint) if line)
