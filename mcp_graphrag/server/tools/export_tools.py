"""Export: the graph as a file of other programs."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.clean_input import local_path
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Cli, Tool
from mcp_graphrag.server.records import Answer, counts_line
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, Strings, when
from mcp_graphrag.server.tools.file_tools import path_to_write
from mcp_graphrag.store.rows.export_rows import Choice
from mcp_graphrag.transfer.export_graph import ExportQuery, Form


class ExportAnswer(Answer):
    """What was written; `left_out` counts what the form cannot hold."""

    path: str
    form: str
    megabytes: float
    entities: int
    triples: int
    left_out: dict[str, int] = {}

    def __str__(self) -> str:
        size = f"{self.megabytes} MB" if self.megabytes >= 0.01 else "less than 0.01 MB"
        lines = [f"Wrote {self.path} ({self.form}, {size}): {counts_line(entity=self.entities, triple=self.triples)}."]
        if self.left_out:
            listed = ", ".join(f"{name} {count}" for name, count in self.left_out.items())
            lines.append(f"Not in this form: {listed}.")
        return "\n".join(lines)


def export(
    call: Call,
    path: Annotated[str, Field(description="New file or folder, below the roots.", min_length=1), ARGUMENT],
    format: Annotated[Form | None, Field(description="By default told by the end of the path.")] = None,  # noqa: A002
    types: Annotated[Strings, Field(description="Only entities of these types.")] = [],
    predicates: Annotated[Strings, Field(description="Only triples of these.")] = [],
    sources: Annotated[Strings, Field(description="Only what these documents or sources say.")] = [],
    community: Annotated[int | None, Field(description="Only this one.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    overwrite: Annotated[bool, Field(description="Replace an earlier export."), Cli("--force")] = False,
) -> ExportAnswer:
    """Export the graph or a part of it: JSON lines (complete), GraphML, CSV, Cypher, RDF, Parquet, notes, a page.

    Folders: csv (for bulk loaders), parquet, obsidian. Files: .jsonl, .jsonl.gz, .graphml, .cypher, .ttl, .html.
    """
    if not path:  # the command alone may leave it out
        done = call.graph.export_to_repository(call.progress)
    else:
        target = local_path(path) if call.app.names.as_commands else path_to_write(call, path, "mcp-graphrag export")
        query = ExportQuery(target, format, Choice(types, predicates, sources, community), overwrite)
        done = call.graph.export(query, when(as_of, known_at), progress=call.progress)
    return ExportAnswer.of(
        done, path=str(done.path), megabytes=round(done.bytes / 1e6, 2), left_out=dict(done.left_out)
    )


EXPORT = Tool(export, "Export the graph", "export", "admin", reads=False, destroys=True, long=True)
