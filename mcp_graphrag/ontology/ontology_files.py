"""Ontologies to and from tables of TOML or JSON, the shipped ones included."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from mcp_graphrag.ontology.map_predicates import canonical_predicate, canonical_type
from mcp_graphrag.ontology.ontology import SHIPPED, Ontology, PredicateRule, Signature, TypeRule
from mcp_graphrag.store.rows.entity_rows import type_key

FLAGS = ("symmetric", "transitive", "functional", "dependency")
OTHERS = ("opposites", "broader", "equivalent")  # lists of predicates
LISTS = (*OTHERS, "lexicon", "swapped_lexicon")


@cache
def shipped_ontologies() -> Mapping[str, Ontology]:
    """All shipped ontologies by name."""
    folder = files("mcp_graphrag.ontology").joinpath("shipped")
    texts = {name: folder.joinpath(f"{name}.toml").read_text("utf-8") for name in SHIPPED}
    return {name: read_ontology(tomllib.loads(text)) for name, text in texts.items()}


def read_ontology(tables: Mapping[str, Any]) -> Ontology:
    """The ontology that parsed TOML or JSON describes."""
    types = {type_key(name): _type_rule(name, table) for name, table in tables.get("types", {}).items()}
    rules = {rule.name: rule for rule in (_predicate_rule(*entry) for entry in tables.get("predicates", {}).items())}
    for rule in list(rules.values()):
        for signature in rule.signatures:
            # A predicate that is only named by another one is declared by that.
            if signature.inverse and signature.inverse not in rules:
                rules[signature.inverse] = PredicateRule(
                    signature.inverse, signatures=(Signature(signature.range, signature.domain),)
                )
        for other in (*rule.broader, *rule.equivalent):
            rules.setdefault(other, PredicateRule(other))
    return Ontology(types, rules, tables.get("description") or "")


def ontology_tables(ontology: Ontology) -> dict[str, Any]:
    """An ontology as tables for `read_ontology`, without empty values."""
    tables = {
        "description": ontology.description,
        "types": {rule.name: _rule_table(rule, {}) for rule in ontology.types.values()},
        "predicates": {
            name: _rule_table(rule, _ends_table(rule.signatures)) for name, rule in ontology.predicates.items()
        },
    }
    return _without_empty(tables)


def _without_empty(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value}


def _rule_table(rule: TypeRule | PredicateRule, ends: Mapping[str, Any]) -> dict[str, Any]:
    """A rule with its description, the ends of its signatures, its flags and its lists."""
    rest: dict[str, Any] = {key: value for key, value in vars(rule).items() if key not in {"name", "signatures"}}
    lists = {key: list(cast("tuple[str, ...]", value)) for key, value in rest.items() if isinstance(value, tuple)}
    return _without_empty({"description": rule.description, **ends, **rest, **lists})


def _ends_table(signatures: Sequence[Signature]) -> dict[str, Any]:
    if len(signatures) == 1:
        return vars(signatures[0])
    inverses = {signature.inverse for signature in signatures}
    if len(inverses) > 1:
        return {"signatures": [[end.domain or "", end.range or "", end.inverse or ""] for end in signatures]}
    return {"signatures": [[end.domain or "", end.range or ""] for end in signatures], "inverse": inverses.pop()}


def _type_rule(name: str, table: Mapping[str, Any]) -> TypeRule:
    lists = {key: _as_tuple(table.get(key)) for key in ("subclass_of", "disjoint_with")}
    return TypeRule(canonical_type(name), description=table.get("description") or "", **lists)


def _predicate_rule(name: str, table: Mapping[str, Any]) -> PredicateRule:
    inverse = canonical_predicate(table.get("inverse") or "")
    ends = table.get("signatures") or [(table.get("domain"), table.get("range"))]
    # A third name in a signature is the inverse of that signature alone.
    signatures = [(domain, range_, canonical_predicate(own[0]) if own else inverse) for domain, range_, *own in ends]
    lists: dict[str, Any] = {key: _as_tuple(table.get(key)) for key in LISTS}
    lists |= {key: tuple(map(canonical_predicate, lists[key])) for key in OTHERS}
    return PredicateRule(
        canonical_predicate(name),
        table.get("description") or "",
        tuple(Signature(domain or None, range_ or None, own or None) for domain, range_, own in signatures),
        **{flag: bool(table.get(flag)) for flag in FLAGS},
        **lists,
    )


def _as_tuple(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
