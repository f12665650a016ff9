"""The notes of a folder of basic-memory, whose format is https://docs.basicmemory.com/concepts/knowledge-format."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from mcp_graphrag.ingest.frontmatter import read_front_matter
from mcp_graphrag.ingest.memories.read_memory import MemoryEntity, MemoryFile, joined
from mcp_graphrag.model import Candidate

_OBSERVATION = re.compile(r"\s*[-*+] \[(?![ xX-]\])([^\[\]()\n]{1,60})\]\s+(\S.*)")
_RELATION = re.compile(r"\s*[-*+] (?:([^\[\]\n]{1,80}?) )?\[\[([^\[\]|#\n]{1,200})[^\[\]\n]*\]\](?: \((.*)\))?\s*")
_HEADING = re.compile(r"\s*(?:#{1,6} .*)?")


def read_notes(notes: Iterable[tuple[str, str]]) -> MemoryFile:
    """The entities of notes, given by path and text, with their observations, and the relations between them."""
    found, titles = MemoryFile("basic-memory"), dict[str, str]()
    for path, text in notes:
        front, body = read_front_matter(text)
        name, kind = str(front.get("title") or PurePath(path).stem), str(front.get("type") or "note")
        titles[str(front.get("permalink") or name).casefold()] = titles[name.casefold()] = name
        observations = list[str]()
        for line in text[body:].split("\n"):
            if (observed := _OBSERVATION.fullmatch(line)) is not None:
                observations.append(f"{observed[1]}: {observed[2].strip()}")
            elif (relation := _RELATION.fullmatch(line)) is not None:
                metadata = {"context": relation[3]} if relation[3] else {}
                kind_of = relation[1] or "relates_to"
                found.triples.append(Candidate(name, kind_of, relation[2].strip(), metadata=metadata))
            elif _HEADING.fullmatch(line) is None:
                found.left_out["lines of prose: `ingest` the folder to search them"] += 1
        found.entities.append(MemoryEntity(name, "" if kind == "note" else kind, observations))
    found.triples = [replace(each, object=titles.get(each.object.casefold(), each.object)) for each in found.triples]
    return joined(found)
