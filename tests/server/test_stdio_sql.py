"""Questions about the SQL of a repository over MCP, each answered in one call with file and line."""

from collections.abc import Iterator
from typing import Any

import pytest
from code_helpers import write_files
from served import Asked, served

FILES = {
    "migrations/0001_users.sql": """\
-- The first tables.
CREATE TABLE public.users (
    id bigserial PRIMARY KEY,
    email text NOT NULL
);
CREATE TABLE carts (id int, user_id bigint REFERENCES users (id));
CREATE VIEW emails AS SELECT email FROM users;
""",
    "migrations/0002_phone.sql": """\
ALTER TABLE users
    ADD COLUMN phone text;
CREATE FUNCTION touch() RETURNS trigger AS $$
BEGIN
    UPDATE users SET phone = NULL;
    RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER touched AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION touch();
""",
    "migrations/0010_no_carts.sql": "DROP TABLE carts;\nCREATE OPERATOR ## (leftarg = int);\n",
    "app/queries.sql": "-- name: get_user^\n-- A user by e-mail.\nSELECT * FROM users WHERE email = :email;\n",
    "app/store.py": """\
def find(connection):
    return queries.get_user(connection)


def forget(connection):
    connection.execute(
        "DELETE "
        "FROM users"
    )
""",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("shop")
    write_files(folder, FILES)
    with served(folder / "graph.duckdb", "--toolsets", "all", "--root", str(folder)) as asked:
        report = asked("ingest", paths=[str(folder / "migrations"), str(folder / "app")])
        assert "nothing is read: 1 CREATE OPERATOR." in str(report["warnings"])
        yield asked


def places(answer: dict[str, Any]) -> set[str]:
    """The files and lines of the evidence."""
    return {f"{each['source'].split('/')[-1].split('#')[0]}:{each['line']}" for each in answer["evidence"]}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ({"subject": "users.phone", "predicate": "created_by"}, {"0002_phone.sql:2"}),
        ({"object": "users.phone", "predicate": "creates"}, {"0002_phone.sql:2"}),
        ({"object": "users", "predicate": "reads"}, {"queries.sql:3", "0001_users.sql:7"}),
        ({"object": "users", "predicate": "writes_to"}, {"store.py:8", "0002_phone.sql:5"}),
        ({"object": "get_user", "predicate": "calls"}, {"store.py:2"}),
        ({"object": "touch", "predicate": "calls"}, {"0002_phone.sql:8"}),
        ({"object": "carts", "predicate": "drops"}, {"0010_no_carts.sql:1"}),
        ({"object": "users", "predicate": "alters"}, {"0002_phone.sql:1"}),
    ],
)
def test_a_pattern_is_answered_with_file_and_line(ask: Asked, pattern: dict[str, str], expected: set[str]) -> None:
    assert places(ask("query_triples", **pattern)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What reads users?", {"queries.sql:3", "0001_users.sql:7"}),
        ("What writes to users?", {"store.py:8", "0002_phone.sql:5"}),
        ("Which migration created users.phone?", {"0002_phone.sql:2"}),
        ("What drops carts?", {"0010_no_carts.sql:1"}),
    ],
)
def test_a_question_is_answered_with_file_and_line(ask: Asked, question: str, expected: set[str]) -> None:
    assert places(ask("plan_question", question=question)) == expected


def test_what_breaks_if_a_table_changes(ask: Asked) -> None:
    affected = {each["entity"]: each["level"] for each in ask("trace_impact", entity="users")["affected"]}
    assert affected == {"emails": 1, "get_user": 1, "store.forget": 1, "touch": 1, "users.touched": 1, "store.find": 2}


def test_the_source_of_a_definition_is_its_statement(ask: Asked) -> None:
    source = ask("get_source", what="touch")
    assert source["text"].startswith("CREATE FUNCTION touch()")
    assert source["text"].endswith("LANGUAGE plpgsql;")
    outline = ask("get_source", what="0001_users.sql", outline=True)["text"].split("\n")
    assert outline[:2] == ["2  CREATE TABLE public.users (", "3    id bigserial PRIMARY KEY,"]
