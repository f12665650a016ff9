import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "mcp_graphrag"
# The façade, long work, what they open.
OPENERS = {"graph", "jobs", "transfer", "verify", "durability", "snapshot.py", "store"}


def test_only_the_facade_and_long_work_open_a_transaction() -> None:
    opening = re.compile(r"\.(?:reading|writing)\(")

    found = {
        str(path.relative_to(PACKAGE)): match[0]
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in OPENERS
        and (match := opening.search(path.read_text(encoding="utf-8")))
    }

    assert found == {}


def test_no_module_keeps_state() -> None:
    registry = re.compile(
        r"^\w+(?:: [^=]+)? = (?:WeakKeyDictionary|WeakValueDictionary|threading\.Lock|Lock)\(", re.MULTILINE
    )

    modules = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}

    assert [name for name, text in modules.items() if registry.search(text)] == []


def test_no_two_modules_share_a_name() -> None:
    names = [path.name for path in PACKAGE.rglob("*.py") if path.name not in {"__init__.py", "__main__.py"}]

    assert sorted(names) == sorted(set(names))


def test_a_seventh_parameter_is_a_record() -> None:
    tools = PACKAGE / "server" / "tools"  # their parameters are the arguments of tools
    functions = [
        (path.name, node.name, [*node.args.args, *node.args.kwonlyargs])
        for path in PACKAGE.rglob("*.py")
        if tools not in path.parents
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]

    assert [
        (module, name) for module, name, given in functions if len([each for each in given if each.arg != "self"]) > 6
    ] == []
