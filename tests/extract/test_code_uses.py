"""What source code raises, catches and names without a call."""

import pytest
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


THROWN = {
    "package.json": "{}",
    "src/errors.ts": "export class Broken extends Error {}\n",
    "src/use.ts": """
        import { Broken } from './errors'
        export function go(known: unknown) {
          throw new Broken()
        }
        export const is = (known: unknown) => known instanceof Broken
        """,
    "java/shop/Broken.java": "package shop;\npublic class Broken extends Exception {}\n",
    "java/shop/Use.java": """
        package shop;
        public class Use {
          void go() throws Broken {
            try { throw new Broken(); } catch (Broken known) { throw known; }
          }
        }
        """,
}


def test_scripts_and_java_raise_catch_and_refer_to_classes() -> None:
    assert triples(THROWN, "raises", "catches", "references", "extends") == {
        "src/errors.Broken extends Error",
        "src/use.go raises src/errors.Broken",
        "src/use.is references src/errors.Broken",
        "shop.Use.go raises shop.Broken",
        "shop.Use.go catches shop.Broken",
    }


READING: dict[str, tuple[str, str]] = {
    "python": (
        "a.py",
        """import os


def go():
    del os.environ["E"]
    same = "F" == os.environ
    return os.environ["A_B"], "C" in os.environ, os.environ.get("D", ""), same
""",
    ),
    "script": (
        "a.ts",
        """export function go() {
  const { D } = process.env
  delete process.env.E
  if (process.env.hasOwnProperty('F')) return [process.env.A_B, process.env['C'], D]
}
""",
    ),
    "go": (
        "a.go",
        'package a\n\nimport "os"\n\nfunc go() { os.Getenv("A_B"); os.LookupEnv("C"); os.Getenv("D") }\n',
    ),
    "rust": ("a.rs", 'fn go() { std::env::var("A_B"); env::var("C"); env::var_os("D"); }\n'),
    "java": ("A.java", 'class A { void go() { System.getenv("A_B"); System.getenv("C"); System.getenv("D"); } }\n'),
}


@pytest.mark.parametrize("language", READING)
def test_variables_of_the_environment_are_read_by_name(language: str) -> None:
    name, text = READING[language]
    found = {
        each.partition(" ") for each in triples({name: text, "b.py": 'import os\n\nos.environ["SET"] = "1"\n'}, "reads")
    }

    assert {rest for _, _, rest in found} == {"reads A_B", "reads C", "reads D"}
    assert len({subject for subject, _, _ in found}) == 1
