"""What the sections of a document are about, by their headings."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from mcp_graphrag.english.spans import Span
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER

_MAX_ACRONYM = 6  # letters
_WORD = re.compile(r"\W*(?P<name>[a-z]{4,30})\W*")
_BESIDE_NAME = re.compile(r"[\s\W\d_]*(?:[Tt]he|[Aa]n?)?\s*(?:\([^()]*\))?\W*")


class Opening(NamedTuple):
    """What a sentence begins: a paragraph, an item of a list, or a heading of a level (1 to 6, else 0).

    `is_led_in` tells of an item whether the line in front of it ends in a colon.
    """

    is_paragraph: bool = False
    is_item: bool = False
    is_led_in: bool = False
    level: int = 0


class Sections:
    """The headings above the sentence that is read."""

    def __init__(self) -> None:
        self._names: dict[int, DraftMention | None] = {}  # by level; None for a heading with names among other words

    def __bool__(self) -> bool:
        return bool(self._names)

    @property
    def name(self) -> DraftMention | None:
        """What the section is about: the name of the nearest heading that has names, None if that has other words."""
        return self._names[max(self._names)] if self._names else None

    def start(self, level: int, prose: str, span: Span, names: Sequence[DraftMention]) -> None:
        """Note the names of a heading."""
        self._names = {above: one for above, one in self._names.items() if above < level}
        word = _WORD.fullmatch(prose, *span)
        if not names and word is not None and not GAZETTEER.is_common(word["name"]):
            at = word.start("name"), word.end("name")
            self._names[level] = DraftMention(*at, word["name"], None, "name", 0.5)  # "### tillkeeper"
        if names:
            rest = prose[span[0] : names[0].start] + prose[names[0].end : span[1]]
            is_whole = len(names) == 1 and _BESIDE_NAME.fullmatch(rest) is not None
            self._names[level] = names[0] if is_whole else None


def is_title(heading: str) -> bool:
    """Whether a heading says what is below it, and names nothing: "Prehistory Perspective", "Tier 1", "PREAMBLE"."""
    words = heading.split()
    is_shouted = heading.isupper() and len(heading) > _MAX_ACRONYM
    return is_shouted or (len(words) > 1 and (words[-1].isdigit() or GAZETTEER.is_common(words[-1].lower())))
