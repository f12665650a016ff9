"""The records that a source file is read into. Offsets are in characters, lines count from 1."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["module", "class", "interface", "object", "function", "method", "value"]
Relation: TypeAlias = Literal["calls", "extends", "implements", "decorated_by", "raises", "catches", "references"]
USES: tuple[Relation, ...] = ("raises", "catches", "references")  # of a name that may be of anything
MODULE = -1  # in place of the index of a definition, for the file itself
ANY = "*"  # the member of an import of every name
TYPES = frozenset({"class", "interface", "object"})  # the kinds of definitions that have methods
OBJECT = "?"  # the receiver of a call that is an expression of which nothing is known


class Definition(NamedTuple):
    """A class, object with functions, function, method, or value of a package; `path` is its name behind those of the
    definitions around it: "Session.get".

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

    Where the types of names are read, it may be any value that `Typed` can have ("self.jobs()").
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

    @property
    def is_of_head(self) -> bool:
        """Whether it stands in the head of the definition `scope`, and so is not seen from inside of that."""
        return self.relation in {"extends", "implements", "decorated_by"} and self.scope != MODULE


class TypeName(NamedTuple):
    """A type as written: a dotted name, and its arguments, None where one is not known ("dict" of ("str", "Job"))."""

    name: str
    arguments: tuple["TypeName | None", ...] = ()


class Typed(NamedTuple):
    """What a file says of the type of a name: a type, or a value that the name is given; neither if it is not known.

    A value is a chain of members, with "()" behind what is called, "[]" behind what an item is taken from by a key,
    "[0]" by its place, "[*]" behind what it is taken from by iteration: "self.app.jobs()[*]", and "{0,1}" behind a
    function for what it gives as second argument to the function that is its first. What it is made of means what it
    means in the definition `scope`, or in the file (`MODULE`).
    """

    scope: int
    type: TypeName | None = None
    value: str = ""


class Import(NamedTuple):
    """An imported module, or a `member` of it ("" for the module itself, `ANY` for all), with its name in the file.

    `local` is "" where the import binds no name. `scope` is the index of the definition that it stands in. `module` is
    as written, relative ones with their dots; one of Rust in an inline module is as it would be outside of that. It
    `is_path` where it names a file, as an include of C does.
    """

    module: str
    member: str
    local: str
    start: int
    end: int
    scope: int
    is_path: bool = False


class SqlString(NamedTuple):
    """A constant that holds a statement of SQL, or that names a query or function ("named"), a "table" or a variable of
    the "environment" that is read.

    The text of a statement is as long as its span, with spaces for its marks and "?" for what is inserted.
    """

    kind: Literal["statement", "named", "table", "environment"]
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
    the whole module is, and by its path what a value of an object is: "get" of "api.get". `owners` has the types of
    methods that stand outside of them and whose type is not in the file, as written, by the index of the method:
    "Store", "crate.reel.Reel". `types` says of what type names are, by the definition that binds them, a class for its
    fields: a name is of all the types that are given for it, and of an unknown one if none is. `returns` says likewise
    what functions return. `prose` are the spans of comments and documentation strings. `too_deep` counts the
    definitions and other parts that are nested too deeply to be read.

    `modifiers` has "static", "get" and "set" of methods of JavaScript, by their index, `unclear` the definitions of one
    name in several blocks of a function or file: which of them a name means depends on the block that it is used in.
    `hidden` are the indexes of definitions that no other file sees, unless it includes this one.
    `strings` are the constants that have to do with SQL or the environment.
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
    types: Mapping[tuple[int, str], Sequence[Typed]]
    returns: Mapping[int, Sequence[Typed]]
    modifiers: Mapping[int, Set[str]]
    unclear: Set[int]
    prose: Sequence[tuple[int, int]]
    too_deep: int
    hidden: Set[int] = frozenset()
    strings: Sequence[SqlString] = ()
