"""What files of SQL define and use, and what source code says of it in its strings."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from mcp_graphrag.extract.code.chunk_findings import MAX_NAME, ChunkFindings, End
from mcp_graphrag.extract.code.repository import Repository, path_of
from mcp_graphrag.extract.code.sql_schema import Place, SqlSchema
from mcp_graphrag.model import AliasFound, Chunk, Document, Extraction, Mention
from mcp_graphrag.source_code.source_file import Reference, SqlString
from mcp_graphrag.source_code.sql import SqlName, SqlStatement, parse_sql

UNREAD = "statements of SQL that are not read"
_QUERIES = re.compile(r"(?:queries|sql)\Z", re.IGNORECASE)
_CREATED = "created_by"


Said: TypeAlias = tuple[str, End, tuple[int, int]]  # a predicate, its object, and the span of its name


def named_query(reference: Reference, schema: SqlSchema) -> End | None:
    """The named query that is a method of an object of queries: `queries.get_user(connection)`."""
    is_call = reference.relation == "calls" and _QUERIES.search(reference.receiver)
    return schema.meaning("query", reference.name) if is_call else None


def said_in(string: SqlString, schema: SqlSchema) -> Iterator[Said]:
    """What a string constant reads, writes, calls or changes of what is known, or reads of the environment."""
    if string.kind == "environment":
        yield "reads", End(string.text, "EnvironmentVariable"), (string.start, string.end)
        return
    if string.kind != "statement":
        is_table = string.kind == "table"
        found = schema.meaning("reads" if is_table else "query", string.text)
        found = found if found or is_table else schema.meaning("calls", string.text)
        if found:
            yield "uses" if is_table else "calls", found, (string.start, string.end)
        return
    for statement in parse_sql(string.text).statements:
        uses = [(each.relation, each.relation, each.name) for each in statement.uses]
        tables = [each for each in statement.changes if each.type == "Table" and each.action != "creates"]
        changes = [("drops" if each.new else each.action, "reads", each.name) for each in tables]
        for predicate, relation, name in [*changes, *uses]:
            found = schema.meaning(relation, name.name)
            if found:
                yield predicate, found, (string.start + name.start, string.start + name.end)


class SqlFindings(ChunkFindings):
    """A file of SQL while its triples are found."""

    def __init__(self, document: Document, chunks: Sequence[Chunk], repository: Repository) -> None:
        super().__init__(document.text, chunks)
        self._path = path_of(document.uri)
        self._own = End(repository.sql_name(self._path), "Module")
        self._schema, self._file = repository.sql_schema, repository.sql(self._path)

    def read(self) -> list[Extraction]:
        """The extractions of the chunks."""
        if not self._chunks:
            return []
        self._found[0].mentions.append(Mention(self._own.name, "Module", 0, 0))
        self._found[0].dropped.update({UNREAD: n} if (n := sum(self._file.unread.values())) else {})
        for query in self._file.queries:
            self._define(End(query.name, "Query"), query)
            self.relate(self._own, "contains", End(query.name, "Query"), query[1:])
        for at, statement in enumerate(self._file.statements):
            self._read(at, statement)
        return self.extractions()

    def _define(self, one: End, name: SqlName) -> None:
        if len(one.name) > MAX_NAME:
            return
        at, chunk = self._chunk_at(name.start)
        start, end = name.start - chunk.start, name.end - chunk.start
        self._found[at].mentions.append(Mention(one.name, one.type, start, end))
        last = one.name.rpartition(".")[2]
        if last != one.name and one.type != "Column":
            self._found[at].aliases.append(AliasFound(one.name, last, chunk.text[start:end], start, end, one.type))

    def _read(self, at: int, statement: SqlStatement) -> None:
        subject = End(statement.query.name, "Query") if statement.query else self._own
        is_over = False
        for number, change in enumerate(statement.changes):
            one = End(change.name.name, change.type)
            span = change.name[1:]
            if change.action == "creates":
                self.relate(one, _CREATED, self._own, span)
            else:
                self.relate(self._own, "drops" if change.new else change.action, one, span)
            place = Place(self._path, at, one.name.lower())
            if change.action == "renames":
                new = End(change.new, change.type)
                self.relate(new, _CREATED, self._own, span)
                for column in self._schema.moved.get(place, ()):
                    self._contain(new.name, column, at, span)
                one = new
            if change.action == "creates":
                self._define(one, change.name)
            if one.type == "Column" and change.action in {"creates", "renames"}:
                self._contain(one.name.rpartition(".")[0], one.name, at, span)
            if not number and change.action != "drops":
                subject, is_over = one, place in self._schema.over
        for relation, name in statement.uses:
            found = self._schema.meaning(relation, name.name)
            if found and (found != subject or relation == "calls"):
                self.relate(subject, relation, found, name[1:], is_over=is_over)

    def _contain(self, table: str, column: str, at: int, span: tuple[int, int]) -> None:
        is_over = Place(self._path, at, column.lower()) in self._schema.over
        self.relate(End(table, "Table"), "contains", End(column, "Column"), span, is_over=is_over)
