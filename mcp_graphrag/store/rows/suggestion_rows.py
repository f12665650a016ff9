"""Pairs of entities with similar names, found by common keys in SQL: a million names take seconds."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.embedding_rows import vectors_by_id

# In what way two names are similar, as bits of `hows`.
EQUAL, JOINED, ACRONYM, SPELLING, CONTAINED, INITIALS, MEANING, LEGAL_FORM = (1 << how for how in range(1, 9))
MAX_SMALL = 3_000  # names up to which all with the same first letter are compared
GENERATIONS = r"[0-9]+|\b(?:x{0,3}(?:ix|iv|vi{0,3}|i{1,3})|x{1,3}|jr|sr|junior|senior)\b"
# What tells the members of a series apart: numbers, generations, single letters, months, weekdays, seasons, directions.
MARKS = (
    rf"{GENERATIONS}|\b(?:\p{{L}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|next|early|late|spring|summer|autumn|fall"
    r"|winter|(?:jan|febr?)(?:uary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|(?:nov|dec)(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?"
    r"|(?:north|south|east|west|northeast|northwest|southeast|southwest)(?:ern)?|upper|lower|left|right)\b"
)
# At the end of a normal form, the legal form of a company.
LEGAL_FORM_AT_END = (
    r" (?:inc|incorporated|corp|corporation|ltd|limited|llc|l l c|llp|l l p|lp|gmbh|ag|a g|s ?a|se|plc|company|and co"
    r"|co|kg|kgaa|ag and co kg|n ?v|b ?v|ab|as|asa|a/s|oyj?|s ?p ?a|s\.p\.a|s ?r ?l|sarl|sas|pty|pvt|k ?k)$"
)
# The temporary tables, each with its query.
TABLES = (
    *(("equal_name", "equal_names"), ("acronym", "acronyms"), ("legal_form", "legal_forms")),
    *(("name_key", "name_keys"), ("key_pair", "key_pairs")),
    *(("similar_name", "similar_names"), ("similar_spelling", "similar_spellings"), ("person_name", "person_names")),
)

MARK = re.compile(MARKS.replace(r"\p{L}", r"[^\W\d_]"))


def in_one_series(norm: str, other: str) -> bool:
    """Whether two normal forms differ in a number, date or other mark that tells the members of a series apart."""
    return MARK.findall(norm) != MARK.findall(other)


def name_pairs(tx: Reader, *, persons: Sequence[str], about: Sequence[int] | None) -> dict[str, NDArray[Any]]:
    """Columns a, b, hows, edits, length, share, name, other and types of the pairs with similar names, by id.

    `persons` are the types whose entities may be called by part of their name. With `about`, each pair has one of these
    entities. Pairs that were merged, or marked as distinct, are left out.
    """
    patterns = {"marks": MARKS, "generations": GENERATIONS, "legal_form": LEGAL_FORM_AT_END}
    parameters = {"persons": persons, "about": about, **patterns}
    with ExitStack() as tables:
        count = tables.enter_context(tx.temporary("compared_name", "compared_names", parameters))
        for table, query in TABLES:
            tables.enter_context(tx.temporary(table, query, {**parameters, "small": count <= MAX_SMALL}))
        return tx.columns("suggested_pairs")


def pair_neighbours(tx: Reader, a: Ids, b: Ids) -> dict[str, NDArray[Any]]:
    """Columns a, b, shared, either, linked of those of the pairs with common neighbours or a triple between them."""
    with tx.incoming("incoming_pair", {"a": a, "b": b}):
        return tx.columns("suggested_neighbours")


def name_vectors(tx: Reader, ids: Ids) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors) of those of the entities that have one."""
    embedded = np.array(tx.rows_by_id("embedded_entities", ids.tolist()), dtype=np.int64).ravel()
    return embedded, vectors_by_id(tx, "entity", embedded)
