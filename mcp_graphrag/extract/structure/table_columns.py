"""What the columns of a table are: which one names its rows, and what each of the others says of these names.

The cells decide: headings are looked at only for what cells cannot show.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Literal, TypeAlias

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.english.raw_predicate import NormalizedPredicate, normalize_predicate
from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.structure.cells import CellKind, is_code, is_row_number, is_value_type, kind_of_cell
from mcp_graphrag.extract.structure.markup import cells_of, is_delimiter_row
from mcp_graphrag.mentions.type_by_shape import type_of_header, type_of_name

Holds: TypeAlias = Literal["names", "values", "text"]
IS_A = "is_a"
WHOLE_ROW = -1  # what a column dates where it dates every fact of its row

SAMPLE = 300  # rows whose cells decide what the columns are
_MARKS = str.maketrans("*_`[]~", "      ")
_MAX_TITLE = 60  # characters
_MAX_TITLE_WORDS = 6
# Rows on the parts or the tasks of one thing, which the table does not name.
_OF_PARTS = frozenset({"aspect", "capability", "concern", "layer", "purpose"})
_OF_TASKS = frozenset({"action", "action item", "actions", "task", "tasks", "to do", "todo", "follow-up", "next step"})
_NAMING = ("name", "full name", "display name", "title")
_OF_NAMES = frozenset({"name", "full name", "who", ""})
_ONLY_OF_PERSONS = frozenset(
    {"reports to", "job title", "line manager", "hired", "joined", "date of birth", "birthday"}
)
_CODES = ({2}, {3}, {4})  # lengths of all cells of a column of codes: "Grek", "Latn"
_GIVEN_NAMES = frozenset({"first name", "given name", "forename", "firstname"})
_SURNAMES = frozenset({"last name", "surname", "family name", "lastname"})
# Behind the heading of a column, these are of the time from or until which its fact holds.
_STARTS = ("since", "from", "start", "started", "start date", "valid from")
_ENDS = ("until", "till", "to", "end", "ended", "end date", "valid to")
ROW_STARTS = frozenset({"valid from", "effective from"})
ENDED = frozenset(
    {"left", "ended", "retired", "decommissioned", "discontinued", "terminated", "scrapped", "removed", "sold"}
)
ROW_ENDS = ENDED.union(
    {"valid to", "valid until", "until", "till", "to", "end date", "last day", "leaving date", "exit date"}
)
_NO_NAMES = "no column names its rows"


@dataclass
class Column:
    """A column whose cells say something of the name of their row.

    `title` is its heading as words, `key` that in small letters. `cue` is what the lexicon has for it, None where that
    has nothing or it depends on the type of the row (`by_type`). `dates` is the column whose facts it dates, or
    WHOLE_ROW, and whether it says since when. `found` counts by predicate what it has said.
    """

    at: int
    title: str
    key: str
    holds: Holds
    predicate: NormalizedPredicate
    cue: Cue | None
    by_type: bool
    dates: tuple[int, bool] | None = None
    found: Counter[str] = field(default_factory=Counter[str])


@dataclass
class Columns:
    """The columns of a table of so many `rows`: `naming` names them (None: no column does), `read` are those read.

    `expected` is the type of the names, `surname` goes with a column of given names. `unread` has by heading why others
    are not read, `names` how often each cell of the naming column stands in it.
    """

    titles: Sequence[str]
    rows: int
    naming: int | None = None
    surname: int | None = None
    expected: str | None = None
    read: Sequence[Column] = ()
    unread: Mapping[str, str] = field(default_factory=dict[str, str])
    names: Counter[str] = field(default_factory=Counter[str])
    reason: str = ""

    def key_of(self, text: str, cells: Sequence[Span]) -> str:
        """What the naming cells of a row say, "" where it has none."""
        own = (at for at in (self.naming, self.surname) if at is not None and at < len(cells))
        return " ".join(text[slice(*cells[at])] for at in own)

    def receipt(self) -> str:
        """What was read of the table, as a line."""
        counted = f"{self.rows} row{'s' * (self.rows != 1)}"
        if self.naming is None:
            return f"{counted} not read: {self.reason}"
        said = [f"{column.title} as {_counted(column.found)}" for column in self.read if column.found]
        left = {column.title: "says nothing of a name" for column in self.read if not column.found} | dict(self.unread)
        parts = [f"{counted} by {self.titles[self.naming] or 'the first column'}", ", ".join(said)]
        parts.append("not read: " + ", ".join(f"{title} ({reason})" for title, reason in left.items()) if left else "")
        return "; ".join(filter(None, parts))


def _counted(found: Counter[str]) -> str:
    return " and ".join(f"{what} ({count})" for what, count in found.items())


def read_columns(text: str, titles: Sequence[str], lines: Sequence[Span], lexicon: Lexicon) -> Columns:
    """The columns of the table with these titles, by its `lines` behind them."""
    sample = [cells_of(text, line) for line in lines[:SAMPLE]]
    kinds: list[list[CellKind]] = [
        [kind_of_cell(text[slice(*row[at])]) for row in sample if at < len(row)] for at in range(len(titles))
    ]
    columns = Columns(titles, len(lines))
    if not sample or titles[0].casefold() in _OF_PARTS | _OF_TASKS:
        columns.reason = _NO_NAMES
        return columns
    if any(title.endswith(":") for title in titles):
        columns.reason = "its first row is no heading"
        return columns
    columns.naming = _naming_column(text, titles, sample, kinds, lexicon)
    if columns.naming is None or _is_row(
        titles, [text[slice(*row[columns.naming])] for row in sample if columns.naming < len(row)], columns.naming
    ):
        columns.reason = _NO_NAMES if columns.naming is None else "its headings are names, as its cells are"
        columns.naming = None
        return columns
    at = columns.naming
    if titles[at].casefold() in _GIVEN_NAMES:
        columns.surname = next((at for at, title in enumerate(titles) if title.casefold() in _SURNAMES), None)
    columns.names = Counter(columns.key_of(text, cells_of(text, line)) for line in lines)
    if titles[at] and titles[at] in columns.names:
        columns.naming, columns.reason = None, "it has two rows of headings"
        return columns
    repeated = {stem for stem, count in Counter(map(_stem, titles)).items() if count > 1}
    reasons = [_why_unread(title, repeated, own) for title, own in zip(titles, kinds, strict=True)]
    columns.read = [one for one in _read_columns(titles, kinds, reasons, at, lexicon) if one.at != columns.surname]
    for column in columns.read:
        cells = (text[slice(*row[column.at])] for row in sample if column.at < len(row))
        if column.cue is not None and column.cue.predicate == IS_A and any(map(is_value_type, cells)):
            column.cue, column.holds = None, "values"  # of what type the values of the row are
    folded = {title.casefold() for title in titles}
    is_person = titles[at].casefold() in _OF_NAMES and not _ONLY_OF_PERSONS.isdisjoint(folded)
    columns.expected = "Person" if is_person else type_of_header(titles[at])
    read = {column.at for column in columns.read} | {columns.surname}
    columns.unread = {
        title or f"column {other + 1}": reasons[other]
        for other, title in enumerate(titles)
        if other not in {at, *read} and (title or any(kinds[other]))
    }
    _date_facts(columns.read)
    return columns


def _naming_column(
    text: str,
    titles: Sequence[str],
    sample: Sequence[Sequence[Span]],
    kinds: Sequence[Sequence[CellKind]],
    lexicon: Lexicon,
) -> int | None:
    """The column that names what a row is about, None if none does.

    It is the first one, if its cells may be names. Where these are numbers or codes, or come again, it is the one of
    names that do not; a heading that says how it relates to the first one, "depends on", names no rows.
    """

    def cells(at: int) -> list[str]:
        return [cell for row in sample if at < len(row) and (cell := text[slice(*row[at])])]

    def share(at: int) -> float:
        return sum(kind in {"name", "word"} for kind in kinds[at]) / len(sample)

    def distinct(at: int) -> float:
        return len(set(cells(at))) / len(sample)

    def is_of_others(at: int) -> bool:
        cue = lexicon.header(titles[at], None)
        is_name = type_of_header(titles[at]) not in {None, "Person", "Role"}
        return cue is not None and cue.predicate != RELATED_TO and not is_name

    folded = [title.casefold() for title in titles]
    if _GIVEN_NAMES.intersection(folded) and _SURNAMES.intersection(folded):
        return next(at for at, title in enumerate(folded) if title in _GIVEN_NAMES)
    others = [at for at in range(1, len(titles)) if titles[at] and share(at) >= 0.8 and distinct(at) >= 0.9]
    named = [at for title in _NAMING for at in others if folded[at] == title]
    free = named + [at for at in others if not is_of_others(at)]
    is_dated = any(whole_date(cell) is not None for cell in cells(0))
    is_coded = all(map(is_code, cells(0))) or {*map(len, cells(0))} in _CODES or (share(0) < 0.8 and not is_dated)
    if named and is_coded:
        return named[0]
    if free and all(map(is_row_number, cells(0))):
        return free[0]
    if share(0) < 0.8 or _is_matrix(titles):
        return None
    repeats = distinct(0) < 0.8
    return free[0] if repeats and free and lexicon.header(titles[free[0]], None) is None else 0


def _is_row(titles: Sequence[str], names: Sequence[str], naming: int) -> bool:
    """Whether the headings are a row themselves, as in a file without any: names, of the type that the rows have."""
    type_ = type_of_name(titles[naming], "", "") if all(kind_of_cell(title) == "name" for title in titles) else None
    return type_ is not None and 2 * sum(type_of_name(name, "", "") == type_ for name in names if name) > len(names)


def _is_matrix(titles: Sequence[str]) -> bool:
    """Whether the headings name what the table is about, and the first column what it compares of them."""
    return not titles[0] and any(kind_of_cell(title) == "name" for title in titles[1:])


def _read_columns(
    titles: Sequence[str], kinds: Sequence[Sequence[CellKind]], reasons: Sequence[str], naming: int, lexicon: Lexicon
) -> Iterator[Column]:
    for at, title in enumerate(titles):
        if at == naming or reasons[at]:
            continue
        key = title.casefold()
        cue, by_type = lexicon.headers.get(key.removeprefix("current ")), key in lexicon.headers_by_type
        filled = [kind for kind in kinds[at] if kind]
        is_known = cue is not None or by_type or type_of_header(title) not in {None, "Date"}
        holds: Holds = "names" if is_known or 2 * filled.count("name") >= len(filled) else "values"
        cue = None if cue is not None and cue.predicate == RELATED_TO else cue
        yield Column(at, title, key, holds, normalize_predicate(title, lexicon), cue, by_type)


def _why_unread(title: str, repeated: Set[str], kinds: Sequence[CellKind]) -> str:
    """Why the cells of a column say nothing that is kept, "" if they do; some headings are `repeated`."""
    filled = [kind for kind in kinds if kind]
    if not filled:
        return "empty"
    if not title:
        return "no heading"
    if _stem(title) in repeated:
        return "another column has its heading"
    is_long = len(title) > _MAX_TITLE or len(title.split()) > _MAX_TITLE_WORDS
    if is_long or not any(map(str.isalpha, title)):
        return "its heading says no relation"
    return "free text" if 2 * filled.count("text") > len(filled) else ""


def _stem(title: str) -> str:
    """A heading without the number that the reader of a file gives to each of several equal ones."""
    stem, _, number = title.casefold().rpartition(" (")
    return stem if number[:-1].isdigit() else title.casefold()


def _date_facts(columns: Sequence[Column]) -> None:
    """Let the columns whose headings say so date the facts of others: "owner since" those of "owner"."""
    by_key = {column.key: column.at for column in columns}
    for column in columns:
        for words, is_start in chain(((one, True) for one in _STARTS), ((one, False) for one in _ENDS)):
            dated = by_key.get(column.key.removesuffix(f" {words}"))
            if dated is not None and dated != column.at:
                column.dates = dated, is_start
        if column.key in ROW_STARTS | ROW_ENDS:
            column.dates = WHOLE_ROW, column.key in ROW_STARTS


def titles_of(text: str, line: Span) -> list[str]:
    """The titles of the columns, as words where they are written as one: "depends On" for "dependsOn"."""
    cells = (text[slice(*cell)] for cell in cells_of(text, line))
    found = [" ".join(cell.split("](")[0].translate(_MARKS).split()) for cell in cells]
    return [title if " " in title or title in WORDS.exact else _as_words(title) for title in found]


def _as_words(title: str) -> str:
    joints = [at for at in range(1, len(title)) if title[at].isupper() and title[at - 1].islower()]
    return " ".join(title[start:end] for start, end in pairwise([0, *joints, len(title)]))


def header_of(text: str, lines: Sequence[Span], context: str) -> tuple[list[str], Sequence[Span]]:
    """The titles of a table and the lines of its rows. The header is in `context` if the lines begin behind it."""
    if len(lines) > 1 and is_delimiter_row(text[slice(*lines[1])].strip()):
        return titles_of(text, lines[0]), lines[2:]
    first = next((line for line in context.splitlines() if "|" in line and not is_delimiter_row(line.strip())), "")
    return titles_of(first, (0, len(first))), lines
