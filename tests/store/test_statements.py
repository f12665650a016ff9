import re

import pytest

from mcp_graphrag.store.engine.statements import expand_macros, macro_bodies, migrations, statements

MACROS = macro_bodies(
    {
        "same_place(a, b)": "-- Both are at one place.\n{a}.x IS NOT DISTINCT FROM {b}.x",
        "everything()": "-- Matches all.\ntrue",
    }
)


def test_every_statement_has_a_comment() -> None:
    assert [name for name, sql in statements().items() if not sql.startswith("-- ")] == []


def test_calls_of_macros_are_replaced_by_their_bodies() -> None:
    sql = "SELECT max(v.x) FROM v JOIN e ON same_place(v, e) WHERE everything() AND lower(v.name) = 'a'"

    assert expand_macros(sql, MACROS) == (
        "SELECT max(v.x) FROM v JOIN e ON v.x IS NOT DISTINCT FROM e.x WHERE true AND lower(v.name) = 'a'"
    )


def test_a_call_with_the_wrong_number_of_arguments_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        expand_macros("SELECT same_place(v)", MACROS)


def test_no_macro_is_left_in_a_statement() -> None:
    names = ("same_triple", "same_evidence", "holder", "held", "valid_at", "type_key", "document_columns")

    calls = re.compile(rf"\b({'|'.join(names)})\(")
    assert [name for name, sql in statements().items() if calls.search(sql)] == []


def test_a_macro_without_a_signature_is_refused() -> None:
    with pytest.raises(ValueError, match="'same place' is not a signature"):
        macro_bodies({"same place": "-- No parameters.\ntrue"})


def test_migrations_are_numbered_from_one_on() -> None:
    assert [number for number, _ in migrations()] == list(range(1, len(migrations()) + 1))
