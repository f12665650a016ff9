"""Answers as pictures: a flowchart in Mermaid, or a page with the graph drawn, quotes and places."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import click

from mcp_graphrag.atomic_write import write_whole
from mcp_graphrag.cli.generate import Run, tool_command
from mcp_graphrag.cli.session import Session
from mcp_graphrag.drawing.mermaid import mermaid
from mcp_graphrag.drawing.page import page
from mcp_graphrag.drawing.picture import Edge, Node, Picture
from mcp_graphrag.errors import BadInput
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer, Cited, TripleOut
from mcp_graphrag.server.tools.community_tools import CommunitiesAnswer
from mcp_graphrag.server.tools.path_tools import ImpactAnswer
from mcp_graphrag.server.written_forms import place, written_with


def drawn_command(tool: Tool, *extra: click.Parameter, run: Run | None = None) -> click.Command:
    """The command of a tool whose answer can be drawn."""

    def shown(session: Session, tool: Tool, *, mermaid_: bool, html: str | None, **given: Any) -> Answer | None:
        if html and Path(html).exists():
            raise BadInput(f"{html} is there already.", "Name another file, or remove it.")
        answer = run(session, tool, **given) if run else session.run(tool, given)
        if answer is None or not (mermaid_ or html):
            return answer
        with written_with(answer.forms):
            picture = _communities(answer) if isinstance(answer, CommunitiesAnswer) else _triples(cast("Cited", answer))
        if mermaid_:
            click.echo(mermaid(picture))
        if html:
            write_whole(Path(html), "\n".join([*page(picture), ""]))
            click.echo(f"Wrote {html}: {len(picture.nodes)} nodes, {len(picture.edges)} edges.", err=True)
        return None

    options = (
        click.Option(["--mermaid", "mermaid_"], is_flag=True, help="Print the answer as a flowchart in Mermaid."),
        click.Option(["--html"], metavar="FILE", help="Write the answer as a page: the graph drawn, quotes, places."),
    )
    return tool_command(tool, *extra, *options, run=shown)


def _triples(answer: Cited) -> Picture:
    """The triples of an answer; of an impact those by which each is affected, level by level."""
    levels: dict[str, int] = {}
    if isinstance(answer, ImpactAnswer):
        title, triples = f"What depends on {answer.entity}", list(map(answer.said_of, answer.affected))
        levels = {f"{each.entity}|{each.type}": each.level for each in answer.affected}
    else:
        triples = cast("Sequence[TripleOut]", getattr(answer, "triples", ()))
        ends = [getattr(answer, name, "") for name in ("entity", "source", "target")]
        title = " to ".join(filter(None, ends)) or ", ".join(getattr(answer, "answer", [])) or "No answer"
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for each in triples:
        keys = f"{each.subject}|{each.subject_type}", f"{each.object}|{each.object_type}"
        for key, name, type_ in zip(
            keys, (each.subject, each.object), (each.subject_type, each.object_type), strict=True
        ):
            nodes.setdefault(key, Node(key, name, type_, levels.get(key, 0) if levels else None))
        first = next((answer.evidence[number - 1] for number in each.evidence[:1]), None)
        quoted = (first.quote, place(first.source, first.line) if first.source else "") if first else ()
        edges.append(Edge(keys[0], each.predicate, keys[1], *quoted))
    return Picture(title, list(nodes.values()), edges, [*answer.notes, *filter(None, [answer.hint])])


def _communities(answer: CommunitiesAnswer) -> Picture:
    """The communities with their most central members."""
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for each in (*filter(None, [answer.community]), *answer.communities):
        key = f"community {each.community}"
        nodes[key] = Node(key, each.title, f"community of {each.size}")
        if f"community {each.part_of}" in nodes:
            edges.append(Edge(f"community {each.part_of}", "contains", key, each.summary))
        nodes |= {member: Node(member, member) for member in each.members if member not in nodes}
        edges += [Edge(key, "has", member) for member in each.members]
    return Picture("Communities", list(nodes.values()), edges, list(filter(None, [answer.hint])))
