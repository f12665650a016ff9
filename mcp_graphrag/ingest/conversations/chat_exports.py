"""The exports of Claude and ChatGPT: one JSON file with many conversations, each of which is a document."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.data.json_values import Json, list_of, object_of, objects_of
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.read_markdown import read_markdown
from mcp_graphrag.ingest.reader import Reading

_ROLES = {"human": "User", "user": "User", "assistant": "Assistant"}
_MAX_TITLE = 200
_MAX_OPENING = 80  # of a conversation without a title
# What ChatGPT shows as a link to a page it found: between private characters, and before 2025 in brackets.
_CITATIONS = re.compile("[ ]?(?:\ue200[^\ue200\ue201]*\ue201|【[^】\n]*†[^】\n]*】)")


@dataclass(frozen=True)
class Conversation:
    """A conversation of an export: its id there, and what was said."""

    id: str
    reading: Reading


@dataclass(frozen=True)
class _Message:
    speaker: str
    moment: datetime | None
    text: str


def conversations_of(value: Any) -> list[Conversation]:
    """The conversations of an export, given as parsed JSON; none if it is no such export."""
    found: list[Conversation] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            return []
        conversation = cast("Json", item)
        if isinstance(conversation.get("chat_messages"), list):
            messages, source = list(_of_claude(conversation)), "claude"
        elif isinstance(conversation.get("mapping"), dict) and "current_node" in conversation:
            messages, source = list(_of_chatgpt(conversation)), "chatgpt"
        else:
            return []
        id_ = conversation.get("uuid") or conversation.get("conversation_id") or conversation.get("id")
        if not isinstance(id_, str) or not id_:
            return []
        if messages:
            found.append(Conversation(id_, _reading(conversation, messages, source)))
    return found


def _of_claude(conversation: Json) -> Iterator[_Message]:
    for message in objects_of(conversation.get("chat_messages")):
        parts = [part.get("text") for part in objects_of(message.get("content")) if part.get("type") == "text"]
        text = _joined(parts) or message.get("text")
        # A long text that is pasted becomes an attachment.
        attached = [each.get("extracted_content") for each in objects_of(message.get("attachments"))]
        yield from _message(message.get("sender"), message.get("created_at"), _joined([text, *attached]))


def _of_chatgpt(conversation: Json) -> Iterator[_Message]:
    """The messages of the branch that was shown last; an answer that was asked for again is left out."""
    nodes = cast("Json", conversation["mapping"])
    branch: list[Json] = []
    seen: set[str] = set()
    name = conversation["current_node"]
    while isinstance(name, str) and name not in seen and isinstance(nodes.get(name), dict):
        seen.add(name)
        branch.append(cast("Json", nodes[name]))
        name = branch[-1].get("parent")
    for node in reversed(branch):
        message = object_of(node.get("message"))
        parts = object_of(message.get("content")).get("parts")
        text = _CITATIONS.sub("", _joined([_said(part) for part in list_of(parts)]))
        yield from _message(object_of(message.get("author")).get("role"), message.get("create_time"), text)


def _said(part: Any) -> Any:
    """A part of a message; of one that was spoken its transcript."""
    spoken = object_of(part)
    return spoken.get("text") if spoken.get("content_type") == "audio_transcription" else part


def _joined(parts: Sequence[Any]) -> str:
    """Those that are texts, as paragraphs."""
    return "\n\n".join(part for part in parts if isinstance(part, str) and part.strip())


def _message(role: Any, when: Any, text: Any) -> Iterator[_Message]:
    """A message of the user or the assistant; those of tools and of the system are left out."""
    speaker = _ROLES.get(role) if isinstance(role, str) else None
    if speaker is not None and isinstance(text, str) and text.strip():
        yield _Message(speaker, _moment(when), normalize_characters(text).strip())


def _moment(when: Any) -> datetime | None:
    try:
        if isinstance(when, int | float):
            return datetime.fromtimestamp(when, UTC)
        return datetime.fromisoformat(when) if isinstance(when, str) else None
    except (ValueError, OverflowError, OSError):
        return None


def _reading(conversation: Json, messages: Sequence[_Message], source: str) -> Reading:
    """The conversation as Markdown, each message below a heading with speaker and time."""
    name = conversation.get("name") or conversation.get("title")
    title = " ".join(normalize_characters(name).split())[:_MAX_TITLE] if isinstance(name, str) else ""
    writer = BlockWriter()
    top = (title,) if title else ()
    writer.add("heading", f"# {title}" if title else "", top, level=1)
    for message in messages:
        when = f", {message.moment:%Y-%m-%d %H:%M}" if message.moment is not None else ""
        above = (*top, f"{message.speaker}{when}")
        writer.add("heading", f"## {above[-1]}", above, level=2)
        writer.add_reading(read_markdown(message.text + "\n"), above, levels=2)
    moments = [message.moment for message in messages if message.moment is not None]
    dates = {"date": f"{min(moments):%Y-%m-%d}", "updated": f"{max(moments):%Y-%m-%d}"} if moments else {}
    opening = " ".join(messages[0].text.split())
    title = title or (opening if len(opening) <= _MAX_OPENING else f"{opening[: _MAX_OPENING - 1].rstrip()}…")
    return writer.finish(title, {"format": source, "messages": len(messages), **dates})
