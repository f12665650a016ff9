"""Ontologies of users, validated as a whole before any part is used."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from mcp_graphrag.clean_input import CONTROL
from mcp_graphrag.errors import BadInput
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.ontology.ontology import Ontology, combine
from mcp_graphrag.ontology.ontology_files import FLAGS, LISTS, read_ontology
from mcp_graphrag.store.rows.entity_rows import type_key

MAX_LENGTH = 200_000
MAX_NAME_LENGTH = 100
MAX_ENTRIES = 2_000
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}")

SELF_NAMED = {"opposites": "an opposite of", "broader": "broader than", "equivalent": "equivalent to"}
TOP_KEYS = ("name", "description", "types", "predicates")
TYPE_KEYS = {"description": "text", "subclass_of": "names", "disjoint_with": "names"}
PREDICATE_KEYS = {
    "description": "text",
    "domain": "text",
    "range": "text",
    "inverse": "text",
    "signatures": "signatures",
    **dict.fromkeys(FLAGS, "flag"),
    **dict.fromkeys(LISTS, "names"),
}
EXPECTED = {
    "text": "a text",
    "names": "a name or a list of names",
    "flag": "true or false",
    "signatures": 'a list of [domain, range], "" for any',
}


def parse_tables(text: str) -> dict[str, Any]:
    """The tables of a TOML or JSON text. Raises BadInput if it is neither, or has a key twice."""
    if len(text) > MAX_LENGTH:
        raise BadInput(
            f"The ontology has {len(text)} characters; the most is {MAX_LENGTH}.", "Split it into several ontologies."
        )
    is_json = text.lstrip().startswith("{")
    try:
        return json.loads(text, object_pairs_hook=_unique_keys) if is_json else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BadInput(f"The ontology is neither TOML nor JSON: {error}.", "Fix it there and add it again.") from error


def parse_name(name: str) -> str:
    """The name of an ontology in lower case. Raises BadInput if it is not valid."""
    found = name.strip().lower()
    if not NAME.fullmatch(found):
        raise BadInput(
            f"'{name[:60]}' is not a valid name of an ontology.",
            "Use letters, digits, dots, dashes and underscores, as in pharma.",
        )
    return found


def parse_ontology(tables: Mapping[str, Any]) -> Ontology:
    """The ontology that tables describe. Raises BadInput for an unknown key or a value of the wrong kind."""
    if len(json.dumps(tables, default=str)) > MAX_LENGTH:
        raise BadInput(f"The ontology has more than {MAX_LENGTH} characters.", "Split it into several ontologies.")
    _check_keys("The ontology", tables, TOP_KEYS)
    if not isinstance(tables.get("description", ""), str):
        raise BadInput("The description of the ontology is not text.", "Give one sentence.")
    for section, kinds in (("types", TYPE_KEYS), ("predicates", PREDICATE_KEYS)):
        _check_section(section, tables.get(section, {}), kinds)
    if not tables.get("types") and not tables.get("predicates"):
        raise BadInput("The ontology has neither types nor predicates.", "Add at least one, as in [types.Drug].")
    _check_unique("type", tables.get("types", {}), type_key)
    _check_unique("predicate", tables.get("predicates", {}), canonical_predicate)
    for name, table in tables.get("predicates", {}).items():
        _check_predicate(name, table)
    return read_ontology(tables)


def check_compatible(name: str, ontology: Ontology, others: Mapping[str, Ontology]) -> None:
    """Raise BadInput if an ontology is not compatible with the others: unknown types, cycles, impossible types."""
    everything = combine([*others.values(), ontology])
    for rule in ontology.types.values():
        _check_known(f"The type {rule.name}", (*rule.subclass_of, *rule.disjoint_with), everything, name)
    for predicate in ontology.predicates.values():
        ends = [end for signature in predicate.signatures for end in (signature.domain, signature.range) if end]
        _check_known(f"The predicate {predicate.name}", ends, everything, name)
    for key in ontology.types:
        if cycle := _cycle(key, lambda each: everything.parents.get(each, ())):
            raise BadInput(
                f"The types {' → '.join(everything.spelling(key_) for key_ in cycle)} are a cycle of subclass_of.",
                "Remove one of these subclass_of.",
            )
    for predicate in ontology.predicates:
        if cycle := _cycle(predicate, everything.broader):
            raise BadInput(
                f"The predicates {' → '.join(cycle)} are a cycle of broader.",
                "Remove one of these broader, or declare predicates that mean the same as equivalent.",
            )
    for key, rule in ontology.types.items():
        if everything.are_disjoint(key, key):
            raise BadInput(
                f"No entity can be of type {rule.name}: it is disjoint with itself or with a type above it.",
                "Correct disjoint_with or subclass_of.",
            )


def _unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput(f"The ontology has '{key[:60]}' twice in one table.", "Merge the two entries.")
        found[key] = value
    return found


def _check_keys(where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    if unknown := sorted(set(table) - set(known)):
        raise BadInput(f"{where} has the unknown key '{unknown[0][:60]}'.", f"Known: {', '.join(known)}.")


def _check_section(section: str, entries: Any, kinds: Mapping[str, str]) -> None:
    if not isinstance(entries, dict):
        raise BadInput(f"{section} is not a table.", f"Write [{section}.NAME] in TOML, or an object in JSON.")
    found = cast("dict[str, Any]", entries)
    if len(found) > MAX_ENTRIES:
        raise BadInput(f"{section} has {len(found)} entries; the most is {MAX_ENTRIES}.", "Split the ontology.")
    for name, table in found.items():
        where = f"The {section.removesuffix('s')} {name[:60]}"
        if not isinstance(table, dict):
            raise BadInput(f"{where} is not a table.", f"Its keys are {', '.join(kinds)}; all are optional.")
        if len(name) > MAX_NAME_LENGTH or CONTROL.search(name) or not re.search(r"\w", name):
            raise BadInput(
                f"{where} has no valid name.",
                f"A name has letters or digits, no control characters and at most {MAX_NAME_LENGTH} characters.",
            )
        entry = cast("dict[str, Any]", table)
        _check_keys(where, entry, kinds)
        for key, value in entry.items():
            if not _is_of(kinds[key], value):
                raise BadInput(f"{where}: {key} is {str(value)[:60]!r}.", f"It is {EXPECTED[kinds[key]]}.")


def _is_of(kind: str, value: Any) -> bool:
    if value is None or kind == "flag":
        return value is None or isinstance(value, bool)
    if kind == "text" or isinstance(value, str):
        return kind != "signatures" and isinstance(value, str)
    if not isinstance(value, list):
        return False
    listed = cast("list[Any]", value)
    if kind == "names":
        return all(isinstance(item, str) and item.strip() for item in listed)
    pairs = [cast("list[Any]", item) for item in listed if isinstance(item, list)]
    return len(pairs) == len(listed) > 0 and all(
        len(pair) in {2, 3} and all(end is None or isinstance(end, str) for end in pair) for pair in pairs
    )


def _check_unique(kind: str, names: Iterable[str], key: Any) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if (first := seen.setdefault(key(name), name)) != name:
            raise BadInput(f"The {kind} {name} is declared twice, once as {first}.", "Merge the two entries.")


def _check_predicate(name: str, table: Mapping[str, Any]) -> None:
    own = canonical_predicate(name)
    if "signatures" in table and ("domain" in table or "range" in table):
        raise BadInput(f"The predicate {name} has both signatures and domain or range.", "Keep one of them.")
    if table.get("inverse") and canonical_predicate(table["inverse"]) == own:
        raise BadInput(f"The predicate {name} is an inverse of itself.", "Set symmetric = true instead.")
    for key, what in SELF_NAMED.items():
        others: str | list[str] = table.get(key) or []
        if own in {canonical_predicate(other) for other in ([others] if isinstance(others, str) else others)}:
            raise BadInput(f"The predicate {name} is {what} itself.", f"Remove it from {key}.")


def _check_known(where: str, wanted: Iterable[str], everything: Ontology, name: str) -> None:
    for type_ in wanted:
        if type_key(type_) not in everything.types:
            raise BadInput(
                f"{where} names the type {type_[:60]}, which neither {name} nor another ontology has.",
                "Add it under types, or correct the name.",
            )


def _cycle(start: str, above: Callable[[str], Iterable[str]]) -> list[str]:
    """The names from one back to itself, each with one of those above it next, empty if there is no cycle."""
    seen: set[str] = set()
    waiting = [[start]]
    while waiting:
        path = waiting.pop()
        for name in above(path[-1]):
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                waiting.append([*path, name])
    return []
