"""Ontologies that users give, checked whole before any of it is used."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from mcp_graphrag.errors import BadInput
from mcp_graphrag.resolve.ontology import Ontology, combined
from mcp_graphrag.resolve.vocabulary import canonical_predicate
from mcp_graphrag.resolve.vocabulary_files import FLAGS, LISTS, read_ontology
from mcp_graphrag.store.entities import type_key

LONGEST_TEXT = 200_000
LONGEST_NAME = 100
MOST_ENTRIES = 2_000
PRINTED = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]+")
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}")

TOP = ("name", "description", "types", "predicates")
OF_TYPE = {"description": "text", "subclass_of": "names", "disjoint_with": "names"}
OF_PREDICATE = {
    "description": "text",
    "domain": "text",
    "range": "text",
    "inverse": "text",
    "signatures": "signatures",
    **dict.fromkeys(FLAGS, "flag"),
    **dict.fromkeys(LISTS, "names"),
}
WANTED = {
    "text": "a text",
    "names": "a name or a list of names",
    "flag": "true or false",
    "signatures": 'a list of [domain, range], "" for any',
}


def parse_tables(text: str) -> dict[str, Any]:
    """The tables of TOML or JSON text. Raises BadInput for what is neither, or names a key twice."""
    if len(text) > LONGEST_TEXT:
        raise BadInput(
            f"The ontology has {len(text)} characters; the most is {LONGEST_TEXT}.", "Split it into several ontologies."
        )
    is_json = text.lstrip().startswith("{")
    try:
        return cast("dict[str, Any]", json.loads(text, object_pairs_hook=_unique)) if is_json else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BadInput(f"The ontology is neither TOML nor JSON: {error}.", "Mend it there and add it again.") from error


def checked_name(name: str) -> str:
    """An ontology's name in lower case. Raises BadInput for what makes no name."""
    found = name.strip().lower()
    if not NAME.fullmatch(found):
        raise BadInput(
            f"'{name[:60]}' is no name of an ontology.",
            "Use letters, digits, dots, dashes and underscores, as in pharma.",
        )
    return found


def checked_tables(tables: Mapping[str, Any]) -> Ontology:
    """The ontology that tables describe. Raises BadInput for an unknown key or a value of another kind."""
    if len(json.dumps(tables, default=str)) > LONGEST_TEXT:
        raise BadInput(f"The ontology has more than {LONGEST_TEXT} characters.", "Split it into several ontologies.")
    _known_keys("The ontology", tables, TOP)
    if not isinstance(tables.get("description", ""), str):
        raise BadInput("The description of the ontology is no text.", "Give one sentence.")
    for section, kinds in (("types", OF_TYPE), ("predicates", OF_PREDICATE)):
        _check_section(section, tables.get(section, {}), kinds)
    if not tables.get("types") and not tables.get("predicates"):
        raise BadInput("The ontology has neither types nor predicates.", "Give at least one, as in [types.Drug].")
    _once("type", tables.get("types", {}), type_key)
    _once("predicate", tables.get("predicates", {}), canonical_predicate)
    for name, table in tables.get("predicates", {}).items():
        _check_predicate(name, table)
    return read_ontology(tables)


def check_together(name: str, ontology: Ontology, others: Mapping[str, Ontology]) -> None:
    """Raise BadInput where an ontology does not fit with the others: an unknown type, a cycle, an impossible type."""
    everything = combined([*others.values(), ontology])
    for rule in ontology.types.values():
        _check_known(f"The type {rule.name}", (*rule.subclass_of, *rule.disjoint_with), everything, name)
    for predicate in ontology.predicates.values():
        ends = [end for each in predicate.signatures for end in (each.domain, each.range) if end]
        _check_known(f"The predicate {predicate.name}", ends, everything, name)
    for key in ontology.types:
        if cycle := _cycle(key, everything):
            raise BadInput(
                f"The types {' → '.join(everything.spelling(each) for each in cycle)} are a cycle of subclass_of.",
                "Take one of these subclass_of out.",
            )
    for key, rule in ontology.types.items():
        if everything.are_disjoint(key, key):
            raise BadInput(
                f"Nothing could be of type {rule.name}: it is disjoint with itself or with a type above it.",
                "Mend disjoint_with or subclass_of.",
            )


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput(f"The ontology names '{key[:60]}' twice in one table.", "Join the two entries.")
        found[key] = value
    return found


def _known_keys(where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    if unknown := sorted(set(table) - set(known)):
        raise BadInput(f"{where} has the unknown key '{unknown[0][:60]}'.", f"Known: {', '.join(known)}.")


def _check_section(section: str, entries: Any, kinds: Mapping[str, str]) -> None:
    if not isinstance(entries, dict):
        raise BadInput(f"{section} is no table.", f"Write [{section}.NAME] in TOML, or an object in JSON.")
    found = cast("dict[str, Any]", entries)
    if len(found) > MOST_ENTRIES:
        raise BadInput(f"{section} has {len(found)} entries; the most is {MOST_ENTRIES}.", "Split the ontology.")
    for name, table in found.items():
        where = f"The {section.removesuffix('s')} {name[:60]}"
        if not isinstance(table, dict):
            raise BadInput(f"{where} is no table.", f"Its keys are {', '.join(kinds)}; all may be left out.")
        _check_name(where, name)
        entry = cast("dict[str, Any]", table)
        _known_keys(where, entry, kinds)
        for key, value in entry.items():
            if not _is_of(kinds[key], value):
                raise BadInput(f"{where}: {key} is {str(value)[:60]!r}.", f"It is {WANTED[kinds[key]]}.")


def _is_of(kind: str, value: Any) -> bool:
    if value is None or kind == "flag":
        return value is None or isinstance(value, bool)
    if kind == "text" or isinstance(value, str):
        return kind != "signatures" and isinstance(value, str)
    if not isinstance(value, list):
        return False
    listed = cast("list[Any]", value)
    if kind == "names":
        return all(isinstance(each, str) and each.strip() for each in listed)
    pairs = [cast("list[Any]", each) for each in listed if isinstance(each, list)]
    return len(pairs) == len(listed) > 0 and all(
        len(pair) in {2, 3} and all(end is None or isinstance(end, str) for end in pair) for pair in pairs
    )


def _check_name(where: str, name: str) -> None:
    if len(name) > LONGEST_NAME or not PRINTED.fullmatch(name) or not re.search(r"\w", name):
        raise BadInput(
            f"{where} has no usable name.",
            f"A name has letters or digits, no control characters, at most {LONGEST_NAME}.",
        )


def _once(kind: str, names: Iterable[str], key: Any) -> None:
    seen: dict[str, str] = {}
    for name in names:
        if (first := seen.setdefault(key(name), name)) != name:
            raise BadInput(f"The {kind} {name} stands twice, once as {first}.", "Join the two entries.")


def _check_predicate(name: str, table: Mapping[str, Any]) -> None:
    own = canonical_predicate(name)
    if "signatures" in table and ("domain" in table or "range" in table):
        raise BadInput(f"The predicate {name} has both signatures and domain or range.", "Keep one of them.")
    if table.get("inverse") and canonical_predicate(table["inverse"]) == own:
        raise BadInput(f"The predicate {name} is an inverse of itself.", "Say symmetric = true instead.")
    opposites = table.get("opposites", ())
    if own in {canonical_predicate(each) for each in ([opposites] if isinstance(opposites, str) else opposites or ())}:
        raise BadInput(f"The predicate {name} is an opposite of itself.", "Take it out of opposites.")


def _check_known(where: str, wanted: Iterable[str], everything: Ontology, name: str) -> None:
    for each in wanted:
        if type_key(each) not in everything.types:
            raise BadInput(
                f"{where} names the type {each[:60]}, which neither {name} nor another ontology has.",
                "Add it under types, or correct the name.",
            )


def _cycle(start: str, ontology: Ontology) -> list[str]:
    """The types from one back to itself by subclass_of, empty where there is no way."""
    came: dict[str, str] = {}
    waiting = [start]
    while waiting:
        key = waiting.pop()
        rule = ontology.types.get(key)
        for parent in (type_key(each) for each in (rule.subclass_of if rule else ())):
            if parent == start:
                way = [key]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return [*reversed(way), start]
            if parent not in came:
                came[parent] = key
                waiting.append(parent)
    return []
