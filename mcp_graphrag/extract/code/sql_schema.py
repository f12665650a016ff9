"""The objects that the SQL of a repository defines, and which definitions its later migrations put an end to."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from mcp_graphrag.extract.code.chunk_findings import End
from mcp_graphrag.source_code.sql import SqlFile

_TABLES = frozenset({"Table", "View"})
_MEANT = {
    "reads": _TABLES, "writes_to": _TABLES, "depends_on": _TABLES, "calls": frozenset({"Function"}),
    "uses": frozenset({"DataType", "Table"}), "query": frozenset({"Query"}),
}  # fmt: skip
_NUMBERED = re.compile(
    r"[vV]?(\d+(?:[._-]\d+)*)"
)  # "0002_add_email.sql", "2024-05-01-120000_users/up.sql", "V1.2__x.sql"
_WAY_BACK = re.compile(r"(?:\A|[._-])(?:down|undo|rollback)\.\w+\Z|\AU\d", re.IGNORECASE)


class Place(NamedTuple):
    """A statement, by its position in a file, and the name of an object in small letters."""

    path: str
    at: int
    name: str


class SqlSchema:
    """What is known from the files of SQL, by their paths."""

    def __init__(self, files: Mapping[str, SqlFile]) -> None:
        self._known: dict[str, dict[str, End]] = defaultdict(dict)  # by the name behind the schema, then the whole
        self.over: set[Place] = set()
        self.moved: dict[Place, list[str]] = {}
        for file in files.values():
            for each in file.queries:
                self._add(End(each.name, "Query"))
            for change in (change for statement in file.statements for change in statement.changes):
                if change.action in {"creates", "renames"}:
                    self._add(End(change.new or change.name.name, change.type))
        folders: dict[str, list[tuple[list[int], str]]] = defaultdict(list)
        for path in files:
            if (place := migration_order(path)) is not None:
                folders[place[0]].append((place[1], path))
        for migrations in folders.values():
            self._follow({path: files[path] for _, path in sorted(migrations)})

    def _add(self, one: End) -> None:
        self._known[one.name.rpartition(".")[2].lower()].setdefault(f"{one.type} {one.name.lower()}", one)

    def meaning(self, relation: str, name: str) -> End | None:
        """The object that a name means in a relation; one without a schema only if it has no equal in others."""
        known = self._known.get(name.rpartition(".")[2].lower(), {}).values()
        known = [each for each in known if each.type in _MEANT[relation]]
        exact = [each for each in known if each.name.lower() == name.lower()]
        found = exact or ([] if "." in name else known)
        return found[0] if len({each.name.lower() for each in found}) == 1 else None

    def _follow(self, files: Mapping[str, SqlFile]) -> None:
        """Find what the statements of migrations, in their order, put an end to."""
        current: dict[str, list[Place]] = defaultdict(list)  # what says of an object what holds, by kind and name
        parts: dict[str, set[str]] = defaultdict(set)  # the columns, triggers and indexes of a table that are current
        for path, file in files.items():
            for at, statement in enumerate(file.statements):
                for change in statement.changes:
                    name, new = change.name.name.lower(), (change.new or change.name.name).lower()
                    kind, place = "Table" if change.type in _TABLES else change.type, Place(path, at, name)
                    if change.action in {"drops", "renames"}:
                        for part in parts.pop(name, ()) if kind == "Table" else ():
                            self.over.update(current.pop(part, ()))
                            if change.action == "renames" and part.startswith("Column "):
                                column = f"{new}{part[len(f'Column {name}') :]}"
                                self.moved.setdefault(place, []).append(column)
                                current[f"Column {column}"].append(Place(path, at, column))
                                parts[new].add(f"Column {column}")
                    if change.action in {"drops", "renames"} or change.replaces:
                        self.over.update(current.pop(f"{kind} {name}", ()))
                    if change.action != "drops":
                        current[f"{kind} {new}"].append(Place(path, at, new))
                        parts[new.rpartition(".")[0]].add(f"{kind} {new}")


def migration_order(path: str) -> tuple[str, list[int]] | None:
    """The folder of a migration and its number or date in it, None for other files and for ways back."""
    folder, _, file = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    for name, around in () if _WAY_BACK.search(file) else ((file, folder), (last, above)):
        if found := _NUMBERED.match(name):
            return around, [int(each) for each in re.findall(r"\d+", found[1])]
    return None
