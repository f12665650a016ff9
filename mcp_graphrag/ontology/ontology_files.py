"""Ontologies to and from tables of TOML or JSON, the shipped ones included."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from mcp_graphrag.ontology.map_predicates import canonical_predicate, canonical_type
from mcp_graphrag.ontology.ontology import SHIPPED, Ontology, PredicateRule, Signature, TypeRule, combine
from mcp_graphrag.store.rows.entity_rows import type_key

FLAGS = ("symmetric", "transitive", "functional", "dependency")
LISTS = ("opposites", "lexicon", "swapped_lexicon")


@cache
def shipped_ontology(name: str) -> Ontology:
    """One of the shipped ontologies (see `SHIPPED`)."""
    text = files("mcp_graphrag.ontology").joinpath("shipped", f"{name}.toml").read_text("utf-8")
    return read_ontology(tomllib.loads(text))


def shipped_ontologies() -> Mapping[str, Ontology]:
    """All shipped ontologies by name."""
    return {name: shipped_ontology(name) for name in SHIPPED}


@cache
def default_ontology() -> Ontology:
    """All shipped ontologies combined."""
    return combine(shipped_ontologies().values())


def read_ontology(tables: Mapping[str, Any]) -> Ontology:
    """The ontology that parsed TOML or JSON describes."""
    types = {type_key(name): _type_rule(name, table) for name, table in tables.get("types", {}).items()}
    rules = {rule.name: rule for rule in (_predicate_rule(*entry) for entry in tables.get("predicates", {}).items())}
    for rule in list(rules.values()):
        for signature in rule.signatures:
            # A predicate that is only named as an inverse is declared by that.
            if signature.inverse and signature.inverse not in rules:
                rules[signature.inverse] = PredicateRule(
                    signature.inverse, signatures=(Signature(signature.range, signature.domain),)
                )
    return Ontology(types, rules, tables.get("description") or "")


def ontology_tables(ontology: Ontology) -> dict[str, Any]:
    """An ontology as tables for `read_ontology`, without empty values."""
    tables = {
        "description": ontology.description,
        "types": {rule.name: _without_empty(_type_table(rule)) for rule in ontology.types.values()},
        "predicates": {name: _without_empty(_predicate_table(rule)) for name, rule in ontology.predicates.items()},
    }
    return _without_empty(tables)


def _without_empty(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value}


def _type_table(rule: TypeRule) -> dict[str, Any]:
    listed = {"subclass_of": list(rule.subclass_of), "disjoint_with": list(rule.disjoint_with)}
    return {"description": rule.description, **listed}


def _predicate_table(rule: PredicateRule) -> dict[str, Any]:
    flags_and_lists = {key: getattr(rule, key) for key in FLAGS} | {key: list(getattr(rule, key)) for key in LISTS}
    return {"description": rule.description, **_ends_table(rule.signatures), **flags_and_lists}


def _ends_table(signatures: Sequence[Signature]) -> dict[str, Any]:
    inverses = {signature.inverse for signature in signatures}
    if len(signatures) == 1:
        (only,) = signatures
        return {"domain": only.domain, "range": only.range, "inverse": only.inverse}
    if len(inverses) > 1:
        return {"signatures": [[end.domain or "", end.range or "", end.inverse or ""] for end in signatures]}
    return {"signatures": [[end.domain or "", end.range or ""] for end in signatures], "inverse": inverses.pop()}


def _type_rule(name: str, table: Mapping[str, Any]) -> TypeRule:
    return TypeRule(
        canonical_type(name),
        _as_tuple(table.get("subclass_of", ())),
        table.get("description") or "",
        _as_tuple(table.get("disjoint_with", ())),
    )


def _predicate_rule(name: str, table: Mapping[str, Any]) -> PredicateRule:
    inverse = canonical_predicate(table["inverse"]) if table.get("inverse") else None
    ends = table.get("signatures") or [(table.get("domain"), table.get("range"))]
    # A third name in a signature is the inverse of that signature alone.
    signatures = [(domain, range_, canonical_predicate(own[0]) if own else inverse) for domain, range_, *own in ends]
    return PredicateRule(
        canonical_predicate(name),
        table.get("description") or "",
        tuple(Signature(domain or None, range_ or None, inverse_ or None) for domain, range_, inverse_ in signatures),
        **{flag: bool(table.get(flag)) for flag in FLAGS},
        opposites=tuple(canonical_predicate(name) for name in _as_tuple(table.get("opposites", ()))),
        lexicon=_as_tuple(table.get("lexicon", ())),
        swapped_lexicon=_as_tuple(table.get("swapped_lexicon", ())),
    )


def _as_tuple(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
