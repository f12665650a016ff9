"""What a claim reads of the stored text is kept until the next change, and not longer."""

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph

CLAIM = "Amber Hub is painted in a deep shade of green."


def test_a_changed_document_is_read_anew(graph: Graph) -> None:
    graph.ingest_text(TextInput(CLAIM, uri="memory://hub", title="Hubs"))
    assert [graph.check_claim(CLAIM).verdict for _ in range(2)] == ["supported", "supported"]
    graph.ingest_text(TextInput(f"Status: rejected\n\n{CLAIM}", uri="memory://hub", title="Hubs"))
    assert graph.check_claim(CLAIM).verdict == "unknown"
    graph.ingest_text(TextInput(CLAIM, uri="memory://other", title="Hubs"))
    assert graph.check_claim(CLAIM).verdict == "supported"


def test_a_new_type_is_known_at_once(graph: Graph) -> None:
    graph.ingest_text(TextInput("Amber Hub depends on Redis.", title="Hubs"))
    assert graph.check_claim("Amber Hub is a Junction.").verdict == "unknown"
    graph.add_entities([EntityInput("Amber Hub", type="Junction")])
    assert graph.check_claim("Amber Hub is a Junction.").verdict == "supported"
