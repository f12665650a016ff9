"""Backup of the file while it serves."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from mcp_graphrag.durability.backup import Backup
from mcp_graphrag.errors import NotAllowed
from mcp_graphrag.ingest import allowed_path, shown_roots
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tools.arguments import below_roots


class BackupAnswer(Answer):
    """The copy, and what it holds in force."""

    path: str
    megabytes: float
    documents: int
    entities: int
    triples: int
    evidence: int
    sound: Annotated[bool, Field(description="Whether `verify` finds nothing wrong in it.")]
    hint: str = ""

    def __str__(self) -> str:
        counts = f"{self.documents} documents, {self.entities} entities, {self.triples} triples, {self.evidence} pieces"
        lines = [f"Wrote {self.path}: {self.megabytes} MB, {counts} of evidence; it opens and is whole."]
        return "\n".join([*lines, self.hint] if self.hint else lines)


def backup(
    call: Call,
    path: Annotated[str, Field(description="The new file, below the server's roots.", min_length=1), ARGUMENT],
    overwrite: Annotated[bool, Field(description="Replace an earlier backup of that name.")] = False,
) -> BackupAnswer:
    """Back up the file to another one, while it serves: a consistent copy, verified before it gets its name.

    The command `mcp-graphrag restore` puts it back.
    """
    roots = [Path(root).expanduser().resolve() for root in call.graph.settings.roots]
    if not roots:
        raise NotAllowed("This server writes no files.", "Start it with --root DIR, or use `mcp-graphrag backup`.")
    target = allowed_path(below_roots(path, roots), roots)
    if target is None:
        raise NotAllowed(f"{path} is outside the server's roots.", f"Name a path below {shown_roots(roots)}.")
    return backup_answer(call.graph.back_up(target, overwrite=overwrite))


def backup_answer(made: Backup) -> BackupAnswer:
    """A backup in words."""
    return BackupAnswer.of(
        made.counts,
        path=str(made.path),
        megabytes=round(made.bytes / 1e6, 3),
        sound=not made.problems,
        hint="It has the problems of the file itself: `verify` shows them." if made.problems else "",
    )


BACKUP = Tool(backup, "Back up the file", "backup", "admin", reads=False, destroys=True, long=True)
