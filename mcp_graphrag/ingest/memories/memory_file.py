"""What an export of a graph memory holds, whatever program made it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from mcp_graphrag.model import Candidate, naive_utc

Json = Mapping[str, Any]
ENTITIES_AGAIN = "entities that were there already, their observations joined"
OBSERVATIONS_AGAIN = "observations that the entity had already"
RELATIONS_AGAIN = "relations that were there already"


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


def text_of(value: Any) -> str:
    """A value that is a text, without space around it; "" for anything else."""
    return value.strip() if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """The texts of a list that are not empty; of anything else none."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [text for item in items if (text := text_of(item))]


def object_of(value: Any) -> Json:
    """A value that is an object, else an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[Json]:
    """The objects in a list, or the values of an object that are objects."""
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    return (
        [object_of(item) for item in cast("list[Any]", value) if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )


def share_of(value: Any) -> float:
    """A confidence from 0 to 1; 1 where none is given."""
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 1.0


def moment_of(value: Any) -> datetime | None:
    """A time as naive UTC: ISO 8601, or seconds since 1970; None for anything else."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return naive_utc(datetime.fromtimestamp(value, UTC))
        return naive_utc(datetime.fromisoformat(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
