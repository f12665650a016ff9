"""What answers and errors say of tools that a server does not offer: the command that does the same."""

import re
from collections.abc import Collection
from typing import Any, TypeVar

from mcp_graphrag.server.answers import Answer

Said = TypeVar("Said", bound=Answer)
COMMANDS = {
    "describe_graph": "stats",
    "find_entities": "entities",
    "query_triples": "query",
    "get_neighbourhood": "neighbourhood",
    "get_communities": "communities",
    "find_paths": "path",
    "trace_impact": "impact",
    "check_claim": "check",
    "plan_question": "plan",
    "get_source": "source",
    "record_outcome": "outcome",
    "add_entities": "add-entity",
    "update_entity": "update-entity",
    "discover_edges": "discover-edges",
    "add_edges": "add-edges",
}
# As a word of a sentence, not within a name, uri, quotation or list. Tools of one word are words of any sentence.
NAMED = re.compile(rf"(?<![\w/.:#'\"“-])(?<!, )(?:{'|'.join(COMMANDS)})(?![\w/:#'\"”,-]|\.\w)")


def offered_only(text: str, offered: Collection[str]) -> str:
    """A sentence that names a command for each tool that is not offered."""
    return NAMED.sub(lambda name: name[0] if name[0] in offered else f"`mcp-graphrag {COMMANDS[name[0]]}`", text)


def answer_naming(answer: Said, offered: Collection[str]) -> Said:
    """An answer whose hint and notes name no tool that is not offered."""
    said: dict[str, Any] = {}
    hint, notes = getattr(answer, "hint", ""), getattr(answer, "notes", [])
    if hint:
        said["hint"] = offered_only(hint, offered)
    if notes:
        said["notes"] = [offered_only(note, offered) for note in notes]
    return answer.model_copy(update=said)
