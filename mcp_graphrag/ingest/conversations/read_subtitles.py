"""WebVTT and SubRip transcripts to turns, each with its speaker and time."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from mcp_graphrag.ingest.block_writer import BlockWriter
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.reader import Reading

_CUE = re.compile(r"(?P<time>(?:\d{1,3}:)?\d\d:\d\d)[.,]\d{1,3}[ \t]+-->.*")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?[ \t]+([^>\n]{1,80})>")
_NAMED = re.compile(r"(?:-[ \t]*)?([^\W\d_][\w.'’ -]{0,40}):[ \t]+(?=\S)")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>|<\d[\d:.]*>|\{\\[^}\n]*\}")
_LONG = 600  # characters of one turn, after which the next cue begins another


class _Cue(NamedTuple):
    time: str
    speaker: str
    text: str


def read_subtitles(text: str) -> Reading:
    """One block for what a speaker says without interruption, under "speaker, time"; speakers are metadata.

    Where nobody is named, the cues are paragraphs under their time.
    """
    writer = BlockWriter()
    speakers: dict[str, None] = {}
    for turn in _turns(text):
        if turn.speaker:
            speakers[turn.speaker] = None
            writer.add("text", f"[{turn.time}] {turn.speaker}: {turn.text}", (f"{turn.speaker}, {turn.time}",))
        else:
            writer.add("text", turn.text, (turn.time,))
    return writer.finish("", {"speakers": list(speakers)} if speakers else {})


def _turns(text: str) -> Iterator[_Cue]:
    """The cues, with those of the same speaker that follow each other joined."""
    turn: _Cue | None = None
    for cue in _cues(text):
        if turn is not None and cue.speaker in {turn.speaker, ""} and len(turn.text) < _LONG:
            turn = turn._replace(text=f"{turn.text} {cue.text}")
        else:
            if turn is not None:
                yield turn
            # A cue without a name goes on with what the last speaker says.
            turn = cue._replace(speaker=cue.speaker or (turn.speaker if turn is not None else ""))
    if turn is not None:
        yield turn


def _cues(text: str) -> Iterator[_Cue]:
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip().split("\n")
        for at, line in enumerate(lines[:2], 1):
            if cue := _CUE.fullmatch(line.strip()):
                spoken = _said(lines[at:])
                yield from (_Cue(cue["time"], _plain(speaker), _plain(said)) for speaker, said in spoken if said)
                break


def _plain(text: str) -> str:
    """The text with the characters for which entities such as "&amp;" stand."""
    return " ".join(normalize_characters(html.unescape(text)).split()) if "&" in text else text


def _said(lines: list[str]) -> Iterator[tuple[str, str]]:
    """What each speaker of a cue says; the speaker is "" if not named."""
    speaker, parts = "", list[str]()
    for line in lines:
        voice = _VOICE.search(line)
        named = None if voice else _NAMED.match(line)
        if found := voice or named:
            yield speaker, " ".join(parts).strip()
            speaker, parts = found[1].strip(), []
        parts.append(_TAG.sub("", line[named.end() :] if named else line).strip())
    yield speaker, " ".join(parts).strip()
