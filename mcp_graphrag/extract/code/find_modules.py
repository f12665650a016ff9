"""The files that an import means, by the rules of its language; none where that is not certain."""

import sys
from collections.abc import Sequence

from mcp_graphrag.extract.code.repository import (
    PACKAGE_FILES,
    SOURCE_FOLDERS,
    Repository,
    name_of,
    parent_of,
    relative_to,
)
from mcp_graphrag.extract.code.script_modules import ScriptModules, may_be_code
from mcp_graphrag.source_code import Language

MIN_SHARED_PARTS = 2  # of an import path of Go and a folder, where no go.mod tells which is meant


def find_module(
    repository: Repository, scripts: ScriptModules, path: str, module: str, family: str = ""
) -> Sequence[str]:
    """The files of the module that a file at `path` imports as `module`: one, or all of a Go package.

    `family` is that of the language of the file, given for a file that has none.
    """
    family = family or repository.language(path).family
    if family == "script":
        return [found] if (found := scripts.find(path, module)) else []
    if family in {"go", "java"}:
        return (_go if family == "go" else _java)(repository, path, module)
    found = {"python": _python, "rust": _rust}[family](repository, path, module)
    return [found] if found else []


def submodule(repository: Repository, path: str, name: str) -> str:
    """The file of the module `name` right in the Python package that the file at `path` is, "" if there is none."""
    if name_of(path) not in PACKAGE_FILES:
        return ""
    return _python_file(repository, f"{parent_of(path)}/{name}")


def external_name(family: str, module: str, member: str) -> str:
    """How something outside of the known files is called: its module and name."""
    if family == "rust":
        return f"{module}::{member}" if member else module
    return f"{module}.{member}" if member else module


def is_local(repository: Repository, scripts: ScriptModules, path: str, module: str) -> bool:
    """Whether an import names a file of the repository, so that it can be no library."""
    family = repository.language(path).family
    if family == "rust":
        return module.partition("::")[0] in {"crate", "self", "super"}
    return scripts.is_local(path, module) if family == "script" else module.startswith(".")


def names_file(language: Language, module: str) -> bool:
    """Whether an import is one of a file of source code, in languages in which that is so: no image or style."""
    return language.family in {"python", "rust"} or (language.family == "script" and may_be_code(module))


def library_of(family: str, module: str) -> str:
    """The library of an external module: "requests" of "requests.adapters", "@scope/name" of "@scope/name/part"."""
    if family == "script":
        parts = module.split("/")
        return "/".join(parts[:2]) if module.startswith("@") else parts[0]
    if family == "rust":
        return module.partition("::")[0]
    return module.partition(".")[0] if family == "python" else module


def _python_file(repository: Repository, path: str) -> str:
    return repository.first_of(f"{path}.py", f"{path}/__init__.py", f"{path}.pyi", f"{path}/__init__.pyi")


def _python(repository: Repository, path: str, module: str) -> str:
    relative = module.lstrip(".")
    up = len(module) - len(relative)
    if up:
        folder = parent_of(path)
        for _ in range(up - 1):
            folder = parent_of(folder)
        if not relative:
            return repository.first_of(*(f"{folder}/{name}" for name in PACKAGE_FILES))
        return _python_file(repository, f"{folder}/{relative.replace('.', '/')}")
    inside = module.replace(".", "/")
    package_root, root = repository.package_root(path), repository.root(path)
    if module.partition(".")[0] in sys.stdlib_module_names:
        return ""  # a file of that name beside it would be found only by a script
    for folder in dict.fromkeys([package_root, parent_of(path), root, *(f"{root}/{name}" for name in SOURCE_FOLDERS)]):
        # The folder of a package is not searched for modules of other packages.
        if folder == package_root or not repository.is_package(folder):
            found = _python_file(repository, f"{folder}/{inside}")
            if found and found != path:
                return found
    endings = (f"{inside}.py", f"{inside}/__init__.py")
    matches = [at for ending in endings for at in repository.ending_with(ending) if _is_top(repository, at, inside)]
    return matches[0] if len(matches) == 1 else ""


def _is_top(repository: Repository, path: str, inside: str) -> bool:
    """Whether the parts of a dotted name are all that a file is called by: its first package is in no other.

    A name of one part means a package only: a module beside others is found from its own folder alone.
    """
    top = repository.package_root(path)
    return relative_to(path, top).startswith(f"{inside}/" if "/" not in inside else inside.partition("/")[0] + "/")


def _go(repository: Repository, path: str, module: str) -> list[str]:
    project = repository.nearest_project(path, "go.mod")
    if project:
        own = repository.go_package(f"{parent_of(project)}/main.go")
        if module != own and not module.startswith(f"{own}/"):
            return []
        inside = module[len(own) + 1 :]
        folder = parent_of(project)
        return _imported_files(repository, f"{folder}/{inside}" if inside else folder)
    parts = module.split("/")
    if "." not in parts[0]:
        return []  # the standard library
    for start in range(1, len(parts) - MIN_SHARED_PARTS + 1):
        folders = repository.folders_ending_with("/".join(parts[start:]))
        found = [files for folder in folders if (files := _imported_files(repository, folder))]
        if found:
            return found[0] if len(found) == 1 else []
    return []


def _imported_files(repository: Repository, folder: str) -> list[str]:
    """The files of a Go package that others see: not its tests."""
    return [at for at in repository.in_folder(folder, "go") if not at.endswith("_test.go")]


def _rust(repository: Repository, path: str, module: str) -> str:
    parts = module.split("::")
    crate = repository.crate_root(path)
    here = relative_to(path, crate).removesuffix(".rs").split("/")
    if here[-1] in {"mod", "lib", "main"}:
        here = here[:-1]
    if parts[0] == "crate":
        return _rust_file(repository, crate, parts[1:])
    if parts[0] == "self":
        return _rust_file(repository, crate, [*here, *parts[1:]])
    is_library = parts[0] != "super"
    while parts and parts[0] == "super":
        here, parts = here[:-1], parts[1:]
    found = _rust_file(repository, crate, [*here, *parts])
    return found or (_rust_crate(repository, path, parts) if is_library else "")


def _rust_crate(repository: Repository, path: str, parts: Sequence[str]) -> str:
    """A module of another crate of the repository, or of the file's own library."""
    own = repository.rust_module(f"{repository.crate_root(path)}/lib.rs")
    if parts[0] == own:
        return _rust_file(repository, repository.crate_root(path), parts[1:])
    crates = [
        parent_of(at)
        for at in repository.ending_with("src/lib.rs")
        if repository.rust_module(at) == parts[0] and repository.root(at) == repository.root(path)
    ]
    return _rust_file(repository, crates[0], parts[1:]) if len(crates) == 1 else ""


def _rust_file(repository: Repository, crate: str, parts: Sequence[str]) -> str:
    at = "/".join([crate, *parts])
    return repository.first_of(*((f"{at}.rs", f"{at}/mod.rs") if parts else (f"{crate}/lib.rs", f"{crate}/main.rs")))


def _java(repository: Repository, path: str, module: str) -> list[str]:
    """The file of a class, or the files of a package."""
    inside = module.replace(".", "/")
    files = [at for at in repository.ending_with(f"{inside}.java") if repository.root(at) == repository.root(path)]
    if files:
        return files[:1] if len(files) == 1 else []
    return [at for folder in repository.folders_ending_with(inside) for at in repository.in_folder(folder, "java")]


def same_package(repository: Repository, path: str) -> Sequence[str]:
    """The other files whose definitions a file sees without an import: those of its Go or Java package."""
    family = repository.language(path).family
    if family not in {"go", "java"}:
        return []
    package = repository.source(path).package
    if family == "go":
        files = [at for at in repository.in_folder(parent_of(path), family) if at != path]
        return [at for at in files if repository.source(at).package == package]
    folders = repository.folders_ending_with(package.replace(".", "/")) if package else [parent_of(path)]
    files = [at for folder in folders for at in repository.in_folder(folder, family) if at != path]
    return [at for at in files if repository.root(at) == repository.root(path)]
