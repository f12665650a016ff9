"""Triples of SQL: what statements define and use in each dialect, the order of migrations, and strings of code."""

import pytest
from code_helpers import read, triples
from cpu_time import check_linear

from mcp_graphrag.source_code.sql import parse_sql

USERS = "CREATE TABLE public.users (id int PRIMARY KEY, email text);\nCREATE VIEW active AS SELECT * FROM users;\n"


def changes(text: str) -> set[str]:
    """What the statements of a text do to objects."""
    found = [change for each in parse_sql(text).statements for change in each.changes]
    return {f"{each.action} {each.type} {each.name.name}{f' to {each.new}' if each.new else ''}" for each in found}


def uses(text: str) -> set[str]:
    """What the statements of a text use."""
    return {f"{use.relation} {use.name.name}" for each in parse_sql(text).statements for use in each.uses}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "CREATE UNLOGGED TABLE IF NOT EXISTS shop.\"Order\" (key text, CHECK (key <> ')'), total numeric(10, 2));",
            {"creates Table shop.Order", "creates Column shop.Order.key", "creates Column shop.Order.total"},
        ),
        (
            "CREATE TABLE `a` (`id` int COMMENT 'it\\'s; x', KEY `k` (`id`)) ENGINE=InnoDB; DROP TABLE IF EXISTS b, c",
            {"creates Table a", "creates Column a.id", "drops Table b", "drops Table c"},
        ),
        (
            "CREATE TABLE [dbo].[a b] ([id] int)\nGO\nCREATE PROCEDURE p AS BEGIN SELECT 1; END\nGO",
            {"creates Table a b", "creates Column a b.id", "creates Function p"},
        ),
        (
            "DELIMITER //\nCREATE TRIGGER t ON a BEGIN IF 1 THEN x; END IF; DROP VIEW z; END//\nDROP TABLE b",
            {"creates Trigger a.t", "drops Table b"},
        ),
        (
            "ALTER TABLE ONLY a ADD COLUMN b int, ADD CONSTRAINT c CHECK (b > 0), RENAME COLUMN d TO e, DROP f;",
            {"alters Table a", "creates Column a.b", "renames Column a.d to a.e", "drops Column a.f"},
        ),
        ("ALTER TABLE s.a RENAME TO b; ALTER TABLE a OWNER TO me;", {"renames Table s.a to s.b"}),
        ("CREATE TYPE mood AS ENUM ('a'); DROP TRIGGER t ON a;", {"creates DataType mood", "drops Trigger a.t"}),
        ("CREATE TABLE a (x int);\n-- +goose Down\nDROP TABLE a;", {"creates Table a", "creates Column a.x"}),
    ],
)
def test_each_dialect_says_what_it_changes(text: str, expected: set[str]) -> None:
    assert changes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WITH a AS (SELECT x FROM b) SELECT extract(year FROM y) FROM a, c AS d JOIN e ON true;",
         {"reads b", "reads c", "reads e", "calls extract"}),
        ("UPDATE a SET x = 1 FROM b WHERE y IS NOT DISTINCT FROM c; SELECT 1 FROM d FOR UPDATE;",
         {"writes_to a", "reads b", "reads d"}),
        ("DELETE FROM a USING b; INSERT INTO c SELECT f(x) FROM {schema}.d; SELECT 1 FROM %s;",
         {"writes_to a", "reads b", "writes_to c", "calls f", "reads d"}),
        ("CREATE FUNCTION f(a s.kind) RETURNS SETOF t AS $$ BEGIN PERFORM g(); DELETE FROM u; END $$ LANGUAGE plpgsql;",
         {"uses s.kind", "uses t", "calls g", "writes_to u"}),
        ("COPY a (x) FROM stdin;\nSELECT 1 FROM z;\n\\.\nCOPY b TO stdout;", {"writes_to a", "reads b"}),
        ("CREATE TABLE a (x int REFERENCES b, y mood) PARTITION BY RANGE (x);",
         {"uses int", "depends_on b", "uses mood", "calls RANGE"}),
        ("INSERT INTO a VALUES (1, 'b); SELECT 1 FROM z'), (2, '') ON CONFLICT DO UPDATE SET x = 2;", {"writes_to a"}),
    ],
)  # fmt: skip
def test_statements_say_what_they_use(text: str, expected: set[str]) -> None:
    assert uses(text) == expected


def test_what_cannot_be_read_is_counted_and_the_rest_is_read() -> None:
    read_file = parse_sql("CREATE OPERATOR ## (leftarg = int); FROBNICATE it; CREATE TABLE a (x int);")
    assert read_file.unread == {"CREATE OPERATOR": 1, "FROBNICATE IT": 1}
    assert len(read_file.statements) == 1
    assert (
        len(parse_sql("INSERT INTO a VALUES (1, f);\nINSERT INTO a VALUES (2, g);").statements) == 1
    )  # rows after rows


def test_queries_have_the_names_in_front_of_them() -> None:
    named = (
        "-- name: get_user^\n-- One.\nSELECT 1 FROM users;\n\n-- name: AddUser :exec\nINSERT INTO users VALUES (1)\n"
    )
    assert [each.name for each in parse_sql(named).queries] == ["get_user", "AddUser"]
    bare = "-- get_user --\n-- One.\nSELECT 1 FROM users\n\n-- add_user --\nINSERT INTO users VALUES (1)\n"
    assert [each.query and each.query.name for each in parse_sql(bare).statements] == ["get_user", "add_user"]
    assert (
        parse_sql(f"{bare};\nCREATE TABLE a (x int);").queries == parse_sql(f"{bare};\nSELECT 1").queries == []
    )  # of a file with definitions they are comments


def test_a_later_migration_ends_what_an_earlier_one_says() -> None:
    files = {
        "m/2_a.sql": "CREATE FUNCTION f() AS $$ SELECT 1 FROM old $$; CREATE TABLE old (x int, y int);",
        "m/10_b.sql": "ALTER TABLE old RENAME TO new; ALTER TABLE new DROP y;",
        "m/11_c.sql": "CREATE OR REPLACE FUNCTION f() AS $$ SELECT 1 FROM new $$;",
        "m/11_c.down.sql": "DROP TABLE new;",
    }
    found = [triple for each in read(files) for triple in each.triples if triple.predicate in {"contains", "reads"}]
    assert {f"{each.subject} {each.predicate} {each.object}": each.is_over for each in found} == {
        "f reads old": True,
        "f reads new": False,
        "old contains old.x": True,
        "old contains old.y": True,
        "new contains new.x": False,
        "new contains new.y": True,
    }


def test_a_name_without_schema_means_the_only_object_of_that_name() -> None:
    tables = "CREATE TABLE a.users (x int); CREATE TABLE a.jobs (x int); CREATE TABLE b.jobs (x int);"
    found = triples(
        {"t.sql": tables, "q.sql": "SELECT 1 FROM users JOIN jobs;", "r.sql": "SELECT 1 FROM c.users"}, "reads"
    )
    assert found == {"q.sql reads a.users"}


PYTHON = '''
    class User:
        __tablename__ = "users"

    def find(connection, table):
        """select 1 from users in prose"""
        queries.get_user(connection)
        label("Select one from users")
        connection.execute(f"SELECT 1 FROM {table} users WHERE x IN (SELECT 1 FROM active)")
        connection.execute("DELETE\\n" "FROM users"); connection.execute("SELECT 1 FROM elsewhere")
        connection.callproc("touch")
    '''


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("a.py", PYTHON,
         {"a.find reads active", "a.find writes_to users", "a.find calls touch", "a.find calls get_user",
          "a.User uses users"}),
        ("a.ts", "function f(db) { db.query(`SELECT ${x} FROM public.users` + ' JOIN active'); }",
         {"a.f reads users", "a.f reads active"}),
        ("a.go", 'package a\n\nfunc F(db DB) {\n\tdb.Query("UPDATE users " +\n\t\t"SET x = 1")\n}\n',
         {"repo.F writes_to users"}),
        ("A.java", 'class A { void f() { q("select 1\\n" + "from users"); } }', {"repo.A.f reads users"}),
        ("src/lib.rs", 'fn f() { sqlx::query!("INSERT INTO users VALUES (1)"); }', {"repo::f writes_to users"}),
    ],
)  # fmt: skip
def test_strings_link_code_to_what_the_repository_defines(file: str, text: str, expected: set[str]) -> None:
    sql = f"{USERS}CREATE FUNCTION touch() RETURNS int AS $$ $$;"
    found = triples({"schema.sql": sql, "q.sql": "-- name: get_user\nSELECT 1", file: text},
                    "reads", "writes_to", "calls", "uses")  # fmt: skip
    assert found - {"active reads users"} == expected


@pytest.mark.parametrize(
    "part",
    ["INSERT INTO a VALUES (1, 'x');\n", "$a{} ", "select * from (", "/* ", "-- a\n", "create `a`@", "as ("],
)  # fmt: skip
def test_the_time_is_linear_in_the_text(part: str) -> None:
    check_linear(lambda size: parse_sql("".join(part.replace("{}", str(at)) for at in range(size))), 20_000)
