"""The records that a source file is read into. Offsets are in characters, lines count from 1."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["module", "class", "interface", "function", "method"]
Relation: TypeAlias = Literal["calls", "extends", "implements", "decorated_by"]
MODULE = -1  # in place of the index of a definition, for the file itself
ANY = "*"  # the member of an import of every name
TYPES = frozenset({"class", "interface"})  # the kinds of definitions that have methods
OBJECT = "?"  # the receiver of a call that is an expression, not a name


class Definition(NamedTuple):
    """A class, function or method; `path` is its name behind those of the definitions around it: "Session.get".

    `start` includes decorators and the comment in front; `body` is where its own text begins. `name_start` is the place
    of its name. `parent` is the index of the definition around it, or `MODULE`.
    """

    path: str
    kind: Kind
    start: int
    body: int
    end: int
    name_start: int
    line: int
    parent: int

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path.rpartition(".")[2]


class Reference(NamedTuple):
    """A use of a name: `receiver` is what stands in front of it ("self", "os.path"), "" for a bare name.

    `scope` is the index of the definition that it stands in, for bases and decorators of the one that has them. Of a
    trait of Rust that a file implements for a type of another file, `subject` is that type: "Reel", "crate.reel.Reel".
    """

    relation: Relation
    name: str
    receiver: str
    start: int
    end: int
    scope: int
    subject: str = ""


class Import(NamedTuple):
    """An imported module, or a `member` of it ("" for the module itself, `ANY` for all), with its name in the file.

    `local` is "" where the import binds no name. `scope` is the index of the definition that it stands in. `module` is
    as written, relative ones with their dots; one of Rust in an inline module is as it would be outside of that.
    """

    module: str
    member: str
    local: str
    start: int
    end: int
    scope: int


class SqlString(NamedTuple):
    """A constant that holds a statement of SQL, or that names a query or function ("named") or a "table".

    The text of a statement is as long as its span, with spaces for its marks and "?" for what is inserted.
    """

    kind: Literal["statement", "named", "table"]
    text: str
    start: int
    end: int
    scope: int


@dataclass(frozen=True)
class SourceFile:
    """A file of source code. `definitions` are in order of their start, `references` and `imports` likewise.

    `package` is the package that the file declares, "" if none. `bound` has the names that parameters and assignments
    bind, by the index of the definition around them, and `fields` those of the fields of types. `exports` has the names
    by which a module of JavaScript exports definitions of another name, "default" among them, and as "=" the one that
    the whole module is. `owners` has the types of methods that stand outside of them and whose type is not in the file,
    as written, by the index of the method: "Store", "crate.reel.Reel". `prose` are the spans of comments and
    documentation strings. `too_deep` counts the definitions and other parts that are nested too deeply to be read.
    `strings` are the constants that have to do with SQL.
    """

    language: str
    package: str
    definitions: Sequence[Definition]
    references: Sequence[Reference]
    imports: Sequence[Import]
    bound: Mapping[int, Set[str]]
    fields: Mapping[int, Set[str]]
    exports: Mapping[str, str]
    owners: Mapping[int, str]
    prose: Sequence[tuple[int, int]]
    too_deep: int
    strings: Sequence[SqlString] = ()
