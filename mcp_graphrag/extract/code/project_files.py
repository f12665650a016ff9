"""Dependencies and entry points in project files: pyproject.toml, package.json, Cargo.toml and go.mod."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from mcp_graphrag.extract.code.repository import name_of, path_of
from mcp_graphrag.model import Candidate, Chunk, Document, Extraction, Mention

LIBRARY, DEPENDS_ON, REFERENCES = "Library", "depends_on", "references"
READ_FILES = frozenset({"pyproject.toml", "package.json", "cargo.toml", "go.mod"})
MAX_NAME = 200
_PYTHON_NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")
_ENTRY_POINT = re.compile(r"[\w.]+:[\w.]+")
_GO_REQUIRE = re.compile(r"^\s*(?:require\s+)?(?P<name>[\w.-]+(?:/[\w.~-]+)+|[\w-]+\.[\w.-]+)\s+v")
_GO_MODULE = re.compile(r"^module\s+\"?(?P<name>[^\s\"]+)", re.MULTILINE)
_SCOPES = {"devDependencies": "dev", "peerDependencies": "peer", "optionalDependencies": "optional", "dependencies": ""}
_CARGO_SCOPES = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}


class Defined(NamedTuple):
    """A definition by its qualified name and its type."""

    name: str
    type: str


EntryPoints: TypeAlias = Callable[[str], Defined | None]  # what "package.module:function" is, None if it is not known


class _Needed(NamedTuple):
    """A dependency: its name, what the file says of it, as a pattern, and for what it is needed, "" for all.

    An entry point `refers` to something by its name.
    """

    name: str
    written: str
    scope: str = ""
    refers: bool = False


def is_project_file(document: Document) -> bool:
    """Whether a document lists the dependencies of a project."""
    return name_of(path_of(document.uri)).lower() in READ_FILES


def read_project_file(document: Document, chunks: list[Chunk], entry_points: EntryPoints) -> list[Extraction]:
    """What the project depends on, and the known definitions that its entry points refer to.

    Nothing where the file has no name for the project or cannot be parsed.
    """
    text, triples, mentions = document.text, [list[Candidate]() for _ in chunks], [list[Mention]() for _ in chunks]
    project, needed = _parse(name_of(path_of(document.uri)).lower(), text)
    for one in needed:
        found = re.search(one.written, text, re.MULTILINE)
        object_ = entry_points(one.name) if one.refers else Defined(one.name, LIBRARY)
        if not (project and found and object_) or object_.name.casefold() == project.casefold():
            continue
        if len(object_.name) > MAX_NAME:
            continue
        start, end = text.rfind("\n", 0, found.end()) + 1, text.find("\n", found.end())
        end = len(text) if end < 0 else end
        line = text[start:end]
        start, end = start + len(line) - len(line.lstrip()), start + len(line.rstrip())
        at = next((at for at, chunk in enumerate(chunks) if chunk.start <= start and end <= chunk.end), None)
        if at is None:
            continue
        offset = chunks[at].start
        triple = Candidate(
            project,
            REFERENCES if one.refers else DEPENDS_ON,
            object_.name,
            LIBRARY,
            object_.type,
            1.0,
            quote=text[start:end],
            start=start - offset,
            end=end - offset,
            metadata={"scope": one.scope} if one.scope else {},
        )
        if all(triple.object != known.object for mine in triples for known in mine):
            triples[at].append(triple)
            mentions[at].append(Mention(object_.name, object_.type, start - offset, end - offset))
    return [Extraction(*each) for each in zip(mentions, triples, strict=True)]


def _parse(name: str, text: str) -> tuple[str, list[_Needed]]:
    """The name of the project and what it needs, "" and nothing for a file that cannot be parsed."""
    try:
        if name == "go.mod":
            module = _GO_MODULE.search(text)
            return module["name"] if module else "", list(_of_go(text))
        parsed: Any = json.loads(text) if name == "package.json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        return "", []
    given = _table(parsed)
    if name == "package.json":
        return _text(given.get("name")), list(_of_package_json(given))
    if name == "cargo.toml":
        return _text(_table(given.get("package")).get("name")), list(_of_cargo(given))
    poetry = _table(_table(given.get("tool")).get("poetry"))
    project = _table(given.get("project"))
    return _text(project.get("name")) or _text(poetry.get("name")), list(_of_python(project, poetry))


def _of_python(project: Mapping[str, Any], poetry: Mapping[str, Any]) -> Iterator[_Needed]:
    groups = {"": project.get("dependencies"), **_table(project.get("optional-dependencies"))}
    for scope, listed in groups.items():
        for given in cast("list[Any]", listed) if isinstance(listed, list) else ():
            if isinstance(given, str) and (found := _PYTHON_NAME.match(given.strip())):
                key = re.escape(scope or "dependencies")
                written = rf"^\s*[\"']?{key}[\"']?\s*=\s*\[[\s\S]*?[\"']{re.escape(given)}[\"']"
                yield _Needed(found[0], written, scope)
    groups = [*_table(project.get("entry-points")).values(), poetry.get("scripts")]
    for group in (project.get("scripts"), project.get("gui-scripts"), *groups):
        for name, value in _table(group).items():
            if isinstance(value, str) and (found := _ENTRY_POINT.match(value)):
                written = rf"^\s*[\"']?{re.escape(name)}[\"']?\s*=\s*[\"']{re.escape(value)}[\"']"
                yield _Needed(found[0], written, refers=True)
    for name in _table(poetry.get("dependencies")):
        if name.lower() != "python":
            yield _Needed(name, rf"\[tool\.poetry\.dependencies\][\s\S]*?^[\"']?{re.escape(name)}[\"']?\s*=")


def _of_package_json(given: Mapping[str, Any]) -> Iterator[_Needed]:
    for key, scope in sorted(_SCOPES.items(), key=lambda item: item[1]):
        for name in _table(given.get(key)):
            yield _Needed(name, rf"\"{key}\"\s*:\s*\{{[^}}]*?{re.escape(json.dumps(name))}\s*:", scope)


def _of_cargo(given: Mapping[str, Any]) -> Iterator[_Needed]:
    tables = [given, *(_table(each) for each in _table(given.get("target")).values())]
    for table in tables:
        for key, scope in _CARGO_SCOPES.items():
            for name, wanted in _table(table.get(key)).items():
                one = rf"[\"']?{re.escape(name)}[\"']?"
                written = rf"\[(?:.*\.)?{key}\][\s\S]*?^\s*{one}\s*[=.]|\[(?:.*\.)?{key}\.{one}\s*\]"
                yield _Needed(_text(_table(wanted).get("package")) or name, written, scope)


def _of_go(text: str) -> Iterator[_Needed]:
    inside = False
    for line in text.splitlines():
        words = line.split("//")[0].split()
        if words[:1] == ["require"] and words[-1:] == ["("]:
            inside = True
        elif words == [")"]:
            inside = False
        elif (inside or words[:1] == ["require"]) and "// indirect" not in line and (found := _GO_REQUIRE.match(line)):
            yield _Needed(found["name"], rf"^\s*(?:require\s+)?{re.escape(found['name'])}\s+v")


def _table(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value.strip()[:MAX_NAME] if isinstance(value, str) else ""
