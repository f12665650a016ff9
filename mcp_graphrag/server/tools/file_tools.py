"""The file itself: whether it holds what it should, and a copy of it."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from mcp_graphrag.clean_input import local_path
from mcp_graphrag.durability.backup import Backup
from mcp_graphrag.errors import NotAllowed
from mcp_graphrag.ingest import allowed_path, shown_roots
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer, counts_line
from mcp_graphrag.server.tools.arguments import below_roots
from mcp_graphrag.verify.verify import Problem, Verification

CANNOT_BE_MENDED = """What is left cannot be mended: remove the documents concerned and ingest them again, or restore a
backup."""
DATES_DIFFER = "Take such a triple out with `forget`, and state it with the right dates by `add_triples`."
ONLY_PAST = """What is left is not in force: `mcp-graphrag compact --keep-retired 0` drops it, except from the log of
merges."""


class ProblemOut(Answer):
    """A kind of rows that should not be there."""

    kind: str
    about: str
    count: int
    examples: list[str]

    def __str__(self) -> str:
        return "\n".join([f"{self.count} {self.about} ({self.kind})", *(f"  {each}" for each in self.examples)])


class VerifyAnswer(Answer):
    """What was compared, and what is wrong."""

    sound: Annotated[bool, Field(description="Whether nothing is wrong.")]
    documents: int
    chunks: int
    mentions: int
    entities: int
    triples: int
    evidence: int
    chunk_edges: int
    awaiting_embedding: Annotated[int, Field(description="Vectors still to be made.")]
    problems: list[ProblemOut] = []
    mended: Annotated[list[ProblemOut], Field(description="What a repair has mended.")] = []
    hint: str = ""

    def __str__(self) -> str:
        compared = (
            counts_line(document=self.documents, chunk=self.chunks, mention=self.mentions, entity=self.entities)
            + f", {counts_line(triple=self.triples, piece=self.evidence)} of evidence"
            + f", {counts_line(chunk_edge=self.chunk_edges)}"
        )
        lines = [
            "sound" if self.sound else "not sound",
            f"compared: {compared}",
            *(f"mended: {each}" for each in self.mended),
            *(f"wrong: {each}" for each in self.problems),
            *([self.hint] if self.hint else []),
        ]
        return "\n".join(lines)


def verify(call: Call) -> VerifyAnswer:
    """Verify that the file is whole: references, quotes, names, evidence, and indexes against the tables.

    It reads the whole file: about a minute for a million triples.
    """
    return verify_answer(call.graph.verify(), repaired=False)


def verify_answer(found: Verification, *, repaired: bool) -> VerifyAnswer:
    """What was found, in words; after a repair with what it has mended."""
    kinds = {each.kind for each in found.problems}
    hint = "The command `mcp-graphrag verify --repair` mends what can be mended." if found.problems else ""
    if repaired and found.problems:
        hint = ONLY_PAST if kinds == {"reference_to_nothing"} else CANNOT_BE_MENDED
    elif found.mended:
        hint = "`forget` with undo 1 brings back what was taken out of force."
    if kinds == {"triple_without_time"}:
        hint = DATES_DIFFER
    return VerifyAnswer.of(
        found,
        found.counts,
        sound=not found.problems,
        problems=[_out(each) for each in found.problems],
        mended=[_out(each) for each in found.mended],
        hint=hint,
    )


def _out(problem: Problem) -> ProblemOut:
    return ProblemOut.of(problem, examples=list(problem.examples))


VERIFY = Tool(verify, "Verify the file", "verify", "admin")


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
        copied = counts_line(document=self.documents, entity=self.entities, triple=self.triples, piece=self.evidence)
        lines = [f"Wrote {self.path}: {self.megabytes} MB, {copied} of evidence; it opens and is whole."]
        return "\n".join([*lines, self.hint] if self.hint else lines)


def backup(
    call: Call,
    path: Annotated[str, Field(description="The new file, below the server's roots.", min_length=1), ARGUMENT],
    overwrite: Annotated[bool, Field(description="Replace an earlier backup of that name.")] = False,
) -> BackupAnswer:
    """Back up the file to another one, while it serves: a consistent copy, verified before it gets its name.

    The command `mcp-graphrag restore` puts it back.
    """
    target = path_to_write(call, path, "mcp-graphrag backup")
    return backup_answer(call.graph.back_up(target, overwrite=overwrite))


def path_to_write(call: Call, path: str, command: str) -> Path:
    """The path of a new file below the roots of the server. Raises NotAllowed for another one."""
    roots = [Path(root).expanduser().resolve() for root in call.graph.settings.roots]
    if not roots:
        raise NotAllowed("This server writes no files.", f"Start it with --root DIR, or use `{command}`.")
    target = allowed_path(below_roots(str(local_path(path)), roots), roots)
    if target is None:
        raise NotAllowed(f"{path} is outside the server's roots.", f"Name a path below {shown_roots(roots)}.")
    return target


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
