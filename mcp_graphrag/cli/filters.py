"""The options that say which passages a search may find."""

from collections.abc import Callable
from typing import Any

import click

from mcp_graphrag.cli.reading import key_values
from mcp_graphrag.server.tools.arguments import Filters

OPTIONS = (
    click.option("--document", multiple=True, help="Only this document, by uri or title; repeatable."),
    click.option("--source", multiple=True, help="Only this source; repeatable."),
    click.option("--media-type", multiple=True, help="Only this media type, as in text/markdown; repeatable."),
    click.option(
        "--metadata", "pairs", multiple=True, metavar="KEY=VALUE", help="Only with this metadata; repeatable."
    ),
    click.option("--entity-type", help="Only passages that mention an entity of this type."),
    click.option("--predicate", help="Only passages that state a fact with this predicate."),
    click.option("--since", help="Only documents of this ISO date or later."),
    click.option("--until", help="Only documents before this ISO date."),
)
LISTS = ("document", "source", "media_type")
SINGLE = ("entity_type", "predicate", "since", "until")


def filtered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with the options of the filters, of which `filters_from` makes one."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def filters_from(options: dict[str, Any]) -> Filters:
    """The filters that the options say; takes them out of the options."""
    chosen: dict[str, Any] = {name: list(options.pop(name)) for name in LISTS}
    chosen |= {name: options.pop(name) for name in SINGLE}
    return Filters(**chosen, metadata=key_values(options.pop("pairs")))
