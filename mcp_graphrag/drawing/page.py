"""A picture as a page of one file: the graph drawn as SVG, then each triple with its quote and place. No script."""

from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources

from mcp_graphrag.drawing.picture import Edge, Node, Picture, positions

WIDTH, ROW, LEAST = 1_100, 26, 420  # of the drawing, in pixels
MARGIN, SHOWN, LINE = 90, 28, 14
STYLE = (resources.files("mcp_graphrag.drawing") / "page.css").read_text(encoding="utf-8")


def page(picture: Picture) -> Iterator[str]:
    """The lines of the page, whose text is data: nothing in it is loaded, run or sent."""
    title = escape(picture.title)
    nodes, edges = picture.drawn
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>"
    yield from svg(nodes, edges)
    left = len(picture.nodes) - len(nodes)
    notes = [f"{left} more are not drawn."] if left else []
    yield from (f"<p>{escape(note)}</p>" for note in (*notes, *picture.notes))
    yield "<table><thead><tr><th>Subject<th>Predicate<th>Object<th>Said</thead><tbody>"
    names = {node.key: node.name for node in picture.nodes}
    for edge in picture.edges:
        ends = escape(names.get(edge.source, edge.source)), escape(names.get(edge.target, edge.target))
        said = f"<q>{escape(edge.said)}</q> " if edge.said else ""
        yield f"<tr><td>{ends[0]}<td>{escape(edge.predicate)}<td>{ends[1]}<td>{said}{escape(edge.place)}"
    yield "</tbody></table></body></html>"


def svg(nodes: Sequence[Node], edges: Sequence[Edge]) -> Iterator[str]:
    """The drawing; empty for no node."""
    if not nodes:
        return
    height = max(LEAST, ROW * len(nodes) // (1 if any(node.level for node in nodes) else 3))
    scale = (WIDTH - 2.2 * MARGIN, height - 40)
    at = {
        node.key: (MARGIN + x * scale[0], 20 + y * scale[1])
        for node, (x, y) in zip(nodes, positions(nodes, edges).tolist(), strict=True)
    }
    yield f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="The graph; the table below tells it in words">'
    yield '<defs><marker id="end" viewBox="0 0 8 8" refX="14" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    yield '<path d="M0 0 8 4 0 8z" fill="var(--line)"/></marker></defs>'
    for edge in edges:
        (x1, y1), (x2, y2) = at[edge.source], at[edge.target]
        yield f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" marker-end="url(#end)"/>'
        where = f'x="{(x1 + 2 * x2) / 3:.0f}" y="{(y1 + 2 * y2) / 3 - 3:.0f}" text-anchor="middle"'
        yield f'<text class="predicate" {where}>{escape(_cut(edge.predicate))}</text>'
    for node in nodes:
        x, y = at[node.key]
        whole = escape(f"{node.name} ({node.type})" if node.type else node.name)
        yield f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5"><title>{whole}</title></circle>'
        yield f'<text x="{x:.0f}" y="{y + LINE + 3:.0f}" text-anchor="middle">{escape(_cut(node.name))}</text>'
    yield "</svg>"


def _cut(text: str) -> str:
    return f"{text[:SHOWN]}…" if len(text) > SHOWN else text
