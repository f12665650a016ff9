"""Answers as pictures: a flowchart in Mermaid, or a page with the graph drawn, quotes and places."""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from pathlib import Path
from typing import Any

import click

from mcp_graphrag.atomic_write import write_whole
from mcp_graphrag.cli.generate import Run, tool_command
from mcp_graphrag.cli.session import Session
from mcp_graphrag.drawing.mermaid import mermaid
from mcp_graphrag.drawing.page import page
from mcp_graphrag.drawing.picture import Edge, Node, Picture
from mcp_graphrag.errors import BadInput
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer, Cited, EvidenceOut, TripleOut
from mcp_graphrag.server.tools.community_tools import CommunitiesAnswer
from mcp_graphrag.server.tools.path_tools import ImpactAnswer, PathsAnswer
from mcp_graphrag.server.tools.plan_tools import PlanAnswer
from mcp_graphrag.server.tools.triple_tools import NeighbourhoodAnswer
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
            picture = picture_of(answer)
        if mermaid_:
            click.echo(mermaid(picture))
        if html:
            write_whole(Path(html), "\n".join([*page(picture), ""]))
            click.echo(f"Wrote {html}: {len(picture.nodes)} entities, {len(picture.edges)} triples.", err=True)
        return None

    options = (
        click.Option(["--mermaid", "mermaid_"], is_flag=True, help="Print the answer as a flowchart in Mermaid."),
        click.Option(["--html"], metavar="FILE", help="Write the answer as a page: the graph drawn, quotes, places."),
    )
    return tool_command(tool, *extra, *options, run=shown)


@singledispatch
def picture_of(answer: Answer) -> Picture:
    """What an answer shows, as a picture."""
    raise TypeError(type(answer).__name__)


@picture_of.register
def _(answer: NeighbourhoodAnswer) -> Picture:
    return _of_triples(answer.entity, answer, answer.triples, first=answer.entity)


@picture_of.register
def _(answer: PathsAnswer) -> Picture:
    return _of_triples(f"{answer.source} to {answer.target}", answer, answer.triples, first=answer.source)


@picture_of.register
def _(answer: PlanAnswer) -> Picture:
    return _of_triples(", ".join(answer.answer) or "No answer", answer, answer.triples)


@picture_of.register
def _(answer: ImpactAnswer) -> Picture:
    nodes = [Node(answer.entity, answer.entity, level=0)]
    nodes += [Node(_key(each.entity, each.type), each.entity, each.type, each.level) for each in answer.affected]
    by_name = {(node.name, node.type): node.key for node in nodes}
    edges = [
        Edge(
            _key(each.entity, each.type),
            each.predicate,
            by_name.get((each.via, each.via_type), answer.entity),
            *_said(answer.evidence, each.evidence),
        )
        for each in answer.affected
    ]
    return Picture(f"What depends on {answer.entity}", nodes, edges, _notes(answer))


@picture_of.register
def _(answer: CommunitiesAnswer) -> Picture:
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for each in (*([answer.community] if answer.community else []), *answer.communities):
        key = f"community {each.community}"
        nodes[key] = Node(key, each.title, f"community of {each.size}")
        if each.part_of is not None:
            edges.append(Edge(f"community {each.part_of}", "contains", key))
        for member in each.members:
            nodes.setdefault(member, Node(member, member))
            edges.append(Edge(key, "has", member, each.summary if member == each.members[0] else ""))
    known = [edge for edge in edges if edge.source in nodes]
    return Picture("Communities", list(nodes.values()), known, [answer.hint] if answer.hint else [])


def _of_triples(title: str, answer: Cited, triples: Sequence[TripleOut], first: str = "") -> Picture:
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for each in triples:
        ends = (each.subject, each.subject_type), (each.object, each.object_type)
        keys = [_key(*end) for end in ends]
        for key, (name, type_) in zip(keys, ends, strict=True):
            nodes.setdefault(key, Node(key, name, type_))
        edges.append(Edge(keys[0], each.predicate, keys[1], *_said(answer.evidence, each.evidence)))
    ordered = sorted(nodes.values(), key=lambda node: node.name != first)
    return Picture(title, ordered, edges, _notes(answer))


def _said(evidence: Sequence[EvidenceOut], numbers: Iterable[int]) -> tuple[str, str]:
    """The first quote of a triple and its place."""
    found = [evidence[number - 1] for number in numbers if number <= len(evidence)]
    return (found[0].quote, place(found[0].source, found[0].line) if found[0].source else "") if found else ("", "")


def _notes(answer: Cited) -> list[str]:
    return [*answer.notes, *([answer.hint] if answer.hint else [])]


def _key(name: str, type_: str) -> str:
    return f"{name}|{type_}"
