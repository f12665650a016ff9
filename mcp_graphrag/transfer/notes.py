"""A folder of notes for Obsidian: one an entity, its triples as links to others, with their quotes."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp_graphrag.ingest.data.json_values import objects_of, text_of
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.export_rows import entity_rows, triple_rows

NO_NAME = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')  # in names of files or in links
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # by Windows
MAX_BYTES = 150  # of a name


def write_notes(tx: Reader, folder: Path) -> None:
    """Write the notes into a new folder."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for row in entity_rows(tx):
        if row["id"] < 0:
            continue  # words of a text, which stand in the note of their subject
        names[row["id"]] = name = _free_name(row["name"], row["type"], taken)
        note = "\n".join(_head(row))
        (folder / f"{name}.md").write_text(note, encoding="utf-8", newline="\n")
    subject = None
    for row in (each for each in triple_rows(tx) if each["subject_id"] in names):
        heading = "" if row["subject_id"] == subject else "\n## Triples\n\n"
        subject = row["subject_id"]
        with (folder / f"{names[subject]}.md").open("a", encoding="utf-8", newline="\n") as note:
            note.write(f"{heading}{_line(row, names.get(row['object_id']))}\n")


def _head(row: Mapping[str, Any]) -> Iterator[str]:
    yield "---"
    if row["type"]:
        yield f"type: {json.dumps(row['type'], ensure_ascii=False)}"
    if row["aliases"]:
        yield f"aliases: {json.dumps(row['aliases'], ensure_ascii=False)}"
    for key, value in json.loads(row["properties"]).items():
        yield f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
    yield f"---\n\n# {_plain(row['name'])}\n"
    if row["description"]:
        yield f"{_plain(row['description'])}\n"
    yield from (f"- {_plain(stated)}" for stated in row["stated"])


def _line(row: Mapping[str, Any], linked: str | None) -> str:
    target = f"[[{linked}]]" if linked else _plain(row["object"])
    dates = f"{row['valid_from'] or '…'} to {row['valid_to'] or '…'}" if row["valid_from"] or row["valid_to"] else ""
    sure = f"confidence {row['confidence']:.2g}" if row["confidence"] < 1 else ""
    over = "no longer" if row["is_over"] else ""
    more = ", ".join(filter(None, (over, dates, sure)))
    said, place = first_evidence(row)
    quote = f' — "{_plain(said)}"' if said else ""
    return f"- {row['predicate']} {target}{f' ({more})' if more else ''}{quote}{f' `{place}`' if place else ''}"


def first_evidence(row: Mapping[str, Any]) -> tuple[str, str]:
    """The quote and the place of the most confident evidence of a row of a triple, "" for none."""
    for first in objects_of(json.loads(row["evidence"])):
        return text_of(first.get("quote")), text_of(first.get("citation")) or text_of(first.get("source"))
    return "", ""


def _plain(text: str) -> str:
    """A text on one line that Markdown reads as it is: it is data, and neither link nor tag."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", " ".join(text.split()))


def _free_name(name: str, type_: str, taken: set[str]) -> str:
    """A name of a file that no other note has, however its letters are written."""
    clean = NO_NAME.sub("-", " ".join(name.split())).strip(". ") or "-"
    clean = f"_{clean}" if RESERVED.fullmatch(clean) else clean
    clean = clean.encode("utf-8")[:MAX_BYTES].decode("utf-8", "ignore")
    kind = NO_NAME.sub("-", type_)
    free, number = clean, 1
    while free.casefold() in taken:
        number += 1
        free = f"{clean} ({kind})" if number == 2 and kind else f"{clean} ({number})"
    taken.add(free.casefold())
    return free
