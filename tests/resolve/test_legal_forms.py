"""Companies whose names differ in their legal form."""

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.resolve.review import ReviewQuery


def names(graph: Graph) -> list[str]:
    return sorted(each.entity.name for each in graph.find_entities("", limit=50) if "Norda" in each.entity.name)


def suggested(graph: Graph) -> list[tuple[set[str], str]]:
    found = [item.suggestion for item in graph.review(ReviewQuery(kind="merges")).items if item.suggestion]
    return [({each.keep.name, each.merge.name}, each.reasons[0]) for each in found]


def test_the_legal_form_is_part_of_a_name_and_its_lack_a_suggestion(graph: Graph) -> None:
    graph.add_triples(
        [Candidate("Norda Foods Ltd", "founder", "Peer Aas"), Candidate("Norda Foods", "founder", "Liv Moen")]
    )
    assert names(graph) == ["Norda Foods", "Norda Foods Ltd"]
    ((pair, reason),) = suggested(graph)
    assert pair == {"Norda Foods", "Norda Foods Ltd"}
    assert reason.endswith("differ only in the legal form, which one of them leaves out")


def test_two_legal_forms_are_two_companies(graph: Graph) -> None:
    graph.add_triples([Candidate("Norda Ltd", "founder", "Peer Aas"), Candidate("Norda Inc.", "founder", "Peer Aas")])
    assert (names(graph), suggested(graph)) == (["Norda Inc.", "Norda Ltd"], [])


def test_in_one_document_the_name_without_the_form_is_the_same_company(graph: Graph) -> None:
    graph.ingest_text(TextInput("Norda Foods Inc. was founded by Peer Aas. Norda Foods owns Tern Bank.", title="Note"))
    assert names(graph) == ["Norda Foods Inc"]
    assert graph.check_claim("Norda Foods was founded by Peer Aas.").verdict == "supported"
    assert graph.plan_question("Who founded the owner of Tern Bank?").answer == ["Peer Aas"]
