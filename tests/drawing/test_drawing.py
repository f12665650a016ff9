from mcp_graphrag.drawing.mermaid import mermaid
from mcp_graphrag.drawing.page import page
from mcp_graphrag.drawing.picture import MAX_NODES, Edge, Node, Picture, positions

PICTURE = Picture(
    'a "title"',
    [Node("a", 'An "end"] <b>', "Service"), Node("b", "`B`")],
    [Edge("a", "depends_on", "b", "it <needs> it", "notes.md:3"), Edge("a", "uses", "b")],
)


def test_names_cannot_end_a_node_of_mermaid_or_a_tag_of_a_page() -> None:
    assert mermaid(PICTURE).splitlines() == [
        "flowchart LR",
        '  n0["An #34;end#34;#93; #60;b#62;<br/><i>Service</i>"]',
        '  n1["#96;B#96;"]',
        '  n0 -->|"depends_on, uses"| n1',
    ]
    text = "\n".join(page(PICTURE))
    assert "<q>it &lt;needs&gt; it</q> notes.md:3" in text
    assert "<b>" not in text.lower().replace("<body>", "")


def test_a_large_picture_draws_the_first_nodes_and_counts_the_others_the_same_way_each_time() -> None:
    nodes = [Node(str(at), f"n{at}") for at in range(MAX_NODES + 5)]
    picture = Picture("large", nodes, [Edge("0", "to", str(at)) for at in range(1, len(nodes))])

    assert mermaid(picture).splitlines()[-1] == "  %% not drawn: 5 more"
    drawn, edges = picture.drawn
    places = positions(drawn, edges)
    assert (places == positions(drawn, edges)).all()
    assert places.min() >= 0
    assert places.max() <= 1
