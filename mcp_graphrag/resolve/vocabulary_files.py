"""Ontologies read from TOML or JSON, those that ship included, checked whole before any is used."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from mcp_graphrag.resolve.ontology import SHIPPED, Ontology, PredicateRule, Signature, TypeRule, combined
from mcp_graphrag.resolve.vocabulary import canonical_predicate, canonical_type
from mcp_graphrag.store.entities import type_key

FLAGS = ("symmetric", "transitive", "functional", "dependency")
LISTS = ("opposites", "lexicon", "swapped_lexicon")


@cache
def shipped_ontology(name: str) -> Ontology:
    """One of the ontologies that ship (see `SHIPPED`)."""
    text = files("mcp_graphrag.resolve").joinpath("ontologies", f"{name}.toml").read_text("utf-8")
    return read_ontology(tomllib.loads(text))


def shipped_ontologies() -> Mapping[str, Ontology]:
    """All of them by name."""
    return {name: shipped_ontology(name) for name in SHIPPED}


@cache
def default_ontology() -> Ontology:
    """All that ship, in force together."""
    return combined(shipped_ontologies().values())


def read_ontology(tables: Mapping[str, Any]) -> Ontology:
    """The ontology that parsed TOML or JSON describes."""
    types = {type_key(name): _type_rule(name, table) for name, table in tables.get("types", {}).items()}
    rules = {rule.name: rule for rule in (_predicate_rule(*each) for each in tables.get("predicates", {}).items())}
    for rule in list(rules.values()):
        for each in rule.signatures:
            # A predicate that is only named as an inverse is one all the same.
            if each.inverse and each.inverse not in rules:
                rules[each.inverse] = PredicateRule(each.inverse, signatures=(Signature(each.range, each.domain),))
    return Ontology(types, rules, tables.get("description") or "")


def written_ontology(ontology: Ontology) -> dict[str, Any]:
    """An ontology as the tables that `read_ontology` reads; what is empty is left out."""
    tables = {
        "description": ontology.description,
        "types": {rule.name: _filled(_type_table(rule)) for rule in ontology.types.values()},
        "predicates": {name: _filled(_predicate_table(rule)) for name, rule in ontology.predicates.items()},
    }
    return _filled(tables)


def _filled(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value}


def _type_table(rule: TypeRule) -> dict[str, Any]:
    listed = {"subclass_of": list(rule.subclass_of), "disjoint_with": list(rule.disjoint_with)}
    return {"description": rule.description, **listed}


def _predicate_table(rule: PredicateRule) -> dict[str, Any]:
    flags_and_lists = {key: getattr(rule, key) for key in FLAGS} | {key: list(getattr(rule, key)) for key in LISTS}
    return {"description": rule.description, **_ends_table(rule.signatures), **flags_and_lists}


def _ends_table(signatures: Sequence[Signature]) -> dict[str, Any]:
    inverses = {each.inverse for each in signatures}
    if len(signatures) == 1:
        (only,) = signatures
        return {"domain": only.domain, "range": only.range, "inverse": only.inverse}
    if len(inverses) > 1:
        return {"signatures": [[each.domain or "", each.range or "", each.inverse or ""] for each in signatures]}
    return {"signatures": [[each.domain or "", each.range or ""] for each in signatures], "inverse": inverses.pop()}


def _type_rule(name: str, table: Mapping[str, Any]) -> TypeRule:
    return TypeRule(
        canonical_type(name),
        _several(table.get("subclass_of", ())),
        table.get("description") or "",
        _several(table.get("disjoint_with", ())),
    )


def _predicate_rule(name: str, table: Mapping[str, Any]) -> PredicateRule:
    inverse = canonical_predicate(table["inverse"]) if table.get("inverse") else None
    ends = table.get("signatures") or [(table.get("domain"), table.get("range"))]
    # A third name in a signature is the inverse of that one alone.
    said = [(domain, range_, canonical_predicate(own[0]) if own else inverse) for domain, range_, *own in ends]
    return PredicateRule(
        canonical_predicate(name),
        table.get("description") or "",
        tuple(Signature(domain or None, range_ or None, turned or None) for domain, range_, turned in said),
        **{flag: bool(table.get(flag)) for flag in FLAGS},
        opposites=tuple(canonical_predicate(each) for each in _several(table.get("opposites", ()))),
        lexicon=_several(table.get("lexicon", ())),
        swapped_lexicon=_several(table.get("swapped_lexicon", ())),
    )


def _several(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
