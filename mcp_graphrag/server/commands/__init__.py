"""What only the command line offers, declared as tools are: they run in its own process or in the owner of the file."""

from mcp_graphrag.server.commands.from_disk import INGEST_FROM_DISK
from mcp_graphrag.server.commands.import_memory import IMPORT_MEMORY
from mcp_graphrag.server.commands.watch_from_disk import WATCH_FROM_DISK
from mcp_graphrag.server.commands.whole_file import CLEAR, REBUILD_COMMUNITIES, REINDEX, REPAIR, STATUS
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.tools import TOOLS

OURS = (INGEST_FROM_DISK, WATCH_FROM_DISK, IMPORT_MEMORY, STATUS, REINDEX, REPAIR, CLEAR, REBUILD_COMMUNITIES)
CALLABLE: dict[str, Tool] = {tool.name: tool for tool in (*TOOLS, *OURS)}
