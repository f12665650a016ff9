"""The file as a whole: copied, put back, and rewritten small."""

from datetime import datetime
from pathlib import Path

from mcp_graphrag.clean_input import local_path
from mcp_graphrag.durability.backup import Backup, Restored, back_up, restore
from mcp_graphrag.durability.compact import Compaction, compact
from mcp_graphrag.snapshot import GraphFile


class DurabilityApi(GraphFile):
    """Methods about the file as a whole."""

    def back_up(self, target: Path | str, *, overwrite: bool = False) -> Backup:
        """Copy one state of the file, verified, to a new file; reads and writes go on meanwhile.

        Raises BadInput for a file that is there, unless told to overwrite a DuckDB file.
        """
        return back_up(self, local_path(str(target)), overwrite=overwrite)

    def restore(self, source: Path | str) -> Restored:
        """Put a copy of a backup in place of the file, and keep the former one beside it.

        Raises FileTrouble where the backup cannot be opened, or where a job or another process has the file open.
        """
        return restore(self, local_path(str(source)))

    def compact(self, retired_until: datetime | None = None) -> Compaction:
        """Write the file anew, small, without what was retired until a moment (UTC); by default all is kept.

        Raises FileTrouble where a job or another process has the file open; the file is then as it was.
        """
        return compact(self, retired_until)
