"""What source code raises, catches and names without a call."""

from code_helpers import read, triples

ERRORS = """
    class Refused(Exception): ...

    class Late(Refused): ...

    class Color:
        RED = 1

    def refusal(why) -> Refused: ...

    def check(value): ...
    """


def uses(body: str, predicate: str) -> set[str]:
    """What a module raises, catches or refers to."""
    main = f"import errors\nfrom errors import Color, Late, Refused, check, refusal\n{body}"
    found = triples({"pyproject.toml": "[project]", "errors.py": ERRORS, "main.py": main}, predicate)
    return {each.removeprefix("main.").removeprefix("main ") for each in found if each.startswith("main")}


def test_what_is_raised_is_a_class_with_or_without_a_call() -> None:
    assert uses("def a(): raise Late", "raises") == {"a raises errors.Late"}
    assert uses("def a(x):\n  raise errors.Refused(x) from x", "raises") == {"a raises errors.Refused"}
    assert uses("def a(): raise refusal('no')", "raises") == {"a raises errors.Refused"}
    assert uses("def a():\n  it = Late()\n  raise it", "raises") == {"a raises errors.Late"}
    assert uses("def a(): raise ValueError(1)", "raises") == {"a raises ValueError"}
    assert uses("def a(x): raise x", "raises") == set()


def test_what_is_caught_is_each_class_of_the_clause() -> None:
    body = "try: check()\nexcept (errors.Late, KeyError) as error: pass\nexcept Refused: pass"

    assert uses(body, "catches") == {"catches errors.Late", "catches KeyError", "catches errors.Refused"}


def test_a_definition_that_is_named_without_a_call_is_referred_to_unless_more_is_said() -> None:
    assert uses("def a(x): return isinstance(x, (Late, int))", "references") == {"a references errors.Late"}
    assert uses("def a(f=check): return {'b': errors.refusal}", "references") == {
        "a references errors.check",
        "a references errors.refusal",
    }
    assert uses("def a(x): return x == Color.RED", "references") == {"a references errors.Color"}
    assert uses("TABLE = [check]\ndef a(check): return [check]", "references") == {"references errors.check"}
    assert uses("def a(x: Late):\n  check(check)\n  raise Late", "references") == set()


def test_what_is_raised_and_not_certain_is_counted() -> None:
    dropped = [each.dropped for each in read({"pyproject.toml": "[project]", "a.py": "def a(x): raise x"})]

    assert {"exceptions raised that are not certain": 1} in dropped


def test_an_entry_point_of_a_project_refers_to_its_function() -> None:
    files = {
        "pyproject.toml": """
            [project]
            name = "shop-tools"
            dependencies = ["click"]
            [project.scripts]
            sell = "shop.till:sell"
            lost = "shop.till:no_such"
            [project.entry-points."shop.plugins"]
            door = "shop.till:Door.open"
            """,
        "src/shop/till.py": "def sell(): ...\nclass Door:\n  def open(self): ...\n",
    }

    assert triples(files, "references") == {
        "shop-tools references shop.till.sell",
        "shop-tools references shop.till.Door.open",
    }
