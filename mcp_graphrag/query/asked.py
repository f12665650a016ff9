"""What is asked and answered, apart from the compiler, which takes a while to load."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp_graphrag.errors import GraphragError

_SKELETON = "Write MATCH (a:Type)-[r:predicate]->(b) WHERE … WITH … RETURN … ORDER BY … SKIP … LIMIT …."


class Refused(GraphragError):
    """A query that is wrong, or that has what is not supported."""

    def __init__(self, fact: str, next_step: str = "") -> None:
        super().__init__(fact, next_step or _SKELETON)

    @staticmethod
    def joined(faults: "Sequence[Refused]") -> "Refused":
        """All faults of a query as one, each with what to do, once."""
        said = dict.fromkeys(each for fault in faults for each in (fault.fact, fault.hint) if each != _SKELETON)
        *facts, last = said
        return Refused(" ".join(facts), last) if len({*map(str, faults)}) > 1 else faults[0]


@dataclass(frozen=True)
class GraphQuery:
    """A query in a read-only subset of openCypher, with its parameters; at most `limit` rows, within `seconds`."""

    cypher: str
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    limit: int = 100
    seconds: float = 2.0


@dataclass(frozen=True)
class GraphRows:
    """The rows of a query, by the names of its columns; `is_cut` says that there are more. `sql` is what was run.

    `notes` say what the query names that the graph has not, or has otherwise.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    is_cut: bool
    sql: str
    notes: Sequence[str] = ()
