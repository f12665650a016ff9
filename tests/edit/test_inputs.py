"""Texts and files as callers give them."""

from typing import Any

import pytest

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.errors import BadInput


@pytest.mark.parametrize("part", ["title", "source", "uri"])
def test_titles_sources_and_uris_follow_the_rule_of_control_characters(part: str) -> None:
    for character in ("\n", "\t", "\u202e", "\u2066"):
        given: dict[str, Any] = {part: f"a{character}b"}
        with pytest.raises(BadInput, match=f"The {part} has control characters"):
            text_document(TextInput("Some text.", **given), max_bytes=1_000)


def test_a_text_above_the_limit_is_refused() -> None:
    with pytest.raises(BadInput, match=r"The text has 0\.0 MB; the most is 1e-06 MB"):
        text_document(TextInput("ab"), max_bytes=1)
