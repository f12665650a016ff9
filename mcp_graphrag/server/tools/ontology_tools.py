"""Ontologies: list, show, add and remove them."""

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.ontology.edit_ontologies import ListedOntology
from mcp_graphrag.ontology.ontology_files import ontology_tables
from mcp_graphrag.ontology.validate_ontology import parse_tables
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import pairs_within, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer, Listing

Action = Literal["list", "show", "add", "remove"]
INACTIVE = "It is not in force: name it in the setting ontology."
ACTIVE = "It applies to documents from now on; those read before keep what was found then."
BODY = (
    "With add: description, types {NAME: {subclass_of, disjoint_with, description}}, predicates {NAME: {domain, range"
    " or signatures, inverse, symmetric, transitive, functional, dependency, opposites, broader, equivalent,"
    " lexicon, swapped_lexicon, description}}."
)


class OntologyOut(Answer):
    """An ontology, with the number of its types and predicates."""

    name: str
    in_force: bool
    origin: Annotated[str, Field(description="ships, own, or ships with additions.")]
    types: int
    predicates: int
    description: str = ""

    def __str__(self) -> str:
        state = "in force" if self.in_force else "not in force"
        about = f": {one_line(self.description)}" if self.description else ""
        return f"{self.name} ({self.origin}, {state}; {self.types} types, {self.predicates} predicates){about}"


class OntologyAnswer(Listing):
    """Ontologies, and with show the body of one."""

    action: Annotated[str, Field(description="list, show, added, replaced, unchanged or removed.")]
    strict: Annotated[bool, Field(description="Whether other triples are refused.")]
    ontologies: list[OntologyOut]
    body: dict[str, Any] = {}

    def _lines(self) -> list[str]:
        head = {"list": "", "show": ""}.get(self.action, f"{self.action.capitalize()}: ")
        lines = [f"{head}{each}" for each in self.ontologies]
        for section in ("types", "predicates"):
            entries: dict[str, Any] = self.body.get(section, {})
            lines += [f"{section}:"] if entries else []
            lines += [f"  {name} {json.dumps(each, ensure_ascii=False)}" for name, each in entries.items()]
        return lines


def ontology(
    call: Call,
    action: Annotated[Action, Field(description="What to do."), ARGUMENT] = "list",
    name: Annotated[str, Field(description="Name of an ontology.")] = "",
    body: Annotated[dict[str, Any], Field(description=BODY)] = {},
    text: Annotated[str, Field(description="With add: the same as TOML or JSON text.")] = "",
    extend: Annotated[bool, Field(description="With add: add to the ontology of that name.")] = False,
) -> OntologyAnswer:
    """List, show, add or remove ontologies: types and predicates with hierarchy, domain, range, inverses, lexicon."""
    if action != "add" and (body or text or extend):
        raise BadInput(f"body, text and extend belong to add, not to {action}.", "Leave them out, or pass action add.")
    if action == "list":
        if name:
            raise BadInput("list takes no name.", "Pass action show to see one ontology.")
        return _answer(call, "list", call.graph.ontologies())
    if not name and action != "add":
        raise BadInput(f"{action} needs a name.", "The action list shows the names.")
    if action == "add":
        return _added(call, name, body, text, extend=extend)
    if action == "remove":
        removed = call.graph.remove_ontology(name, origin=call.origin("ontology"))
        ships = "What ships stays in force, without your additions."
        return _answer(call, "removed", [removed], hint=ships if removed.ships else "What was stored with it stays.")
    return _shown(call, call.graph.ontology(name))


def _shown(call: Call, found: ListedOntology) -> OntologyAnswer:
    answer = _answer(call, "show", [found])
    written = ontology_tables(found.ontology)
    sections = [(key, *pairs_within(written.get(key, {}), call.tokens // 2)) for key in ("types", "predicates")]
    answer.body = {"description": found.ontology.description, **{key: entries for key, entries, _ in sections}}
    answer.truncated = any(fewer for _, _, fewer in sections)
    answer.hint = "It is longer: raise the server's answer_tokens to see all." if answer.truncated else answer.hint
    return answer


def _added(call: Call, name: str, body: dict[str, Any], text: str, *, extend: bool) -> OntologyAnswer:
    if bool(body) == bool(text.strip()):
        raise BadInput("Give either body or text.", "Call again with the ontology in one of them.")
    tables = body or parse_tables(text)
    added = call.graph.add_ontology(name, tables, extend=extend, origin=call.origin("ontology"))
    hint = ACTIVE if added.listed.in_force else INACTIVE
    if (before := added.replaced) is not None:
        had = f"{len(before.ontology.types)} types and {len(before.ontology.predicates)} predicates"
        hint = f"It replaced one with {had}: `forget` with undo 1 brings that back, extend adds to it. {hint}"
        return _answer(call, "replaced", [added.listed], hint=hint)
    action = "added" if added.changed else "unchanged"
    return _answer(call, action, [added.listed], hint=hint if added.changed else "")


def _answer(call: Call, action: str, found: list[ListedOntology], *, hint: str = "") -> OntologyAnswer:
    outs = (
        OntologyOut.of(
            each,
            origin="ships with additions" if each.ships and each.own else "ships" if each.ships else "own",
            types=len(each.ontology.types),
            predicates=len(each.ontology.predicates),
            description=each.ontology.description,
        )
        for each in found
    )
    listed, cut = within_budget(outs, call.tokens)
    strict = call.graph.settings.strict
    return OntologyAnswer(action=action, strict=strict, ontologies=listed, truncated=cut, hint=hint)


ONTOLOGY = Tool(
    ontology, "List, show, add or remove ontologies", "ontology", "admin", reads=False, settings=("ontology", "strict")
)
