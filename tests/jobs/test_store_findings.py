"""What a client found in chunks: stored where the chunk bears it out, else answered with the reason."""

from collections.abc import Iterator

import pytest
from edit_helpers import TEST, present, triples

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.edit.findings_lines import EntityFound, Findings, read_lines
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.store_findings import StoredFindings
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.settings import make_settings
from mcp_graphrag.store.rows.citations import cite_chunk

TEXT = "The Auth Service depends on the\nUser Database. It was built by Maria Keller in 2019."
DEPENDS = "The Auth Service depends on the\nUser Database"
URI = "note:auth"


def citation(graph: Graph, uri: str = URI) -> str:
    """That of the one chunk of a document."""
    return cite_chunk(graph.source(uri).chunks[0])


def store(graph: Graph, *found: Candidate | EntityFound, text: str = TEXT, uri: str = URI) -> StoredFindings:
    """Give back the chunk of a text with what was found in it."""
    graph.ingest_text(TextInput(text, uri=uri), extract="none")
    entities = [each for each in found if isinstance(each, EntityFound)]
    candidates = [each for each in found if isinstance(each, Candidate)]
    return graph.store_findings([Findings(citation(graph, uri), entities, candidates)], origin=TEST)


@pytest.fixture
def strict(graph: Graph, wordllama: Embedder) -> Iterator[Graph]:
    """The same file in strict mode."""
    settings = make_settings(db=graph.store.path, strict=True)
    with Graph(settings, embedders=Embedders(wordllama), shares=graph) as opened:
        yield opened


def depends(quote: str = DEPENDS, confidence: float = 1.0) -> Candidate:
    return Candidate("Auth Service", "depends on", "User Database", quote=quote, confidence=confidence)


def test_a_triple_is_stored_with_its_quote_in_the_chunk_and_the_client(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, uri=URI), extract="none")
    found = Findings(citation(graph), [EntityFound("Auth Service", "Service")], [depends(confidence=0.9)])
    done = graph.store_findings([found], origin=Origin("", "lab/1"))
    assert (done.chunks, done.entities, done.triples, done.dropped) == (1, 2, 1, [])
    (triple,) = graph.query_triples(TripleQuery()).triples
    (evidence,) = triple.evidence
    assert (triple.subject_type, triple.predicate, triple.confidence) == ("Service", "depends_on", pytest.approx(0.9))
    assert (evidence.extractor, evidence.quote, evidence.start) == ("agent", DEPENDS, 0)
    assert evidence.citation == citation(graph)
    with graph.reading() as snapshot:
        assert snapshot.tx.run("SELECT extractor, client FROM sources").fetchall() == [("agent", "lab/1")]


@pytest.mark.parametrize("quote", ["depends on the User Database", "> depends on the\n> User Database"])
def test_white_space_and_signs_of_quotation_in_a_quote_do_not_count(graph: Graph, quote: str) -> None:
    assert store(graph, depends(quote=quote)).dropped == []
    assert graph.query_triples(TripleQuery()).triples[0].evidence[0].quote == "depends on the\nUser Database"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (depends(quote="depends upon the User Database"), "quote not in the chunk"),
        (depends(quote=""), "quote not in the chunk"),
        (depends(confidence=1.5), "confidence out of range"),
        (Candidate("Auth Service", "uses", "Redis", quote=DEPENDS), "an end is not named in the document"),
        (Candidate("Auth Service", "uses", "auth service", quote=DEPENDS), "subject and object are one"),
        (Candidate("Auth Service", "uses", "TBD", quote=DEPENDS), "an end names nothing"),
        (Candidate("Auth Service", "!", "User Database", quote=DEPENDS), "invalid name or predicate"),
        (Candidate("", "uses", "User Database", quote=DEPENDS), "invalid name or predicate"),
        (EntityFound("Redis", "Database"), "name not in the chunk"),
        (EntityFound("Base"), "name not in the chunk"),  # a part of a word
    ],
    ids=lambda each: str(each)[:60],
)
def test_an_item_that_the_chunk_does_not_bear_out_is_dropped_and_the_others_are_stored(
    graph: Graph, wrong: Candidate | EntityFound, reason: str
) -> None:
    done = store(graph, wrong, depends())
    assert [each.reason[: len(reason)] for each in done.dropped] == [reason]
    assert triples(graph) == ["Auth Service depends_on User Database"]


def test_an_entity_may_have_another_name_than_the_chunk_has_for_it(graph: Graph) -> None:
    text = "Keller built it for the mill."
    built = Candidate("Old Mill", "built by", "Maria Keller", quote="Keller built it")
    done = store(
        graph, EntityFound("Maria Keller", "Person", "Keller"), EntityFound("Old Mill", "", "mill"), built, text=text
    )
    assert done.dropped == []
    assert triples(graph) == ["Old Mill built_by Maria Keller"]
    assert "('Maria Keller', 0, 6)" in present(graph)["mentions"]


def test_the_same_again_adds_nothing(graph: Graph) -> None:
    found = EntityFound("Maria Keller", "Person"), depends()
    store(graph, *found)
    before = present(graph)
    again = store(graph, *found)
    assert (again.triples, again.triples_stated, present(graph)) == (0, 1, before)


def test_what_was_dropped_is_stored_when_it_is_mended(graph: Graph) -> None:
    assert len(store(graph, depends(quote="depends"), depends(quote="leans on")).dropped) == 1
    assert store(graph, depends(quote="User Database")).dropped == []
    assert len(graph.query_triples(TripleQuery()).triples[0].evidence) == 2


def test_a_triple_that_several_methods_find_is_one_with_the_evidence_of_each(graph: Graph) -> None:
    text = "The Auth Service depends on the User Database."
    graph.ingest_text(TextInput(text, uri=URI))
    before = graph.describe().counts
    store(graph, depends(quote="depends on"), text=text)
    assert graph.describe().counts == before
    with graph.reading() as snapshot:
        of = "SELECT extractor FROM sources WHERE predicate = 'depends_on' ORDER BY extractor"
        assert snapshot.tx.run(of).fetchall() == [("agent",), ("lite",)]


def test_a_narrower_or_broader_type_of_a_known_name_is_no_other_entity(graph: Graph) -> None:
    for number, type_ in enumerate(("Service", "Component", "Team")):
        text = f"The Auth Service, seen by {number}."
        store(graph, EntityFound("Auth Service", type_), text=text, uri=f"note:{number}")
    with graph.reading() as snapshot:
        of = "SELECT name, type FROM entities ORDER BY id"
        assert snapshot.tx.run(of).fetchall() == [("Auth Service", "Service"), ("Auth Service", "Team")]


def test_edges_are_checked_one_by_one(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, uri=URI), extract="none")
    graph.ingest_text(TextInput("The mill grinds barley.", uri="note:mill"), extract="none")
    edges = [EdgeInput(URI, "note:mill", "depends_on"), EdgeInput(URI, URI, "depends_on"), EdgeInput(URI, "x", "likes")]
    done = graph.store_findings([], edges)
    assert (done.edges, len(done.dropped)) == (1, 2)
    assert done.dropped[0].reason == "Edge 2 leads from a chunk to itself."


def test_a_chunk_of_a_replaced_document_is_dropped(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, uri=URI), extract="none")
    old = citation(graph)
    graph.ingest_text(TextInput(f"Now: {TEXT}", uri=URI), extract="none")
    done = graph.store_findings([Findings(old, (), [depends()]), Findings("note:none#chunk:0-9")])
    reasons = ["The document was replaced or removed since.", "No document named 'note:none'."]
    assert (done.chunks, [each.reason for each in done.dropped], triples(graph)) == (0, reasons, [])


def test_in_strict_mode_what_is_outside_the_ontology_is_dropped_item_by_item(strict: Graph) -> None:
    done = store(
        strict,
        EntityFound("Maria Keller", "Person"),
        EntityFound("User Database", "Bucket"),
        EntityFound("Auth Service", "Service"),
        depends(),
        Candidate("Auth Service", "baffles", "User Database", quote=DEPENDS),
        Candidate("Auth Service", "reports_to", "Maria Keller", quote="built by Maria Keller"),
    )
    assert [each.reason for each in done.dropped] == [
        "type outside the ontology",
        "predicate outside the ontology",
        "against domain and range",
    ]
    assert triples(strict) == ["Auth Service depends_on User Database"]


def test_in_strict_mode_the_type_of_a_stored_entity_counts(graph: Graph, strict: Graph) -> None:
    graph.add_triples([Candidate("Auth Service", "uses", "Redis", subject_type="Service", object_type="Technology")])
    done = store(strict, Candidate("Auth Service", "reports_to", "Maria Keller", quote="built by Maria Keller"))
    assert [each.reason for each in done.dropped] == ["against the types of the stored entities"]


def test_a_triple_between_two_names_of_one_entity_is_answered_as_not_stored(graph: Graph) -> None:
    text = "The Architecture Review Board (ARB) meets in Graz."
    expands = Candidate("ARB", "stands for", "Architecture Review Board", quote="Architecture Review Board (ARB)")
    meets = Candidate("ARB", "meets in", "Graz", quote="meets in Graz")
    done = store(graph, expands, meets, text=text)
    (dropped,) = done.dropped
    assert (dropped.reason, dropped.hint) == ("both ends are names of one entity", "It is found by either name.")
    assert (done.triples, done.triples_stated, triples(graph)) == (1, 1, ["Architecture Review Board meets_in Graz"])


def test_what_only_a_triple_names_is_mentioned_where_the_chunk_has_it(graph: Graph) -> None:
    expands = Candidate("PDP", "stands for", "primary data point", quote="primary data point (PDP)")
    done = store(graph, expands, text="It is stored as a primary data point (PDP).")
    assert len(done.dropped) == 1
    assert graph.verify().problems == []
    assert len(present(graph)["mentions"]) == 2


def test_names_that_differ_in_capitals_are_those_that_the_findings_give(graph: Graph) -> None:
    text = "Moss reads ReST. Fern answers by REST."
    reads = Candidate("Moss", "reads", "ReST", quote="Moss reads ReST")
    answers = Candidate("Fern", "answers by", "REST", quote="Fern answers by REST")
    store(graph, EntityFound("ReST", "Format"), EntityFound("REST", "Protocol"), reads, answers, text=text)
    assert triples(graph) == ["Moss reads ReST", "Fern answers_by REST"]


@pytest.mark.parametrize(
    ("text", "is_named"),
    [("See `Moss`_ and Moss_.", True), ("See _Moss_.", True), ("See __Moss__", True), ("See moss_size.", False)],
)
def test_underscores_of_markup_are_no_part_of_a_name(graph: Graph, *, text: str, is_named: bool) -> None:
    assert (store(graph, EntityFound("Moss"), text=text).dropped == []) == is_named


def give(graph: Graph, lines: str, text: str = TEXT) -> StoredFindings:
    """Give back the chunk of a text with lines."""
    graph.ingest_text(TextInput(text, uri=URI), extract="none")
    (chunk,) = graph.source(URI).chunks
    found, _ = read_lines(f"chunk {chunk.id}\n{lines}")
    return graph.store_findings(found, origin=TEST)


def test_a_known_name_may_be_given_by_its_number_under_any_of_its_names(graph: Graph) -> None:
    graph.add_entities([EntityInput("Maria Keller", "Person", aliases=["MK"])])
    number = graph.find_entities("Maria Keller")[0].entity.id
    done = give(graph, f"#{number} | | built | Auth Service | Service | MK built", "MK built the Auth Service")
    assert done.dropped == []
    assert triples(graph) == ["Auth Service built_by Maria Keller"]


def test_an_end_may_be_named_elsewhere_in_the_document_and_one_of_them_be_known(graph: Graph) -> None:
    graph.add_triples([Candidate("Old Mill", "near", "River")])
    said = "It was built by Maria Keller"
    assert give(graph, f"Auth Service | | built_by | Maria Keller | | {said}\n | | located_in | Old Mill").dropped == []
    (dropped,) = give(graph, f"River | | near | Old Mill | | {said}").dropped
    assert (dropped.item, dropped.reason) == ("line 2", "an end is not named in the document")


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        (
            "Auth Service | | uses | User Database | | It was made by Maria Keller in 2019",
            "It was built by Maria Keller",
        ),
        ("Auth Service | | built_by | Marie Keller | | It was built", "| built_by | Maria Keller | "),
    ],
)
def test_what_is_dropped_comes_back_mended_and_is_stored_then(graph: Graph, line: str, mended: str) -> None:
    (dropped,) = give(graph, line).dropped
    assert mended in dropped.mended
    assert give(graph, dropped.mended).triples == 1


def test_with_strict_the_nearest_predicate_is_proposed(strict: Graph) -> None:
    (dropped,) = give(strict, "Auth Service | Service | depend_upon | User Database | Database | depends on").dropped
    assert dropped.mended == "Auth Service | Service | depends_on | User Database | Database | depends on"


def test_a_chunk_that_is_not_stored_is_dropped_by_its_number(graph: Graph) -> None:
    (dropped,) = graph.store_findings(read_lines("nothing 999")[0]).dropped
    assert (dropped.citation, dropped.reason) == ("999", "No chunk has this number.")
