"""What the tool `ontology` answers."""

import json
from typing import Annotated, Any

from pydantic import Field

from mcp_graphrag.server.answers.base import Answer, Listing


class OntologyOut(Answer):
    """An ontology in short."""

    name: str
    in_force: bool
    origin: Annotated[str, Field(description="ships, own, or ships with additions of this file.")]
    types: Annotated[int, Field(description="How many.")]
    predicates: Annotated[int, Field(description="How many.")]
    description: str = ""

    def in_words(self) -> str:
        """One line."""
        state = "in force" if self.in_force else "not in force"
        about = f": {self.description}" if self.description else ""
        return f"{self.name} ({self.origin}, {state}; {self.types} types, {self.predicates} predicates){about}"


class OntologyAnswer(Listing):
    """Ontologies, and with show the one that was asked for."""

    action: Annotated[str, Field(description="list, show, added, unchanged or removed.")]
    strict: Annotated[bool, Field(description="Whether triples outside the ontologies in force are refused.")]
    ontologies: list[OntologyOut]
    body: Annotated[dict[str, Any], Field(description="With show: types and predicates, as add takes them.")] = {}

    def in_words(self) -> str:
        """A line an ontology, then what it says."""
        head = {"list": "", "show": ""}.get(self.action, f"{self.action.capitalize()}: ")
        lines = [f"{head}{each.in_words()}" for each in self.ontologies]
        for section in ("types", "predicates"):
            entries: dict[str, Any] = self.body.get(section, {})
            lines += [f"{section}:"] if entries else []
            lines += [f"  {name} {json.dumps(each, ensure_ascii=False)}" for name, each in entries.items()]
        return "\n".join(lines) + self.footer()
