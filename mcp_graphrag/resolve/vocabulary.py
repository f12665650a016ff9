"""The spelling in which types and predicates are stored."""

import re

from mcp_graphrag.store.entities import type_key

SHIPPED_TYPES = (
    "Error", "Fix", "Tool", "Session", "Observation", "Reflection", "Learning",
    "Person", "Organization", "Concept", "Document", "Technology", "Location", "Date", "Recommendation",
    "Module", "Class", "Function", "Method", "Framework", "Library",
    "Deployable", "Component", "Microservice", "Service", "Database", "Team", "Cost Center", "Role",
)  # fmt: skip
_SPELLINGS = {type_key(name): name for name in SHIPPED_TYPES}


def canonical_type(type_: str) -> str:
    """The stored spelling of a type: that of the shipped ones ("PERSON" is "Person"), else as given."""
    return _SPELLINGS.get(type_key(type_), type_.strip())


def canonical_predicate(predicate: str) -> str:
    """A predicate in lower snake case ("DEPENDS_ON", "depends on" and "dependsOn" are "depends_on")."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", predicate.strip())
    return re.sub(r"[\W_]+", "_", words.lower()).strip("_")
