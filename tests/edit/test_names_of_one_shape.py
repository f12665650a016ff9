"""Names that differ in few characters are different entities, also where names are looked up in memory."""

from itertools import product

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate


def test_names_that_differ_in_two_digits_are_different_entities(graph: Graph) -> None:
    # DuckDB's own hash of texts is the same for a sixth of these.
    names = [f"client {first} write {second}" for first, second in product(range(10), repeat=2)]
    graph.add_triples([Candidate("Ann Lee", "knows", "Bob Ray")])
    assert graph.check_claim("Ann Lee knows Bob Ray").verdict == "supported"  # loads the names

    for at in range(0, 100, 10):
        graph.add_triples([Candidate(name, "knows", "Bob Ray") for name in names[at : at + 10]])

    assert {found.entity.name for found in graph.find_entities("", limit=200)} == {"Ann Lee", "Bob Ray", *names}
