"""Exports of graph memories to entities, triples and texts; which program made one shows in its keys."""

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest.data.json_values import Json, list_of, object_of, objects_of, text_of
from mcp_graphrag.ingest.data.read_json import parse_values
from mcp_graphrag.model import Candidate, naive_utc

ENTITIES_AGAIN = "entities that were there already, their observations joined"
OBSERVATIONS_AGAIN = "observations that the entity had already"
RELATIONS_AGAIN = "relations that were there already"
FORMATS = (
    "memory.jsonl or read_graph of the MCP memory server, Neo4j (apoc.export.json), MemoryGraph (export --format json),"
    " graphify (graph.json), mem0 (get_all), and a folder of basic-memory"
)
MAX_KEY = 40  # characters of the name of a property that are shown
MAX_LINES = 5  # that are named by their numbers
_GENERAL_LABELS = frozenset({"entity", "memory", "__entity__", "__kgbuilder__", "node"})
_NAMED = ("name", "title", "label")
_READ_OF_NODES = frozenset({*_NAMED, "type", "content", "summary", "description", "observations"})
_READ_OF_RELATIONS = frozenset({"name", "fact", "context", "confidence", "valid_at", "invalid_at"})
_READ_OF_MEMORIES = frozenset({"id", "type", "title", "content", "summary"})
_OWNERS = ("user_id", "agent_id", "app_id", "run_id")  # of a memory of mem0, of which the first given counts
_UNSURE = {"INFERRED": 0.5, "AMBIGUOUS": 0.2}  # where a link of graphify has no number
_OTHER_LINES = "lines that are no entity or relation"
_WITHOUT_NAME = "nodes without a name"


@dataclass(frozen=True)
class MemoryEntity:
    """An entity of a memory with what was observed of it, each a text."""

    name: str
    type: str
    observations: Sequence[str] = ()


@dataclass
class MemoryFile:
    """The entities and triples of a memory, and texts that are no entity by title; `left_out` counts by reason."""

    format: str
    entities: list[MemoryEntity] = field(default_factory=list[MemoryEntity])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    texts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    left_out: Counter[str] = field(default_factory=Counter[str])


def read_memory(text: str) -> MemoryFile:
    """The content of an export. Raises BadInput where it is of none of the `FORMATS`."""
    values = parse_values(text, apart=False)
    return joined(_of_lines(text) if values is None else _of_values(values))


def _of_lines(text: str) -> MemoryFile:
    """The content of JSON lines some of which are no JSON, as where a write was cut off."""
    parsed = {at: parse_values(line, apart=False) for at, line in enumerate(text.split("\n"), start=1) if line.strip()}
    found = _of_values([value for values in parsed.values() if values for value in values])
    damaged = [str(at) for at, values in parsed.items() if values is None]
    more = ["…"] if len(damaged) > MAX_LINES else []
    found.left_out[f"lines that are not JSON ({', '.join([*damaged[:MAX_LINES], *more])})"] += len(damaged)
    return found


def _of_values(values: Sequence[Any]) -> MemoryFile:
    first = object_of(values[0] if values else None)
    if "memories" in first and "relationships" in first:
        return _memory_graph(first)
    if len(values) == 1 and isinstance(first.get("nodes"), list | dict) and "rels" in first:
        return _neo4j([*_members(first["nodes"]), *_members(first["rels"])])
    if {"entities", "relations"} <= first.keys():  # as its tool read_graph answers
        kinds = (("entity", "entities"), ("relation", "relations"))
        values = [{**each, "type": kind} for kind, key in kinds for each in _members(first[key])]
    if isinstance(first.get("nodes"), list) and ("links" in first or "edges" in first):
        return _graphify(first)
    listed = list_of(values[0]) if len(values) == 1 and isinstance(values[0], list) else values
    items = objects_of(listed)
    memories = objects_of(first.get("results")) or items
    if memories and all(text_of(each.get("memory")) for each in memories):
        return _mem0(memories, objects_of(first.get("relations")))
    types = {text_of(item.get("type")) for item in items}
    if types & {"node", "relationship"}:
        found = _neo4j(items)
    elif types & {"entity", "relation"}:
        found = _memory_server(items)
    else:
        raise BadInput("The file is no export of a graph memory.", f"Known are {FORMATS}.")
    found.left_out[_OTHER_LINES] += len(listed) - len(items)
    return found


def _memory_server(items: Sequence[Json]) -> MemoryFile:
    """The lines of `memory.jsonl`: entities with observations, and relations between them by name."""
    found = MemoryFile("MCP memory server")
    for item in items:
        kind, name = text_of(item.get("type")), _name_of(item.get("name"))
        if kind == "entity" and name:
            observations = _texts_of(item.get("observations"))
            found.entities.append(MemoryEntity(name, text_of(item.get("entityType")), observations))
            given = max(len(list_of(item.get("observations"))), len(observations))
            found.left_out["observations without a text"] += given - len(observations)
        elif kind == "relation":
            ends = [MemoryEntity(_name_of(item.get(end)), "") for end in ("from", "to")]
            _add_triple(found, ends[0], text_of(item.get("relationType")), ends[1])
        else:
            found.left_out[_OTHER_LINES] += 1
    return found


def _neo4j(items: Sequence[Json]) -> MemoryFile:
    """Nodes with a name as entities, nodes with a text as texts, and relationships between entities as triples.

    A relationship RELATES_TO with a name of its own is that relation, as Graphiti has it.
    """
    found = MemoryFile("Neo4j")
    entities: dict[str, MemoryEntity] = {}
    for node in (item for item in items if item.get("type") == "node"):
        properties = object_of(node.get("properties"))
        _count_unread(found, properties, _READ_OF_NODES)
        name = next((text for key in _NAMED if (text := text_of(properties.get(key)))), "")
        content = text_of(properties.get("content"))
        if not name:
            found.left_out[_WITHOUT_NAME] += 1
        elif content:
            found.texts.append((name, content))
        else:
            summary = [text_of(properties.get(key)) for key in ("summary", "description")]
            observations = [*_texts_of(properties.get("observations")), *filter(None, summary)]
            entity = entities[str(node.get("id"))] = MemoryEntity(name, _label(node, properties), observations)
            found.entities.append(entity)
    for relation in (item for item in items if item.get("type") == "relationship"):
        properties = object_of(relation.get("properties"))
        _count_unread(found, properties, _READ_OF_RELATIONS)
        ends = [entities.get(str(object_of(relation.get(end)).get("id"))) for end in ("start", "end")]
        label = text_of(relation.get("label"))
        own = text_of(properties.get("name")) if label == "RELATES_TO" else ""
        _add_triple(found, ends[0], own or label, ends[1], properties)
    return found


def _label(node: Json, properties: Json) -> str:
    """The type of a node: its first label that says what it is, else its property `type`."""
    labels = [label for label in _texts_of(node.get("labels")) if label.casefold() not in _GENERAL_LABELS]
    return labels[0] if labels else text_of(properties.get("type"))


def _memory_graph(export: Json) -> MemoryFile:
    """Memories as entities by their titles, and the relationships between them."""
    found = MemoryFile("MemoryGraph")
    memories = _members(export["memories"])
    titles = {(text_of(each.get("id")), text_of(each.get("title"))) for each in memories}
    shared = {title for title, count in Counter(title for _, title in titles).items() if count > 1}
    entities: dict[str, MemoryEntity] = {}
    for memory in memories:
        title, id_ = text_of(memory.get("title")), text_of(memory.get("id"))
        if not title:
            found.left_out[_WITHOUT_NAME] += 1
            continue
        _count_unread(found, memory, _READ_OF_MEMORIES)
        name = f"{title} ({id_[:8]})" if title in shared else title
        texts = _texts_of([memory.get(key) for key in ("summary", "content")])
        entities[id_] = MemoryEntity(name, text_of(memory.get("type")), texts)
        found.entities.append(entities[id_])
    for relation in _members(export["relationships"]):
        ends = [entities.get(text_of(relation.get(end))) for end in ("from_memory_id", "to_memory_id")]
        _count_unread(found, object_of(relation.get("properties")), _READ_OF_RELATIONS)
        _add_triple(found, ends[0], text_of(relation.get("type")), ends[1], object_of(relation.get("properties")))
    return found


def _graphify(graph: Json) -> MemoryFile:
    """The nodes and links of graph.json of https://github.com/safishamsi/graphify (docs/how-it-works.md).

    Nodes of one label are told apart by their files.
    """
    nodes, links = objects_of(graph["nodes"]), objects_of(graph.get("links", graph.get("edges")))
    names = Counter(_name_of(node.get("label")) for node in nodes)
    items: list[Json] = []
    for node in nodes:
        name, own = _name_of(node.get("label")), {key: node[key] for key in node.keys() - {"id", "label"}}
        own["name"] = f"{name} ({node.get('source_file') or node.get('id')})" if names[name] > 1 else name
        items.append({"type": "node", "id": node.get("id"), "properties": own})
    for link in links:
        ends = {"start": {"id": link.get("source")}, "end": {"id": link.get("target")}}
        own = {key: link[key] for key in link.keys() - {"source", "target", "relation", "confidence_score"}}
        own["confidence"] = link.get("confidence_score", _UNSURE.get(text_of(link.get("confidence"))))
        items.append({"type": "relationship", "label": link.get("relation"), "properties": own, **ends})
    found = replace(_neo4j(items), format="graphify")
    found.left_out["links of more than two nodes"] += len(objects_of(graph.get("hyperedges")))
    return found


def _mem0(memories: Sequence[Json], relations: Sequence[Json]) -> MemoryFile:
    """The memories of get_all, https://docs.mem0.ai/cookbooks/essentials/exporting-memories, by whose they are."""
    owned = dict[str, list[Any]]()
    for memory in memories:
        owners = (_name_of(memory.get(key)) for key in _OWNERS)
        owned.setdefault(next(filter(None, owners), ""), []).append(memory["memory"])
    texts = [("Memories", text_of(text)) for text in owned.pop("", [])]
    items: list[Json] = [{"type": "entity", "name": name, "observations": said} for name, said in owned.items()]
    for relation in relations:
        ends = {"from": relation.get("source"), "to": relation.get("target") or relation.get("destination")}
        items.append({"type": "relation", "relationType": relation.get("relationship"), **ends})
    found = replace(_memory_server(items), format="mem0", texts=texts)
    for memory in memories:
        _count_unread(found, memory, {"id", "memory", *_OWNERS})
    return found


def _count_unread(found: MemoryFile, properties: Json, read: Set[str]) -> None:
    """Count the properties that have a value and no place in an entity or a triple."""
    for key in properties.keys() - read:
        if properties[key] not in (None, "", [], {}):
            found.left_out[f"properties '{key[:MAX_KEY]}'"] += 1


def _add_triple(
    found: MemoryFile,
    subject: MemoryEntity | None,
    predicate: str,
    object_: MemoryEntity | None,
    properties: Json | None = None,
) -> None:
    """Add a triple with the confidence, the fact and the times that its properties give; count what is incomplete."""
    given: Json = properties or {}
    if not predicate:
        found.left_out["relations without a type"] += 1
        return
    if subject is None or object_ is None or not (subject.name and object_.name):
        found.left_out["relations whose ends are no entities"] += 1
        return
    said: dict[str, Any] = {key: text for key in ("fact", "context") if (text := text_of(given.get(key)))}
    found.triples.append(
        Candidate(
            subject.name,
            predicate,
            object_.name,
            subject.type or None,
            object_.type or None,
            confidence=_share_of(given.get("confidence")),
            valid_from=_moment_of(given.get("valid_at")),
            valid_to=_moment_of(given.get("invalid_at")),
            metadata=said,
        )
    )


def joined(memory: MemoryFile) -> MemoryFile:
    """The memory with each entity (by name and type), observation and triple once; counts the rest."""
    left_out = Counter(memory.left_out)
    observations: dict[tuple[str, str], dict[str, None]] = {}
    for each in memory.entities:
        observations.setdefault((each.name, each.type), {}).update(dict.fromkeys(each.observations))
    entities = [MemoryEntity(name, type_, list(texts)) for (name, type_), texts in observations.items()]
    triples = list({_key(each): each for each in reversed(memory.triples)}.values())[::-1]
    left_out[ENTITIES_AGAIN] += len(memory.entities) - len(entities)
    left_out[OBSERVATIONS_AGAIN] += _observations(memory.entities) - _observations(entities)
    left_out[RELATIONS_AGAIN] += len(memory.triples) - len(triples)
    return MemoryFile(memory.format, entities, triples, memory.texts, +left_out)


def _observations(entities: Sequence[MemoryEntity]) -> int:
    return sum(len(each.observations) for each in entities)


def _key(triple: Candidate) -> tuple[object, ...]:
    ends = triple.subject, triple.subject_type, triple.object, triple.object_type
    return ends, triple.predicate, triple.valid_from, triple.valid_to, str(triple.metadata)


def _texts_of(value: Any) -> list[str]:
    """The texts of a list, or of one that is written as a JSON text, or a text alone, that are not empty."""
    if isinstance(value, str):
        value = (parse_values(value) if value.lstrip().startswith("[") else None) or [value]
        value = value[0] if isinstance(value[0], list) else value
    return [text for item in list_of(value) if (text := text_of(item))]


def _name_of(value: Any) -> str:
    """A text or a number as a name, which is one line; "" for anything else."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _members(value: Any) -> list[Json]:
    """The objects in a list, or the values of an object that are objects."""
    return objects_of(list(object_of(value).values()) or value)


def _share_of(value: Any) -> float:
    """A confidence from 0 to 1; 1 where none is given."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 1.0


def _moment_of(value: Any) -> datetime | None:
    """A time as naive UTC: ISO 8601, or seconds since 1970; None for anything else."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return naive_utc(datetime.fromtimestamp(value, UTC))
        return naive_utc(datetime.fromisoformat(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
