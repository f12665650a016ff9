"""The source files that are known, with the names of their modules."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import unquote

from mcp_graphrag.extract.code.sql_schema import SqlSchema
from mcp_graphrag.source_code import SourceFile, language_of, read_source
from mcp_graphrag.source_code.sql import SQL, SqlFile, read_sql

PROJECT_FILES = frozenset(
    {"pyproject.toml", "setup.py", "setup.cfg", "package.json", "go.mod", "cargo.toml", "pom.xml", "build.gradle"}
)
# Names in lower case as a regular expression, as the compiler of TypeScript takes configurations of many names.
PROJECT_NAMES = "|".join([*sorted(map(re.escape, PROJECT_FILES)), r"[jt]sconfig[^/]*\.json", r"pnpm-workspace\.yaml"])
SOURCE_FOLDERS = frozenset({"src", "lib"})  # of a repository; they are no part of the names of modules
PACKAGE_FILES = frozenset({"__init__.py", "__init__.pyi"})


@dataclass(frozen=True)
class KnownFiles:
    """The documents that may refer to each other: media types by uri, and a function from a uri to the text."""

    media_types: Mapping[str, str]
    text: Callable[[str], str]


class Repository:
    """The source files among the known files, which are read when they are first asked for.

    A path is that of a uri, with "/" between its parts.
    """

    def __init__(self, known: KnownFiles) -> None:
        self._known = known
        paths = {uri: path_of(uri) for uri in known.media_types}
        self._languages = {
            paths[uri]: language
            for uri, media_type in sorted(known.media_types.items())
            if (language := language_of(media_type)) is not None
        }
        self.language = self._languages.__getitem__  # by the path of a source file
        self._sql = sorted(paths[uri] for uri, media_type in known.media_types.items() if media_type == SQL)
        self._uris = {path: uri for uri, path in paths.items()}
        self._projects = {parent_of(path) for path in self._uris if has_project_name(path)}
        self.source = cache(self._source)
        self._top = cache(self._top_of)

    def has(self, path: str) -> bool:
        """Whether there is a source file at the path."""
        return path in self._languages

    def is_known(self, path: str) -> bool:
        """Whether there is a document at the path, of source code or not."""
        return path in self._uris

    def named(self, name: str) -> Sequence[str]:
        """The documents whose file has a name, sorted."""
        return sorted(path for path in self._uris if name_of(path) == name)

    def first_of(self, *paths: str) -> str:
        """The first of the paths at which there is a source file, "" if there is none."""
        return next(filter(self.has, paths), "")

    def is_package(self, folder: str) -> bool:
        """Whether a folder has the file of a package of Python."""
        return any(self.has(f"{folder}/{name}") for name in PACKAGE_FILES)

    def _source(self, path: str) -> SourceFile:
        """The file at a path, as read."""
        return read_source(self._known.text(self._uris[path]), self._languages[path])

    def sql(self, path: str) -> SqlFile:
        """The file of SQL at a path, as read."""
        return read_sql(self._known.text(self._uris[path]))

    @cached_property
    def sql_schema(self) -> SqlSchema:
        """What the files of SQL define."""
        return SqlSchema({path: self.sql(path) for path in self._sql})

    def sql_name(self, path: str) -> str:
        """The path of a file of SQL in the repository."""
        projects = (folder for folder in reversed(list(parents_of(path))) if folder in self._projects)
        return relative_to(path, next(projects, _common_folder([*self._languages, *self._sql])))

    def text(self, path: str) -> str:
        """The text of any known file, "" if there is none at the path."""
        uri = self._uris.get(path)
        return self._known.text(uri) if uri is not None else ""

    def in_folder(self, folder: str, family: str) -> list[str]:
        """The source files of a family of languages right in a folder, sorted."""
        return [path for path in self._by_folder.get(folder, ()) if self._languages[path].family == family]

    def below(self, folder: str, family: str) -> list[str]:
        """The source files of a family of languages in a folder and those in it, sorted."""
        found = [path for path in self._languages if path.startswith(f"{folder}/")]
        return sorted(path for path in found if self._languages[path].family == family)

    def ending_with(self, suffix: str) -> Sequence[str]:
        """The source files whose last parts are those of `suffix`, sorted."""
        end = f"/{suffix}"
        return [path for path in self._by_name.get(name_of(suffix), ()) if path.endswith(end) or path == suffix]

    def folders_ending_with(self, suffix: str) -> list[str]:
        """The folders with source files whose last parts are those of `suffix`."""
        end = f"/{suffix}"
        return [folder for folder in self._folders_by_name.get(name_of(suffix), ()) if folder.endswith(end)]

    def root(self, path: str) -> str:
        """The folder of the repository that a file is in: the topmost with a project file, else that of all files."""
        return self._top(parent_of(path))

    def _top_of(self, folder: str) -> str:
        above = [folder, *parents_of(folder)] if folder else []
        return next((each for each in reversed(above) if each in self._projects), self._common)

    def nearest_project(self, path: str, name: str) -> str:
        """The path of the nearest project file of a name above a file, "" if there is none."""
        return next((at for folder in parents_of(path) if (at := f"{folder}/{name}") in self._uris), "")

    def module(self, path: str) -> str:
        """The name of the module of a source file, different for each unless they share a package."""
        return self._modules[path]

    @cached_property
    def _by_folder(self) -> Mapping[str, Sequence[str]]:
        return _grouped(sorted(self._languages), parent_of)

    @cached_property
    def _folders_by_name(self) -> Mapping[str, Sequence[str]]:
        return _grouped(self._by_folder, name_of)

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[str]]:
        return _grouped(sorted(self._languages), name_of)

    @cached_property
    def _common(self) -> str:
        """The folder that all source files are in."""
        folder = _common_folder(self._languages)
        # A package is named by its own folder, even if it is all there is.
        while folder and self._seems_package(folder):
            folder = parent_of(folder)
        return folder

    def _seems_package(self, folder: str) -> bool:
        """Whether a folder is a package of Python: its `__init__.py`, where it is empty, is not among the documents."""
        if self.is_package(folder):
            return True
        of_package = re.compile(rf"^\s*(?:from\s+\.|(?:from|import)\s+{re.escape(name_of(folder))}\b)", re.MULTILINE)
        return any(of_package.search(self.text(path)) for path in self.in_folder(folder, "python"))

    @cached_property
    def _modules(self) -> Mapping[str, str]:
        names: dict[str, str] = {}
        taken: dict[tuple[str, str], str] = {}
        for path in sorted(self._languages, key=lambda path: (path.count("/"), path)):
            family = self._languages[path].family
            for name in self._names(path):
                # The files of a folder are one package in Go, those of one package in Java.
                owner = parent_of(path) if family in {"go", "java"} else path
                if taken.setdefault((family, name), owner) == owner:
                    names[path] = name
                    break
        return names

    def _names(self, path: str) -> Iterator[str]:
        """Possible names of a module, the preferred first; the last is the path."""
        family, root = self._languages[path].family, self.root(path)
        inside = relative_to(path, root)
        parts = inside.split("/")
        stem = parts[-1].rpartition(".")[0]
        if family == "python":
            package = self.package_root(path)
            if package != parent_of(path):
                yield _python_name(relative_to(path, package))
            if parts[0] in SOURCE_FOLDERS and len(parts) > 1:
                yield _python_name("/".join(parts[1:]))
            yield _python_name(inside)
            yield _python_name(f"{name_of(root)}/{inside}")
        elif family == "go":
            # Tests beside a package may be one of their own.
            is_apart = path.endswith("_test.go") and self.source(path).package.endswith("_test")
            yield f"{self.go_package(path)}_test" if is_apart else self.go_package(path)
        elif family == "rust":
            yield self.rust_module(path)
        elif family == "java":
            yield self.source(path).package or "/".join(parts[:-1]) or name_of(root)
        else:
            yield "/".join([*parts[:-1], stem])
        yield inside
        yield f"{name_of(root)}/{inside}"
        yield path

    def package_root(self, path: str) -> str:
        """The folder that the topmost Python package around a file is in; its own folder if it is in none.

        A package between may have no file that is known: an empty `__init__.py` is no document.
        """
        found = folder = parent_of(path)
        while folder:
            if self.is_package(folder):
                found = parent_of(folder)
            if folder in self._projects:
                break
            folder = parent_of(folder)
        return found

    def go_package(self, path: str) -> str:
        """The import path of the package of a Go file, by the go.mod above it; else its folder in the repository."""
        folder = parent_of(path)
        project = self.nearest_project(path, "go.mod")
        declared = next((line for line in self.text(project).splitlines() if line.startswith("module ")), "")
        if declared:
            inside = relative_to(folder, parent_of(project))
            name = declared.split()[1].strip('"')
            return f"{name}/{inside}" if inside else name
        return relative_to(folder, self.root(path)) or name_of(folder)

    def rust_module(self, path: str) -> str:
        """The path of the module of a Rust file, with "::" behind the name of its crate."""
        crate = self.crate_root(path)
        inside = relative_to(path, crate).removesuffix(".rs").split("/")
        if inside[-1] in {"mod", "lib", "main"}:
            inside = inside[:-1]
        return "::".join([self._crate_name(crate), *inside])

    def _crate_name(self, crate: str) -> str:
        """The name of a crate by its Cargo.toml, else by its folder."""
        folder = parent_of(crate) if name_of(crate) == "src" else crate
        try:
            declared = tomllib.loads(self.text(f"{folder}/Cargo.toml"))
        except tomllib.TOMLDecodeError:
            declared = {}
        for table in (declared.get("lib"), declared.get("package")):
            named = cast("dict[str, Any]", table).get("name") if isinstance(table, dict) else None
            if isinstance(named, str) and named:
                return named.replace("-", "_")
        return name_of(folder).replace("-", "_")

    def crate_root(self, path: str) -> str:
        """The folder with the lib.rs or main.rs above a Rust file, else its own."""
        roots = (folder for folder in parents_of(path) if self.first_of(f"{folder}/lib.rs", f"{folder}/main.rs"))
        return next(roots, parent_of(path))


def _common_folder(paths: Iterable[str]) -> str:
    folders = sorted({parent_of(path) for path in paths})
    parts = zip(folders[0].split("/"), folders[-1].split("/"), strict=False) if folders else ()
    return "/".join(part for part, _ in takewhile(lambda pair: pair[0] == pair[1], parts))


def _grouped(paths: Iterable[str], key: Callable[[str], str]) -> Mapping[str, Sequence[str]]:
    """The paths by their keys, in order."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        found[key(path)].append(path)
    return found


def path_of(uri: str) -> str:
    """The path of a uri, the whole uri if it has none."""
    scheme, mark, rest = uri.partition("://")
    return unquote(rest) if mark else uri if "/" in scheme else f"/{uri}"


def has_project_name(uri: str) -> bool:
    """Whether a file is named as one that describes a project."""
    return re.fullmatch(PROJECT_NAMES, name_of(uri).lower()) is not None


def parent_of(path: str) -> str:
    """The folder of a path, "" at the top."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def relative_to(path: str, folder: str) -> str:
    """A path from a folder above it, "" for the folder itself; the whole path if the folder is not above it."""
    if path == folder:
        return ""
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else path.lstrip("/")


def joined(folder: str, relative: str) -> str:
    """The path that a relative one with "." and ".." parts leads to from a folder, "" above the top."""
    parts = folder.split("/")
    for part in PurePosixPath(relative).parts:
        if part == "..":
            if len(parts) < 2:
                return ""
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def parents_of(path: str) -> Iterator[str]:
    """The folders around a path, the nearest first."""
    folder = parent_of(path)
    while folder:
        yield folder
        folder = parent_of(folder)


def _python_name(path: str) -> str:
    parts = path.rpartition(".")[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)
