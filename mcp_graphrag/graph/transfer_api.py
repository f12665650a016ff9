"""A graph taken away in other forms, and read from them."""

from pathlib import Path

from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.model import LIBRARY, NOW, Origin, When
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.transfer.export_graph import Exported, ExportQuery, Progress, export_graph
from mcp_graphrag.transfer.import_lines import ImportedLines, import_lines
from mcp_graphrag.transfer.import_records import ImportedRecords, import_records
from mcp_graphrag.transfer.read_records import Records
from mcp_graphrag.transfer.repository_file import names_below, project_of, read_artefact, write_artefact


def _silent(_done: float, _total: float | None, _what: str) -> None:
    pass


class TransferApi(GraphFile):
    """Methods that write other files, or read them."""

    def export(self, query: ExportQuery | Path | str, when: When = NOW, *, progress: Progress = _silent) -> Exported:
        """Write the graph or a part of it for other programs; the end of the path tells the form where none is given.

        Raises BadInput for a target that is there or a choice of nothing, FileTrouble where it cannot be written.
        """
        with self.reading(when) as snapshot:
            return export_graph(
                snapshot, query if isinstance(query, ExportQuery) else ExportQuery(Path(query)), progress
            )

    def export_to_repository(self, progress: Progress = _silent) -> Exported:
        """Write the file by which clones of the project's repository share the graph. Raises BadInput outside one."""
        return write_artefact(self, progress)

    def read_artefact(self) -> None:
        """Take in that file where it is another than was written or read last."""
        read_artefact(self)

    def import_lines(self, path: Path | str, *, origin: Origin = LIBRARY) -> ImportedLines:
        """Add what the JSON lines of an export have; the same again adds nothing. Raises BadInput for another file."""
        project = project_of(self)
        names = names_below(project.root) if project else ()
        with self.writing(origin.named("import")) as write:
            done = import_lines(write, Path(path), names=names)
        _ = embed_pending(self, by_model=False)
        return done

    def import_records(
        self, records: Records, *, origin: Origin = LIBRARY, progress: Progress = _silent
    ) -> ImportedRecords:
        """Add the entities and triples of a file of another program, see `read_records`."""
        return import_records(self, records, origin.named("import"), progress)
