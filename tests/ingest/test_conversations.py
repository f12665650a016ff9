import json
from typing import Any

from mcp_graphrag.ingest import read_bytes, read_documents
from mcp_graphrag.model import Document

VTT = """WEBVTT

1
00:00:01.000 --> 00:00:04.000
<v Ana Silva>We moved the <b>Auth Service</b>.

00:00:05.000 --> 00:00:06.000
<v Bob Lee>Good.

01:00:07.000 --> 01:00:08.000
<v Bob Lee>Really.
"""
SRT = "1\n00:00:01,000 --> 00:00:04,000\nHello <i>there</i>.\n\n2\n00:00:05,000 --> 00:00:06,000\nAna: It works.\n"
CLAUDE: list[dict[str, Any]] = [
    {
        "uuid": "c-1",
        "name": "Ports",
        "chat_messages": [
            {"sender": "human", "created_at": "2024-05-01T10:31:00Z", "text": "Which port?", "content": []},
            {
                "sender": "assistant",
                "created_at": "2024-05-02T10:31:00Z",
                "text": "old",
                "content": [{"type": "text", "text": "# Answer\n\n8080."}, {"type": "tool_use", "name": "x"}],
            },
        ],
    },
    {"uuid": "c-2", "name": "Empty", "chat_messages": []},
]


def chatgpt_node(parent: str | None, role: str, *parts: str) -> dict[str, object]:
    content = {"content_type": "text", "parts": list(parts)}
    message = {"author": {"role": role}, "create_time": 1714559460.5, "content": content}
    return {"parent": parent, "message": message}


def documents(value: object, name: str = "conversations.json") -> list[Document]:
    content = json.dumps(value).encode()
    return list(read_documents(content, uri="file:///x.json", name=name, source="x.json", metadata={"team": "a"}))


def test_a_transcript_has_a_block_for_each_turn_under_speaker_and_time() -> None:
    document = read_bytes(VTT.encode(), uri="a:b", name="standup.vtt")
    assert document.text == "[00:00:01] Ana Silva: We moved the Auth Service.\n\n[00:00:05] Bob Lee: Good. Really.\n\n"
    assert [block.headings for block in document.blocks] == [("Ana Silva, 00:00:01",), ("Bob Lee, 00:00:05",)]
    assert document.metadata == {"speakers": ["Ana Silva", "Bob Lee"]}


def test_entities_in_a_transcript_are_the_characters_that_they_stand_for() -> None:
    text = "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ana&nbsp;Silva>Ports &amp; docks, 2 &lt; 3.\n"
    document = read_bytes(text.encode(), uri="a:b", name="a.vtt")
    assert document.text == "[00:00:01] Ana Silva: Ports & docks, 2 < 3.\n\n"


def test_cues_without_a_speaker_are_paragraphs_under_their_time() -> None:
    document = read_bytes(SRT.encode(), uri="a:b", name="a.srt")
    assert document.text == "Hello there.\n\n[00:00:05] Ana: It works.\n\n"
    assert document.blocks[0].headings == ("00:00:01",)


def test_each_conversation_of_a_claude_export_is_a_document() -> None:
    (document,) = documents(CLAUDE)
    assert (document.uri, document.title) == ("file:///x.json?conversation=c-1", "Ports")
    assert document.text == (
        "# Ports\n\n## User, 2024-05-01 10:31\n\nWhich port?\n\n## Assistant, 2024-05-02 10:31\n\n# Answer\n\n8080.\n\n"
    )
    assert document.blocks[-1].headings == ("Ports", "Assistant, 2024-05-02 10:31", "Answer")
    dates = {"date": "2024-05-01", "updated": "2024-05-02"}
    assert document.metadata == {"format": "claude", "messages": 2, **dates, "team": "a"}


def test_a_text_that_was_pasted_into_a_conversation_is_part_of_its_message() -> None:
    pasted = {"sender": "human", "text": "", "attachments": [{"file_name": "", "extracted_content": "The log."}, {}]}
    (document,) = documents([{"uuid": "c-3", "name": "Log", "chat_messages": [pasted]}])
    assert document.text == "# Log\n\n## User\n\nThe log.\n\n"


def test_a_chatgpt_export_has_the_branch_that_was_shown_last() -> None:
    nodes = {
        "root": {"parent": None, "message": None},
        "q": chatgpt_node("root", "user", "Which port?"),
        "old": chatgpt_node("q", "assistant", "80."),
        "tool": chatgpt_node("q", "tool", "SECRET"),
        "new": chatgpt_node("tool", "assistant", "8080."),
    }
    export = [{"title": "Ports", "conversation_id": "g-1", "current_node": "new", "mapping": nodes}]
    (document,) = documents(export)
    times = "2024-05-01 10:31"
    assert document.text == f"# Ports\n\n## User, {times}\n\nWhich port?\n\n## Assistant, {times}\n\n8080.\n\n"
    assert document.uri == "file:///x.json?conversation=g-1"


def test_what_was_spoken_with_chatgpt_is_read_without_its_marks_of_pages() -> None:
    def spoken(parent: str | None, role: str, text: str) -> dict[str, Any]:
        node: dict[str, Any] = chatgpt_node(parent, role)
        sound = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://x"}
        node["message"]["content"]["parts"] = [{"content_type": "audio_transcription", "text": text}, sound]
        return node

    nodes = {
        "q": spoken(None, "user", "Which port?"),
        "a": spoken("q", "assistant", "8080 \ue200cite\ue202turn0search3\ue201, or 80【4†source】."),
    }
    (document,) = documents([{"title": None, "conversation_id": "g-2", "current_node": "a", "mapping": nodes}])
    times = "2024-05-01 10:31"
    assert document.text == f"## User, {times}\n\nWhich port?\n\n## Assistant, {times}\n\n8080, or 80.\n\n"
    assert document.title == "Which port?"


def test_other_json_with_such_a_key_is_one_document() -> None:
    assert [each.uri for each in documents([{"chat_messages": 3}])] == ["file:///x.json"]
