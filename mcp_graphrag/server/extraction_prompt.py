"""The prompt of the walk through a folder: read chunks until none awaits, then review."""

from typing import Annotated, Any

import anyio.to_thread
from mcp.server import MCPServer
from pydantic import Field

from mcp_graphrag.server.context import App
from mcp_graphrag.server.reading_guide import reading_guide

STEPS = """Build the knowledge graph of {what}, in these steps:

1. {ingest}
2. Call `get_chunks_to_extract`, read its chunks, and give all of them back to `store_extraction`: triples, and edges
   between chunks where one depends on, elaborates or contradicts another. Mend what is dropped once.
3. Repeat step 2 until no chunk awaits. Work that was interrupted goes on where it stopped.
4. Call `review`: look at conflicts and at names that may be one, read the sources, and decide what is certain with
   `resolve` and `merge`. Leave the rest.
5. Say how many documents, chunks and triples there are (`brief`), what was dropped and why, and what is open.

{guide}"""
INGEST_FOLDER = "Call `ingest` with paths {path}, and `get_job` until it is done."
INGESTED = "`brief` shows what is ingested."
MAX_GUIDE = 4000  # tokens in the prompt


def add_extraction_prompt(server: MCPServer[Any], app: App) -> None:
    """Let clients ask for the walk, with the names of the tools on offer."""

    async def extract_folder(
        path: Annotated[str, Field(description="A folder or file to ingest; without one, what is ingested.")] = "",
    ) -> str:
        ingest = INGEST_FOLDER.format(path=path) if path else INGESTED
        words = await anyio.to_thread.run_sync(app.graph.vocabulary)
        guide = reading_guide(words, app.names, MAX_GUIDE)
        return app.names.fill(STEPS.format(what=path or "the ingested documents", ingest=ingest, guide=guide))

    server.prompt(
        name="extract_folder",
        title="Extract a folder",
        description="Ingest a folder and read its chunks for entities and triples, until none awaits, then review.",
    )(extract_folder)
