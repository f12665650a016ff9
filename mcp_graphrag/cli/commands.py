"""All commands, in the order in which the help and the README list them."""

import click

from mcp_graphrag.cli.completion import completion
from mcp_graphrag.cli.demo_command import demo
from mcp_graphrag.cli.examples import with_examples
from mcp_graphrag.cli.explore_command import explore
from mcp_graphrag.cli.file_commands import clear, compact, copy, import_file, reindex, restore, status, watch
from mcp_graphrag.cli.generate import tool_command
from mcp_graphrag.cli.host_commands import hook, install, uninstall
from mcp_graphrag.cli.init_command import init, merge_command
from mcp_graphrag.cli.pgq_command import pgq
from mcp_graphrag.cli.serve_command import serve
from mcp_graphrag.cli.tool_commands import ADD_ENTITY, SPECIAL
from mcp_graphrag.server.tools import TOOLS

_ALL: tuple[click.Command, ...] = (
    demo,
    init,
    install,
    uninstall,
    serve,
    explore,
    *(SPECIAL.get(tool.name) or tool_command(tool) for tool in TOOLS),
    ADD_ENTITY,
    watch,
    import_file,
    pgq,
    status,
    restore,
    compact,
    copy,
    clear,
    reindex,
    hook,
    completion,
    merge_command,
)
COMMANDS = tuple(map(with_examples, _ALL))
