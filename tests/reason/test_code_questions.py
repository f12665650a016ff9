"""Questions about source code: where something is defined, and names that are short for several definitions."""

from pathlib import Path

import pytest
from code_helpers import write_files

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.plan_question import PlanQuery

FILES = {
    "app/__init__.py": "x = 1\n",
    "app/core.py": "class Base:\n    def invoke(self): ...\n\n\ndef invoke(): ...\n",
    "app/net/__init__.py": "x = 1\n",
    "app/net/core.py": "from app.core import invoke\n\n\ndef parse_args(): invoke()\n",
}
TWO = "'invoke' is short for 2 entities: app.core.Base.invoke, app.core.invoke. Give the whole name of one."

TWO_FILES = "'core.py' is short for 2 entities: app.core, app.net.core. Give the whole name of one."


@pytest.fixture
def code(graph: Graph, tmp_path: Path) -> Graph:
    write_files(tmp_path, FILES)
    graph.ingest_files([tmp_path])
    return graph


@pytest.mark.parametrize(
    ("question", "answer", "missing"),
    [
        ("Where is parse_args defined?", ["app.net.core"], []),
        ("What calls app.core.invoke?", ["app.net.core.parse_args"], []),
        ("What calls invoke?", [], [TWO]),
        ("Where is invoke defined?", [], [TWO]),
        ("What imports core.py?", [], [TWO_FILES]),
        ("What calls no_such?", [], ["No entity named 'no_such'. Call `find_entities` to look for it."]),
    ],
)  # fmt: skip
def test_questions_about_code_are_answered_or_say_why_not(
    code: Graph, question: str, answer: list[str], missing: list[str]
) -> None:
    plan = code.plan_question(PlanQuery(question))

    assert (list(plan.answer), list(plan.missing)) == (answer, missing)


SHOP = {
    "shop/till.py": "class TillError(Exception): ...\n\n\nclass Jammed(TillError): ...\n\n\ndef close_till(): ...\n",
    "shop/door.py": "def close_till(): ...\n\n\nclass Log:\n    def calls(self): ...\n",
    "shop/lamp.py": "class Log:\n    def calls(self): ...\n",
}
CLOSE = "'close_till' is short for 2 entities: shop.door.close_till, shop.till.close_till. Give the whole name of one."


def test_what_prose_names_hides_no_definition(graph: Graph, tmp_path: Path) -> None:
    write_files(tmp_path, {**SHOP, "shop/__init__.py": "x = 1\n"})
    graph.ingest_text(TextInput("`TillError` is raised by `close_till` where the drawer is stuck.", title="Notes"))
    graph.ingest_files([tmp_path / "shop"])

    assert list(graph.plan_question("Which classes extend TillError?").answer) == ["shop.till.Jammed"]
    affected = graph.trace_impact("TillError").affected
    assert [each.entity.name for each in affected] == ["shop.till.Jammed", "close_till"]  # as the note says
    assert list(graph.plan_question("What calls close_till?").missing)[-1] == CLOSE
    assert graph.plan_question("What calls shut_till?").missing[0].startswith("No entity named 'shut_till'.")


RUST = {
    "backoff/Cargo.toml": '[package]\nname = "backoff"\n[dependencies]\ntokio = "1"\n',
    "backoff/src/lib.rs": "pub mod policy;\npub use policy::Backoff;\n",
    "backoff/src/policy.rs": "pub trait Backoff {}\npub struct Fixed;\nimpl Backoff for Fixed {}\n",
}


def test_what_is_implemented_is_the_trait_and_not_what_has_its_name(graph: Graph, tmp_path: Path) -> None:
    write_files(tmp_path, RUST)
    graph.ingest_files([tmp_path])

    assert list(graph.plan_question("What implements Backoff?").answer) == ["backoff::policy::Fixed"]
    assert list(graph.plan_question("What depends on Backoff?").answer) == []


BACKOFF = {
    "Cargo.toml": '[package]\nname = "backoff"\n',
    "src/lib.rs": "pub mod backoff;\n",
    "src/backoff.rs": "pub trait Backoff {}\npub struct Free {}\npub struct Fixed {}\nimpl Backoff for Fixed {}\n",
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What implements the trait Backoff?", ["backoff::backoff::Fixed"]),
        ("Which classes implement the interface Backoff?", ["backoff::backoff::Fixed"]),
        ("Does Fixed implement Backoff?", ["yes"]),
        ("Does Free implement Backoff?", []),
    ],
)
def test_a_noun_of_the_language_says_what_a_name_is(
    graph: Graph, tmp_path: Path, question: str, answer: list[str]
) -> None:
    write_files(tmp_path, BACKOFF)
    graph.ingest_files([tmp_path])
    assert list(graph.plan_question(PlanQuery(question)).answer) == answer


ERRORS = {
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nsell = "shop.till:sell"\n',
    "shop/__init__.py": "x = 1\n",
    "shop/errors.py": "class Jammed(Exception): ...\n",
    "shop/till.py": "from shop.errors import Jammed\n\n\ndef open_till(): raise Jammed\n\n\ndef sell():\n"
    "    try: open_till()\n    except Jammed: pass\n\n\ndef is_jam(x): return isinstance(x, Jammed)\n",
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What raises Jammed?", ["shop.till.open_till"]),
        ("What catches Jammed?", ["shop.till.sell"]),
        ("What references Jammed?", ["shop.till.is_jam"]),
    ],
)
def test_what_raises_catches_and_refers_to_a_class_is_asked_and_is_impact(
    graph: Graph, tmp_path: Path, question: str, answer: list[str]
) -> None:
    write_files(tmp_path, ERRORS)
    graph.ingest_files([tmp_path])

    assert list(graph.plan_question(PlanQuery(question)).answer) == answer
    affected = {each.entity.name for each in graph.trace_impact("shop.errors.Jammed").affected}
    assert {"shop.till.open_till", "shop.till.sell", "shop.till.is_jam"} <= affected
