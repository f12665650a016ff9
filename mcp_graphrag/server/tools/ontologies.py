"""The tool that lists, shows, adds and removes ontologies."""

from typing import Annotated, Any, Literal

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.pipeline import ontology as ontologies
from mcp_graphrag.resolve.ontology_check import parse_tables
from mcp_graphrag.resolve.vocabulary_files import written_ontology
from mcp_graphrag.server.answers.ontology import OntologyAnswer, OntologyOut
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import pairs_within, within_budget

Action = Literal["list", "show", "add", "remove"]
NOT_IN_FORCE = "It is not in force: name it in the setting ontology."
READ_BEFORE = "Documents that were read before keep what was found then; new ones are read with it."


def ontology(
    call: Call,
    action: Annotated[Action, Field(description="What to do.")] = "list",
    name: Annotated[str, Field(description="Name of an ontology.")] = "",
    body: Annotated[
        dict[str, Any],
        Field(
            description="With add: description, types {NAME: {subclass_of, disjoint_with, description}}, predicates"
            " {NAME: {domain, range or signatures, inverse, symmetric, transitive, functional, dependency, opposites,"
            " lexicon, swapped_lexicon, description}}."
        ),
    ] = {},  # noqa: B006  (pydantic copies it)
    text: Annotated[str, Field(description="With add: the same as TOML or JSON text.")] = "",
    extend: Annotated[bool, Field(description="With add: add to the ontology of that name.")] = False,  # noqa: FBT002
) -> OntologyAnswer:
    """See or change the types and predicates in force: hierarchy, domain, range, inverses, words that mean them."""
    if action != "add" and (body or text or extend):
        raise BadInput(f"body, text and extend belong to add, not to {action}.", "Leave them out, or pass action add.")
    if action == "list":
        return _listed(call, name)
    if not name and action != "add":
        raise BadInput(f"{action} needs a name.", "The action list shows the names.")
    if action == "add":
        return _added(call, name, body, text, extend=extend)
    if action == "remove":
        gone = ontologies.remove_ontology(call.pipeline, name, call.origin("ontology"))
        what = "What ships stays in force, without your additions." if gone.ships else "What was stored with it stays."
        return _answer(call, "removed", [gone], hint=what)
    found = ontologies.find_ontology(call.pipeline, name)
    answer = _answer(call, "show", [found])
    written = written_ontology(found.ontology)
    sections = [(key, *pairs_within(written.get(key, {}), call.tokens // 2)) for key in ("types", "predicates")]
    cut = any(fewer for _, _, fewer in sections)
    answer.body = {"description": found.ontology.description, **{key: entries for key, entries, _ in sections}}
    answer.truncated = cut
    answer.hint = "It is longer: raise the server's answer_tokens to see all." if cut else answer.hint
    return answer


def _listed(call: Call, name: str) -> OntologyAnswer:
    if name:
        raise BadInput("list takes no name.", "Pass action show to see one ontology.")
    return _answer(call, "list", ontologies.list_ontologies(call.pipeline))


def _added(call: Call, name: str, body: dict[str, Any], text: str, *, extend: bool) -> OntologyAnswer:
    if bool(body) == bool(text.strip()):
        raise BadInput("Give either body or text.", "Call again with the ontology in one of them.")
    tables = body or parse_tables(text)
    before = next((each for each in ontologies.list_ontologies(call.pipeline) if each.name == name and each.own), None)
    made, changed = ontologies.add_ontology(call.pipeline, name, tables, call.origin("ontology"), extend=extend)
    hint = READ_BEFORE if made.in_force else NOT_IN_FORCE
    if before is not None and changed and not extend:
        had = f"{len(before.ontology.types)} types and {len(before.ontology.predicates)} predicates"
        hint = f"It took the place of one with {had}: undo brings that back, extend adds to it. {hint}"
        return _answer(call, "replaced", [made], hint=hint)
    return _answer(call, "added" if changed else "unchanged", [made], hint=hint if changed else "")


def _answer(call: Call, action: str, found: list[ontologies.Listed], *, hint: str = "") -> OntologyAnswer:
    outs = (
        OntologyOut(
            name=each.name,
            in_force=each.in_force,
            origin="ships with additions" if each.ships and each.own else "ships" if each.ships else "own",
            types=len(each.ontology.types),
            predicates=len(each.ontology.predicates),
            description=each.ontology.description,
        )
        for each in found
    )
    listed, cut = within_budget(outs, call.tokens)
    strict = call.pipeline.settings.strict
    return OntologyAnswer(action=action, strict=strict, ontologies=listed, truncated=cut, hint=hint)
