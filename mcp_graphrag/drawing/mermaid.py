"""A picture as Mermaid (https://mermaid.js.org/syntax/flowchart.html), which GitHub and many editors draw."""

from collections.abc import Iterator

from mcp_graphrag.drawing.picture import Picture

MAX_NAME = 60


def mermaid(picture: Picture) -> str:
    """The picture as a flowchart; what is not drawn is counted in a comment."""
    return "\n".join(_lines(picture))


def _lines(picture: Picture) -> Iterator[str]:
    nodes, edges = picture.drawn
    yield "flowchart LR"
    number = {node.key: f"n{at}" for at, node in enumerate(nodes)}
    for node in nodes:
        kind = f"<br/><i>{_safe(node.type)}</i>" if node.type else ""
        yield f'  {number[node.key]}["{_safe(node.name)}{kind}"]'
    for edge in edges:
        yield f'  {number[edge.source]} -->|"{_safe(edge.predicate)}"| {number[edge.target]}'
    if left := len(picture.nodes) - len(nodes):
        yield f"  %% not drawn: {left} more"


def _safe(text: str) -> str:
    """A text as Mermaid takes it in quotes: entities by number, which no Markdown and no tag is read in."""
    text = " ".join(text.split())
    cut = f"{text[:MAX_NAME]}…" if len(text) > MAX_NAME else text
    return "".join(each if each.isalnum() or each in " .,:;/-_…'()" else f"#{ord(each)};" for each in cut)
