"""Ontologies read from TOML or JSON, those that ship included, checked whole before any is used."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from mcp_graphrag.resolve.ontology import SHIPPED, Ontology, PredicateRule, Signature, TypeRule, combined
from mcp_graphrag.resolve.vocabulary import canonical_predicate, canonical_type
from mcp_graphrag.store.entities import type_key


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
    rules = [_predicate_rule(name, table) for name, table in tables.get("predicates", {}).items()]
    return Ontology(types, {rule.name: rule for rule in rules}, tables.get("description", ""))


def _type_rule(name: str, table: Mapping[str, Any]) -> TypeRule:
    return TypeRule(
        canonical_type(name),
        _several(table.get("subclass_of", ())),
        table.get("description", ""),
        _several(table.get("disjoint_with", ())),
    )


def _predicate_rule(name: str, table: Mapping[str, Any]) -> PredicateRule:
    inverse = canonical_predicate(table["inverse"]) if table.get("inverse") else None
    ends = table.get("signatures") or [(table.get("domain"), table.get("range"))]
    return PredicateRule(
        canonical_predicate(name),
        table.get("description", ""),
        tuple(Signature(domain, range_, inverse) for domain, range_ in ends),
        symmetric=table.get("symmetric", False),
        transitive=table.get("transitive", False),
        functional=table.get("functional", False),
        dependency=table.get("dependency", False),
        opposites=tuple(canonical_predicate(each) for each in _several(table.get("opposites", ()))),
        lexicon=_several(table.get("lexicon", ())),
        swapped_lexicon=_several(table.get("swapped_lexicon", ())),
    )


def _several(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
