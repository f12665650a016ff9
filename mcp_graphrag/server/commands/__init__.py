"""What only the command line offers, declared as tools are: they run in its own process or in the owner of the file."""

from mcp_graphrag.server.commands.explore import EXPLORE_MAP, EXPLORE_START, EXPLORE_UNDO
from mcp_graphrag.server.commands.from_disk import INGEST_FROM_DISK, REBUILD_TO_THE_END
from mcp_graphrag.server.commands.import_memory import IMPORT_MEMORY
from mcp_graphrag.server.commands.watch_from_disk import WATCH_FROM_DISK
from mcp_graphrag.server.commands.whole_file import (
    BACK_UP,
    CLEAR,
    COMPACT,
    REBUILD_COMMUNITIES,
    REINDEX,
    REPAIR,
    RESTORE,
    STATUS,
)
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.tools import TOOLS

FROM_DISK = (INGEST_FROM_DISK, REBUILD_TO_THE_END, WATCH_FROM_DISK, IMPORT_MEMORY)
WHOLE_FILE = (STATUS, BACK_UP, RESTORE, COMPACT, REINDEX, REPAIR, CLEAR, REBUILD_COMMUNITIES)
EXPLORE = (EXPLORE_START, EXPLORE_MAP, EXPLORE_UNDO)
CALLABLE: dict[str, Tool] = {tool.name: tool for tool in (*TOOLS, *FROM_DISK, *WHOLE_FILE, *EXPLORE)}
