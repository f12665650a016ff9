"""What the columns of a table are: which one names its rows, and what each of the others says of these names.

The cells decide: headings are looked at only for what cells cannot show.
"""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.english.raw_predicate import NormalizedPredicate, normalize_predicate
from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.structure.cells import MAX_CODE, CellKind, is_code, is_value_type, kind_of_cell
from mcp_graphrag.extract.structure.markup import cells_of, is_delimiter_row
from mcp_graphrag.mentions.type_by_shape import type_of_header, type_of_name

WHOLE_ROW = -1  # what a column dates where it dates every fact of its row

SAMPLE = 300  # rows whose cells decide what the columns are
_MARKS = str.maketrans("*_`[]~", "      ")
_KEY = re.compile(r"[`*]{0,3}(?!v\d)[A-Za-z][\w./-]{0,60}[`*]{0,3}")  # "F1", but no version
_JOINT = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_MAX_TITLE = 60  # characters
_MAX_TITLE_WORDS = 6
# Rows on the parts or the tasks of one thing, which the table does not name.
_OF_PARTS = frozenset(
    {"aspect", "capability", "concern", "layer", "purpose", "action", "action item", "actions", "task", "tasks"}
    | {"to do", "todo", "follow-up", "next step"}
)
_NAMING = ("name", "full name", "display name", "title")
_GIVEN_NAMES = frozenset({"first name", "given name", "forename", "firstname"})
_SURNAMES = frozenset({"last name", "surname", "family name", "lastname"})
# Behind the heading of a column, these are of the time from or until which its fact holds.
_STARTS = ("since", "from", "start", "started", "start date", "valid from")
_ENDS = ("until", "till", "to", "end", "ended", "end date", "valid to")
ENDED = frozenset(
    {"left", "ended", "retired", "decommissioned", "discontinued", "terminated", "scrapped", "removed", "sold"}
)
ROW_ENDS = ENDED.union(
    {"valid to", "valid until", "until", "till", "to", "end date", "last day", "leaving date", "exit date"}
)
NO_NAMES = "no column names its rows"


@dataclass
class Column:
    """A column whose cells say something of the name of their row.

    `title` is its heading as words, `key` that in small letters. With `is_of_names` its cells may be names. `cue` is
    what the lexicon has for it, None where that is nothing or depends on the type of the row (`by_type`). `dates` is
    the column whose facts it dates, or WHOLE_ROW, and whether it says since when. `found` counts what it has said.
    """

    at: int
    title: str
    key: str
    is_of_names: bool
    predicate: NormalizedPredicate
    cue: Cue | None
    by_type: bool
    dates: tuple[int, bool] | None = None
    found: Counter[str] = field(default_factory=Counter[str])


@dataclass
class Columns:
    """The columns of a table of so many `rows`: `naming` names them (None: no column does), `read` are those read.

    `expected` is the type of the names, `surname` goes with a column of given names. `unread` has by heading why others
    are not read, `names` how often each cell of the naming column stands in it. Of the rows that one read so far,
    `over` say that they hold no more. The rows are below a `heading` and start at an offset of the document.
    """

    titles: Sequence[str]
    rows: int
    naming: int | None = None
    surname: int | None = None
    expected: str | None = None
    heading: str = ""
    start: int = 0
    read: list[Column] = field(default_factory=list[Column])
    unread: dict[str, str] = field(default_factory=dict[str, str])
    names: Counter[str] = field(default_factory=Counter[str])
    reason: str = ""
    over: int = 0

    def key_of(self, text: str, cells: Sequence[Span]) -> str:
        """What the naming cells of a row say, "" where it has none."""
        own = (at for at in (self.naming, self.surname) if at is not None and at < len(cells))
        return " ".join(text[slice(*cells[at])] for at in own)

    def receipt(self) -> str:
        """What was read of the table, as a line."""
        counted = f"{self.rows} row{'s' * (self.rows != 1)}"
        if self.naming is None:
            return f"{counted} not read: {self.reason}"
        said = [
            f"{column.title} as {' and '.join(f'{what} ({count})' for what, count in column.found.items())}"
            for column in self.read
            if column.found
        ]
        left = {column.title: "says nothing of a name" for column in self.read if not column.found} | self.unread
        counted += f", {self.over} of them over," if self.over else ""
        parts = [f"{counted} by {self.titles[self.naming] or 'the first column'}", ", ".join(said)]
        parts.append("not read: " + ", ".join(f"{title} ({reason})" for title, reason in left.items()) if left else "")
        return "; ".join(filter(None, parts))


def read_columns(text: str, titles: Sequence[str], lines: Sequence[Span], lexicon: Lexicon) -> Columns:
    """The columns of the table with these titles, by its `lines` behind them."""
    sample = [cells_of(text, line) for line in lines[:SAMPLE]]
    said = [[text[slice(*row[at])] for row in sample if at < len(row)] for at in range(len(titles))]
    kinds: list[list[CellKind]] = [[kind_of_cell(cell) for cell in own] for own in said]
    columns = Columns(titles, len(lines))
    is_of_parts = titles[0].casefold() in _OF_PARTS or any(title.endswith(":") for title in titles)
    at = NO_NAMES if is_of_parts or not sample else _naming_column(titles, said, kinds, lexicon)
    if isinstance(at, str):
        columns.reason = at
        return columns
    columns.naming, columns.expected = at, type_of_header(titles[at])
    if titles[at].casefold() in _GIVEN_NAMES:
        columns.surname = next((other for other, title in enumerate(titles) if title.casefold() in _SURNAMES), None)
    columns.names = Counter(columns.key_of(text, cells_of(text, line)) for line in lines)
    repeated = {stem for stem, count in Counter(map(_stem, titles)).items() if count > 1}
    for other, title in enumerate(titles):
        reason = _why_unread(title, repeated, kinds[other])
        if other in {at, columns.surname}:
            continue
        if reason and (title or any(kinds[other])):
            columns.unread[title or f"column {other + 1}"] = reason
        elif not reason:
            columns.read.append(_column(other, title, said[other], kinds[other], lexicon))
    _date_facts(columns.read)
    return columns


def _naming_column(
    titles: Sequence[str], said: Sequence[Sequence[str]], kinds: Sequence[Sequence[CellKind]], lexicon: Lexicon
) -> int | str:
    """The column that names what a row is about, or why there is none; its cells and what they hold by column.

    It is the first one, if its cells may be names. Where these are numbers or codes, or come again, it is the one of
    names that do not; a heading that says how it relates to the first one, "depends on", names no rows.
    """

    def share(at: int) -> float:
        filled = sum(map(bool, kinds[at]))
        return sum(kind in {"name", "word"} for kind in kinds[at]) / filled if 2 * filled >= len(said[0]) else 0.0

    def filled(at: int) -> list[str]:
        return [cell for cell, kind in zip(said[at], kinds[at], strict=True) if kind]

    def distinct(at: int) -> float:
        return len(set(filled(at))) / max(len(filled(at)), 1)

    def is_of_others(at: int) -> bool:
        cue = lexicon.header(titles[at], None)
        is_name = type_of_header(titles[at]) not in {None, "Person", "Role"}
        return cue is not None and cue.predicate != RELATED_TO and not is_name

    folded = [title.casefold() for title in titles]
    others = [at for at in range(1, len(titles)) if titles[at] and share(at) >= 0.8 and distinct(at) >= 0.9]
    named = [at for title in _NAMING for at in others if folded[at] == title]
    free = named + [at for at in others if not is_of_others(at)]
    is_key = distinct(0) >= 0.95 and all(map(_KEY.fullmatch, filled(0)))
    is_coded = share(0) < 0.8 and not any(map(whole_date, filled(0)))
    # The headings of a table that compares name what it is about, and the first column what is compared of them.
    is_matrix = not titles[0] and any(kind_of_cell(title) == "name" for title in titles[1:])
    if _GIVEN_NAMES.intersection(folded) and _SURNAMES.intersection(folded):
        found = next(at for at, title in enumerate(folded) if title in _GIVEN_NAMES)
    elif named and (is_coded or all(map(is_code, filled(0)))):
        found = named[0]
    elif free and all(cell.strip("#.)").isdigit() and whole_date(cell) is None for cell in filled(0)):
        found = free[0]
    elif (share(0) < 0.8 and not is_key) or is_matrix:
        return NO_NAMES
    else:
        is_first = (
            distinct(0) >= 0.8 or not free or folded[0] in _NAMING or lexicon.header(titles[free[0]], None) is not None
        )
        found = 0 if is_first else free[0]
    if titles[found] and titles[found] in said[found]:
        return "it has two rows of headings"
    return "its headings are names, as its cells are" if _is_row(titles, found, said[found]) else found


def _is_row(titles: Sequence[str], naming: int, names: Sequence[str]) -> bool:
    """Whether the headings are a row themselves, as in a file without any: names of their type, or in capitals too."""
    if len(titles[naming]) > MAX_CODE and titles[naming].isupper() and all(map(str.isupper, filter(None, names))):
        return True
    type_ = type_of_name(titles[naming], "", "") if all(kind_of_cell(title) == "name" for title in titles) else None
    return type_ is not None and 2 * sum(type_of_name(name, "", "") == type_ for name in names if name) > len(names)


def _column(at: int, title: str, said: Sequence[str], kinds: Sequence[CellKind], lexicon: Lexicon) -> Column:
    key = title.casefold()
    cue, by_type = lexicon.headers.get(key.removeprefix("current ")), key in lexicon.headers_by_type
    is_known = cue is not None or by_type or type_of_header(title) not in {None, "Date"}
    is_of_names = is_known or 2 * kinds.count("name") >= sum(map(bool, kinds))
    if cue is not None and cue.predicate == "is_a" and any(map(is_value_type, said)):
        cue, is_of_names = None, False  # of what type the values of the row are
    cue = None if cue is not None and cue.predicate == RELATED_TO else cue
    return Column(at, title, key, is_of_names, normalize_predicate(title, lexicon), cue, by_type)


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
        for words in _STARTS + _ENDS:
            dated = by_key.get(column.key.removesuffix(f" {words}"))
            if dated is not None and dated != column.at:
                column.dates = dated, words in _STARTS
        if column.key in ROW_ENDS:
            column.dates = WHOLE_ROW, False


def titles_of(text: str, line: Span) -> list[str]:
    """The titles of the columns, as words where they are written as one: "depends On" for "dependsOn"."""
    cells = (text[slice(*cell)] for cell in cells_of(text, line))
    found = [" ".join(cell.split("](")[0].translate(_MARKS).split()) for cell in cells]
    return [title if " " in title or title in WORDS.exact else _JOINT.sub(" ", title) for title in found]


def header_of(text: str, lines: Sequence[Span], context: str) -> tuple[list[str], Sequence[Span]]:
    """The titles of a table and the lines of its rows. The header is in `context` if the lines begin behind it."""
    if len(lines) > 1 and is_delimiter_row(text[slice(*lines[1])].strip()):
        return titles_of(text, lines[0]), lines[2:]
    first = next((line for line in context.splitlines() if "|" in line and not is_delimiter_row(line.strip())), "")
    return titles_of(first, (0, len(first))), lines
