"""The files that imports of JavaScript and TypeScript mean: by place, tsconfig.json, package.json and workspaces."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Any, NamedTuple, cast

from mcp_graphrag.extract.code.repository import Repository, joined, parent_of, parents_of, relative_to

SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
MAX_CONFIG = 1_000_000  # characters
MAX_CONDITIONS = 8  # levels of conditions in `exports`
MAX_GLOBS = 200
_PACKAGE, _PNPM = "package.json", "pnpm-workspace.yaml"
_CONFIGS = ("tsconfig.json", "jsconfig.json")
_CONFIG_DIR = "${configDir}/"
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')
_NOT_CODE = re.compile(
    r"\.(?:json5?|css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|webm|wav|wasm|node"
    r"|md|mdx|html?|txt|csv|ya?ml|toml|graphql|gql|sql|glsl|vue|svelte|astro)(?:\?.*)?\Z|[?!]"
)
# The conditions of `exports` that a compiler and a program of Node may meet; those of a browser are left out.
_OTHER_PLACES = frozenset({"browser", "react-native", "deno", "worker", "workerd", "edge-light", "bun", "electron"})
_ENTRIES = ("source", "types", "typings", "module", "main")  # fields of package.json
_BUILT = re.compile(r"(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings|src)(?:-\w+)?")
_BUILT_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
_PNPM_PACKAGES = re.compile(r"^packages:[^\n]*(?:\n(?:[ \t]*-|[ \t]+|#)[^\n]*|\n(?=\n))*", re.MULTILINE)
_PNPM_GLOB = re.compile(r"(?:-|\[|,)[ \t]*[\"']?([^\s\"',\[\]#]+)")


class _Aliases(NamedTuple):
    """`paths` of a configuration, from `folder`; `base` is the folder of `baseUrl`, "" if it has none."""

    paths: Mapping[str, Any]
    folder: str
    base: str


class ScriptModules:
    """Finds the modules of the scripts of a repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._json = cache(self._read_json)
        self._aliases_of = cache(self._aliases)
        self._workspace = cache(self._members)

    def find(self, path: str, module: str) -> str:
        """The file that a script at `path` imports as `module`, "" where that is not certain."""
        if module.startswith("."):
            return self._file(joined(parent_of(path), module))
        if module.startswith("#"):
            found = self._by_map(path, self._nearest(path), "imports", module)
            if found:
                return found
        aliased = next(filter(None, (self._file(place) for place in self._alias_places(path, module))), "")
        return aliased or self._of_package(path, module)

    def is_local(self, path: str, module: str) -> bool:
        """Whether a module is one of the repository by the way it is named, found or not."""
        if module.startswith((".", "/", "@/", "~/", "#")):
            return True
        patterns = (each for each in self._config(path).paths if each.strip("*"))
        return _best(patterns, module) is not None or bool(self._package_folder(path, module))

    def _file(self, place: str) -> str:
        """The source file at a path without its suffix, or with that of the file that it is compiled to."""
        if not place:
            return ""
        stem, _, suffix = place.rpartition(".")
        stems = [place, *([stem] if f".{suffix}" in SUFFIXES else []), f"{place}/index"]
        return self._repository.first_of(place, *(f"{at}{ending}" for at in stems for ending in SUFFIXES))

    def _alias_places(self, path: str, module: str) -> Iterator[str]:
        """Where `paths` and `baseUrl` of the nearest configuration look for a module."""
        config = self._config(path)
        matched = _best(config.paths, module)
        if matched is not None:
            pattern, part = matched
            for target in _texts(config.paths[pattern]):
                yield _placed(config.folder, target.replace("*", part, 1))
        if config.base:
            yield joined(config.base, module)

    def _config(self, path: str) -> _Aliases:
        """What the nearest configuration above a file says, or else those that it refers to."""
        for folder in parents_of(path):
            for name in _CONFIGS:
                at = f"{folder}/{name}"
                if self._repository.is_known(at):
                    return self._aliases_of(at)
        return _Aliases({}, "", "")

    def _aliases(self, config: str) -> _Aliases:
        found = self._read_aliases(config, parent_of(config), set())
        referred = _list(self._json(config).get("references")) if not found.paths and not found.base else ()
        for each in referred:
            place = joined(parent_of(config), _text(_table(each).get("path")))
            other = self._read_aliases(self._config_at(place), parent_of(config), set())
            if other.paths or other.base:
                return other
        return found

    def _read_aliases(self, config: str, first: str, seen: set[str]) -> _Aliases:
        """The aliases of a configuration: its own, else those of the last one that it extends."""
        value, folder = self._json(config), parent_of(config)
        seen.add(config)
        options = _table(value.get("compilerOptions"))
        found = _Aliases({}, "", "")
        extended = value.get("extends")
        for name in _texts([extended] if isinstance(extended, str) else extended):
            at = self._config_at(joined(folder, name)) if name.startswith(".") else ""
            if at and at not in seen:
                above = self._read_aliases(at, first, seen)
                paths_of = above if above.paths else found
                found = _Aliases(paths_of.paths, paths_of.folder, above.base or found.base)
        base_url = _text(options.get("baseUrl")).replace(_CONFIG_DIR, f"{first}/")
        base = _placed(folder, base_url) if base_url else found.base
        if "paths" not in options:
            return found._replace(base=base)
        paths = {
            pattern: [target.replace(_CONFIG_DIR, f"{first}/") for target in _texts(targets)]
            for pattern, targets in _table(options["paths"]).items()
        }
        return _Aliases(paths, base or folder, base)

    def _config_at(self, place: str) -> str:
        names = (place, f"{place}.json", f"{place}/tsconfig.json")
        return next((at for at in names if place and self._repository.is_known(at)), "")

    def _of_package(self, path: str, module: str) -> str:
        """The file that a package of the same workspace gives to those that import it."""
        folder = self._package_folder(path, module)
        if not folder:
            return ""
        inside = module.removeprefix(_package_name(module))[1:]
        package = self._json(f"{folder}/{_PACKAGE}")
        if "exports" in package:
            return self._by_map(path, folder, "exports", f"./{inside}" if inside else ".")
        if inside:
            return self._file(f"{folder}/{inside}") or self._source_of(folder, inside)
        entries = [entry for key in _ENTRIES if (entry := _text(package.get(key)))]
        return self._first_source(folder, entries) or self._file(folder) or self._file(f"{folder}/src")

    def _package_folder(self, path: str, module: str) -> str:
        """The folder of the package that a module is in: its own, one of its workspace, or one named by its place."""
        name, nearest = _package_name(module), self._nearest(path)
        own = self._json(f"{nearest}/{_PACKAGE}")
        if own.get("name") == name:
            return nearest
        for key in ("dependencies", "devDependencies", "peerDependencies"):
            kind, _, place = _text(_table(own.get(key)).get(name)).partition(":")
            if kind in {"file", "link", "portal"} and self._repository.is_known(f"{joined(nearest, place)}/{_PACKAGE}"):
                return joined(nearest, place)
        for folder in parents_of(path):
            found = self._workspace(folder).get(name)
            if found is not None:
                return found
        return ""

    def _members(self, folder: str) -> Mapping[str, str]:
        """The folders of the packages of the workspace whose top is a folder, by name; none that two have."""
        globs, names = self._globs(folder), dict[str, list[str]]()
        for at in self._packages if globs else ():
            place = parent_of(at)
            if place.startswith(f"{folder}/") and _is_member(relative_to(place, folder), globs):
                names.setdefault(_text(self._json(at).get("name")), []).append(place)
        return {name: places[0] for name, places in names.items() if name and len(places) == 1}

    def _globs(self, folder: str) -> Sequence[str]:
        given = self._json(f"{folder}/{_PACKAGE}").get("workspaces")
        globs = _texts(_table(given).get("packages") if isinstance(given, dict) else given)
        listed = _PNPM_PACKAGES.search(self._repository.text(f"{folder}/{_PNPM}")[:MAX_CONFIG])
        if listed is not None:
            globs = _PNPM_GLOB.findall(listed[0])
        return [each.removeprefix("./").rstrip("/") for each in globs if each.count("**") < 3][:MAX_GLOBS]

    def _by_map(self, path: str, folder: str, key: str, name: str) -> str:
        """What `exports` or `imports` of a package gives for a name."""
        given = self._json(f"{folder}/{_PACKAGE}").get(key)
        table = _table(given)
        if key == "exports" and not any(each.startswith(".") for each in table):
            table = {".": given}
        matched = _best(table, name)
        if matched is None:
            return ""
        pattern, part = matched
        targets = [each.replace("*", part) for each in _leaves(table[pattern])]
        found = self._first_source(folder, [each for each in targets if each.startswith(".")])
        if found or key == "exports":
            return found
        outside = next((each for each in targets if not each.startswith((".", "#"))), "")
        return self._of_package(path, outside) if outside else ""

    def _first_source(self, folder: str, places: Sequence[str]) -> str:
        found = (self._file(joined(folder, place)) for place in places)
        return next(filter(None, found), "") or next(filter(None, (self._source_of(folder, at) for at in places)), "")

    def _source_of(self, folder: str, place: str) -> str:
        """The file in `src` that one in a folder of built files is compiled from: `src/a.ts` of `dist/esm/a.js`."""
        parts = _BUILT_SUFFIX.sub("", place.removeprefix("./")).split("/")
        found: set[str] = set()
        while len(parts) > 1 and _BUILT.fullmatch(parts[0]):
            parts = parts[1:]
            found.add(self._file(f"{folder}/src/{'/'.join(parts)}"))
        found.discard("")
        return found.pop() if len(found) == 1 else ""

    def _nearest(self, path: str) -> str:
        """The folder of the nearest package.json above a file, "" if there is none."""
        return parent_of(self._repository.nearest_project(path, _PACKAGE))

    @cached_property
    def _packages(self) -> Sequence[str]:
        return self._repository.named(_PACKAGE)

    def _read_json(self, path: str) -> Mapping[str, Any]:
        """The object in a file of JSON, which may have comments and trailing commas; empty if there is none."""
        text = self._repository.text(path)
        text = _COMMENT.sub(lambda part: part[1] or "", text if len(text) <= MAX_CONFIG else "")
        try:
            return _table(json.loads(_TRAILING_COMMA.sub(lambda part: part[1] or "", text)))
        except (ValueError, RecursionError):
            return {}


def may_be_code(module: str) -> bool:
    """Whether a module may be a file of source code: no data, image or style."""
    return not _NOT_CODE.search(module)


def _best(patterns: Iterable[str], name: str) -> tuple[str, str] | None:
    """The pattern that fits a name, exactly or with the longest text in front of its "*", and what that stands for."""
    best: tuple[str, str] | None = None
    for pattern in patterns:
        if pattern == name:
            return pattern, ""
        head, star, tail = pattern.partition("*")
        if (
            star
            and name.startswith(head)
            and name.endswith(tail)
            and len(name) >= len(head) + len(tail)
            and (best is None or len(head) > best[0].index("*"))
        ):
            best = pattern, name[len(head) : len(name) - len(tail)]
    return best


def _leaves(value: Any, depth: int = MAX_CONDITIONS) -> Iterator[str]:
    """The files that a value of `exports` gives, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in cast("list[Any]", value) if depth else ():
            yield from _leaves(each, depth - 1)
    else:
        for condition, each in _table(value).items() if depth else ():
            if condition not in _OTHER_PLACES:
                yield from _leaves(each, depth - 1)


def _is_member(place: str, globs: Sequence[str]) -> bool:
    parts = place.split("/")
    is_left_out = any(glob.startswith("!") and _fits(parts, glob[1:].split("/")) for glob in globs)
    return not is_left_out and any(_fits(parts, glob.split("/")) for glob in globs)


def _fits(parts: Sequence[str], glob: Sequence[str]) -> bool:
    if not (parts and glob):
        return not parts and all(each == "**" for each in glob)
    if glob[0] == "**":
        return any(_fits(parts[at:], glob[1:]) for at in range(len(parts) + 1))
    return fnmatchcase(parts[0], glob[0]) and _fits(parts[1:], glob[1:])


def _placed(folder: str, place: str) -> str:
    return place if place.startswith("/") else joined(folder, place)


def _package_name(module: str) -> str:
    return "/".join(module.split("/")[: 2 if module.startswith("@") else 1])


def _table(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    return [each for each in _list(value) if isinstance(each, str)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
