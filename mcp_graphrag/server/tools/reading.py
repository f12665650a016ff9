"""The tools that read."""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from mcp_graphrag.model import Direction
from mcp_graphrag.pipeline import describe
from mcp_graphrag.resolve.in_force import names_in_force
from mcp_graphrag.retrieve import entities, neighbourhood, triples
from mcp_graphrag.retrieve.asked import waiting_in_words
from mcp_graphrag.server.answers import (
    EntitiesAnswer,
    GraphAnswer,
    NeighbourhoodAnswer,
    SourceAnswer,
    TriplesAnswer,
)
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import (
    AROUND,
    LONGEST_VALUE,
    clipped,
    cost,
    document_out,
    entity_out,
    neighbour_out,
    pairs_within,
    read_cursor,
    triple_out,
    within_budget,
    write_cursor,
)
from mcp_graphrag.server.tools.arguments import (
    AsOf,
    KnownAt,
    Name,
    OptionalName,
    OptionalType,
    Predicates,
    when,
)
from mcp_graphrag.store.citation import find_cited


def find_entities(
    call: Call,
    query: Annotated[str, Field(description="A name, part of one, or something like it; empty lists the hubs.")],
    type: OptionalType = None,
    limit: Annotated[int, Field(description="Most entities.", ge=1, le=100)] = 10,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> EntitiesAnswer:
    """Find entities by name, alias, spelling or meaning. Use it when another tool does not know a name."""
    pipeline = call.pipeline
    times = when(as_of, known_at)
    with pipeline.reading(known_at=times.known_at) as tx:
        found = entities.find_entities(
            pipeline.store,
            tx,
            query,
            type=type,
            embedder=pipeline.embedder,
            limit=limit + 1,
            ontology=pipeline.ontology(tx),
            as_of=times.as_of,
        )
    listed, cut = within_budget((entity_out(each) for each in found[:limit]), call.tokens)
    cut = cut or len(found) > limit
    what = "type is stored yet" if type and not query.strip() else "name"
    hint = f"Nothing of that {what}. describe_graph shows what there is." if not found else ""
    return EntitiesAnswer(
        entities=listed, truncated=cut, hint=hint or ("Raise limit or narrow the query." if cut else "")
    )


def query_triples(
    call: Call,
    subject: OptionalName = None,
    predicate: Annotated[str | None, Field(description="Predicate, any spelling; see describe_graph.")] = None,
    object: OptionalName = None,
    subject_type: OptionalType = None,
    object_type: OptionalType = None,
    limit: Annotated[int, Field(description="Most triples.", ge=1, le=500)] = 20,
    cursor: Annotated[str | None, Field(description="next_cursor of the answer before.")] = None,
    infer: Annotated[bool, Field(description="Add what follows by the ontology, marked.")] = True,  # noqa: FBT002
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> TriplesAnswer:
    """List facts by any of subject, predicate, object and their types, with evidence; none given lists all."""
    pipeline = call.pipeline
    parts = (subject, predicate or None, object, subject_type, object_type)
    marked = (*parts, infer, as_of, known_at)
    after = read_cursor(cursor or "", marked)
    with pipeline.reading() as tx:
        asked = triples.TripleQuery(
            *parts, limit, after, when(as_of, known_at), infer=infer, ontology=pipeline.ontology(tx)
        )
        page = triples.query_triples(pipeline.store, asked)
    listed, cut = within_budget((triple_out(each) for each in page.triples), call.tokens)
    next_after = page.marks[len(listed) - 1] if cut else page.next_after
    more = next_after is not None
    hint = "" if page.triples else "No triple fits. Leave a part out, or see describe_graph for what there is."
    return TriplesAnswer(
        triples=listed,
        truncated=more,
        next_cursor=write_cursor(next_after, marked) if next_after is not None else "",
        hint="There are more: pass next_cursor as cursor." if more else hint,
        notes=list(page.notes),
    )


def get_neighbourhood(
    call: Call,
    entity: Name,
    hops: Annotated[int, Field(description="How far to walk.", ge=1, le=4)] = 2,
    predicates: Predicates = [],  # noqa: B006  (pydantic copies it)
    subject_type: OptionalType = None,
    object_type: OptionalType = None,
    direction: Annotated[Direction, Field(description="out: as subject, in: as object.")] = "both",
    limit: Annotated[int, Field(description="Most triples.", ge=1, le=500)] = 30,
    include_source: Annotated[bool, Field(description="Add the passage behind each piece of evidence.")] = False,  # noqa: FBT002
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> NeighbourhoodAnswer:
    """Walk from an entity: the facts around it, hop by hop, each with its path and evidence.

    Predicates restrict what is walked, types what is shown. A name that is not stored is matched to the nearest one.
    """
    pipeline = call.pipeline
    parts = (entity, hops, predicates, subject_type, object_type, direction, limit)
    with pipeline.reading() as tx:
        asked = neighbourhood.NeighbourhoodQuery(*parts, when(as_of, known_at), pipeline.ontology(tx))
        found = neighbourhood.get_neighbourhood(pipeline.store, pipeline.embedder, asked)
        passage: Callable[[str], str] | None = (lambda cited: find_cited(tx, cited).text) if include_source else None
        outs = (neighbour_out(each, found.start[0], passage) for each in found.neighbours)
        listed, cut = within_budget(outs, call.tokens)
    more = "raise the server's answer_tokens" if cut else "raise limit"
    cut = cut or len(found.neighbours) < found.total or found.cut
    narrower = f"There are more: name predicates, types, a direction or fewer hops, or {more}." if cut else ""
    alone = "It has no triple within reach. Try search for passages that name it." if not found.total else ""
    others = [f"{len(found.start)} entities bear this name; their neighbourhoods are shown together."]
    return NeighbourhoodAnswer(
        entity=found.start[0],
        matched=found.matched,
        total=found.total,
        triples=listed,
        truncated=cut,
        hint=narrower or alone,
        notes=others if len(found.start) > 1 else [],
    )


def get_source(
    call: Call,
    citation: Annotated[str, Field(description="A citation from an answer, or a document's uri.", min_length=1)],
) -> SourceAnswer:
    """Read the passage behind a citation, or a whole document by its uri, even if it was replaced since."""
    with call.pipeline.reading() as tx:
        found = find_cited(tx, citation)
    document = document_out(found.document, full=True)
    headings = list(found.chunks[0].headings) if found.chunks else []
    spent = AROUND + cost(document) + 3 * cost([citation, *headings])
    text, cut = clipped(found.text, max(call.tokens - spent, LONGEST_VALUE // 2))
    shown = len(text) - 2 if cut else len(text)
    rest = f"{found.document.uri}#chunk:{found.start + shown}-{found.end}"
    return SourceAnswer(
        citation=citation,
        document=document,
        text=text,
        span=[found.start, found.start + shown],
        headings=headings,
        truncated=cut,
        hint=f"Read on with get_source {rest}" if cut else "",
        notes=["The document was replaced or removed since."] if found.document.retired_at else [],
    )


def describe_graph(call: Call, as_of: AsOf = None, known_at: KnownAt = None) -> GraphAnswer:
    """See what the graph holds: counts by type and predicate, documents, embedder. Call it first."""
    pipeline = call.pipeline
    with pipeline.reading() as tx:
        found = describe.describe_graph(pipeline.store, when=when(as_of, known_at))
        ontologies = names_in_force(tx, pipeline.settings.ontology)
    empty = (
        "It is empty. ingest takes texts and files, add_triples takes facts."
        if not any((found.counts.documents, found.counts.triples))
        else ""
    )
    types, fewer_types = pairs_within(found.types, call.tokens // 4)
    predicates, fewer_predicates = pairs_within(found.predicates, call.tokens // 4)
    documents, _ = within_budget((document_out(each) for each in found.documents), call.tokens // 3)
    lacking = call.app.background.lacking if known_at is None and found.chunks_awaiting_embedding else ""
    notes = {
        f"{waiting_in_words(found.chunks_awaiting_embedding)}: {lacking}": bool(lacking),
        f"Of {len(found.types)} types the {len(types)} commonest are listed.": fewer_types,
        f"Of {len(found.predicates)} predicates the {len(predicates)} commonest are listed.": fewer_predicates,
        f"Of {found.counts.documents} documents the newest {len(documents)} are listed; `mcp-graphrag documents`"
        " lists all.": found.counts.documents > len(documents),
    }
    return GraphAnswer(
        documents=found.counts.documents,
        chunks=found.counts.chunks,
        entities=found.counts.entities,
        triples=found.counts.triples,
        types=types,
        predicates=predicates,
        extractors=dict(found.extractors),
        embedder=f"{found.embedder.name}/{found.embedder.dimension}" if found.embedder else pipeline.embedder.name,
        ontologies=ontologies,
        recent_documents=documents,
        chunks_awaiting_embedding=found.chunks_awaiting_embedding,
        chunks_awaiting_extraction=found.chunks_awaiting_extraction,
        truncated=fewer_types or fewer_predicates or found.counts.documents > len(documents),
        hint=empty,
        notes=[note for note, said in notes.items() if said],
    )
