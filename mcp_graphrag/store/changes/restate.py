"""A file of an earlier version made current: of which version it is, and triples that have another predicate now."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mcp_graphrag.store.engine.columns import record_columns, row_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.triple_rows import PREDICATES, add_predicates

DERIVED_KEY = "derived"


class Restated(NamedTuple):
    """A stored predicate and the one in its place, some with the ends exchanged.

    With `surface` it is of the triples alone that were said in these words, whoever said them.
    """

    former: str
    predicate: str
    swap: bool
    surface: str | None = None


def derived_version(tx: Reader) -> str:
    """The number that stands for how what is derived from the rows was made; "" before the first."""
    row = tx.row("meta_value", {"key": DERIVED_KEY})
    return str(row[0]) if row else ""


def set_derived(tx: Writer, version: str) -> None:
    """Note that all that is derived was made anew."""
    tx.log_change()
    tx.execute("set_meta", {"key": DERIVED_KEY, "value": version})


def words_of_predicates(tx: Reader, rules: Sequence[str]) -> list[tuple[str, str | None]]:
    """(predicate, words that it was given in or None) of triples in force; those of the extractors `rules` left out."""
    return tx.rows("words_of_predicates", {"rules": rules})


def restate(tx: Writer, restated: Sequence[Restated]) -> int:
    """How many triples were given their other predicate; two of them may say the same now."""
    ids = add_predicates(tx, (name for each in restated for name in (each.former, each.predicate)))
    columns = record_columns(
        _Ids, (_Ids(ids[one.former], ids[one.predicate], one.swap, one.surface) for one in restated)
    )
    with tx.incoming("incoming_predicate", columns):
        found: Iterable[tuple[int, int, bool]] = tx.rows("triples_to_restate")
    triples = list({triple_id: (triple_id, predicate_id, swap) for triple_id, predicate_id, swap in found}.values())
    with tx.incoming("incoming_triple", row_columns({"id": int, "predicate_id": int, "swap": bool}, triples)):
        tx.execute("exchange_names")
        tx.execute("restate_triples")
    with tx.incoming("incoming_predicate", columns):
        tx.execute("delete_predicates")
    tx.forget(PREDICATES)
    return len(triples)


class _Ids(NamedTuple):
    former_id: int
    predicate_id: int
    swap: bool
    surface: str | None
