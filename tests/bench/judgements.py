"""Judgements of triples, entities and facts by a reader, kept without the text that they were judged by."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

What: TypeAlias = Literal["triple", "entity", "fact"]
Key: TypeAlias = tuple[str, ...]

VERDICTS = ("right", "useless", "wrong")
REASONS = {
    "useless": ("outline", "navigation", "generic words", "says nothing", "example", "value or code"),
    "wrong": (
        "wrong subject",
        "wrong object",
        "name cut or joined",
        "not asserted",
        "wrong predicate",
        "wrong direction",
        "wrong time",
        "wrong type",
        "not a name",
    ),
}


@dataclass(frozen=True)
class Item:
    """What is judged: a triple, an entity (its type is the object), or a listed fact beside a triple that may state it.

    `when` is the time of a triple, and of a fact the text of that triple. The same item is judged once.
    """

    what: What
    kind: str
    document: str
    subject: str
    predicate: str
    object: str
    when: str = ""

    @property
    def key(self) -> Key:
        """What tells items apart."""
        return tuple(asdict(self).values())


@dataclass(frozen=True)
class Judgement:
    """The verdict on an item and its reason; `second` is the verdict of the second reading, "" before it."""

    item: Item
    verdict: str
    reason: str = ""
    second: str = ""


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file, none where there is no file."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write objects as JSON Lines; empty values are left out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({name: value for name, value in row.items() if value != ""}, ensure_ascii=False) for row in rows
    )
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def item_of(row: dict[str, Any]) -> Item:
    """The item of a row; what it does not name is empty."""
    what: What = row["what"]
    parts = (str(row.get(name, "")) for name in ("kind", "document", "subject", "predicate", "object", "when"))
    return Item(what, *parts)


def read_judgements(paths: Sequence[Path]) -> dict[Key, Judgement]:
    """The judgements of the files by key; a later one of the same item replaces an earlier one."""
    found: dict[Key, Judgement] = {}
    for row in (row for path in paths for row in rows_of(path)):
        item = item_of(row)
        found[item.key] = Judgement(item, row["verdict"], row.get("reason", ""), row.get("second", ""))
    return found


def keep_judgements(sampled: Path, judged: Path, *, second: bool) -> int:
    """Add the filled-in verdicts of a sample to the judgements, without the text; answers how many.

    With `second` they become the second verdicts of judgements that are there. Raises SystemExit for a verdict or
    reason that is none.
    """
    known, added = read_judgements([judged]), 0
    for row in rows_of(sampled):
        verdict, reason, item = row.get("verdict", ""), row.get("reason", ""), item_of(row)
        if not verdict:
            continue
        if verdict not in VERDICTS or (reason and reason not in REASONS.get(verdict, ())):
            raise SystemExit(f"{sampled} has the verdict '{verdict}' with the reason '{reason}'; see REASONS.")
        before = known.get(item.key)
        if second and before is None:
            raise SystemExit(f"{sampled} has a second verdict on what was not judged: {item}")
        known[item.key] = (
            Judgement(item, before.verdict, before.reason, verdict)
            if second and before is not None
            else Judgement(item, verdict, reason, before.second if before else "")
        )
        added += 1
    ordered = sorted(known.values(), key=lambda judgement: judgement.item.key)
    rows = ({**asdict(one.item), "verdict": one.verdict, "reason": one.reason, "second": one.second} for one in ordered)
    write_rows(judged, rows)
    return added
