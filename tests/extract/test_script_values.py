"""What the values of variables and exports of JavaScript and TypeScript define, and how they are used."""

import pytest
from code_helpers import triples

CARDS = "export function deal() {}\nexport function cut() {}\nexport default function Deck() {}\n"


def table(script: str, *predicates: str, name: str = "table.tsx", **others: str) -> set[str]:
    """The triples, by default of calls, of a script beside `cards.ts`."""
    files = {"package.json": "{}", "cards.ts": CARDS, name: script}
    return triples({**files, **others}, *(predicates or ("calls",)))


def test_an_element_is_a_call_of_its_component() -> None:
    script = """
        import Deck from "./cards";
        import * as UI from "./cards";
        function Felt(props) { return <div>{props.children}</div>; }
        Felt.Edge = () => <Deck />;
        export function Table() {
          return <Felt><Deck size={52} /><UI.default /><Felt.Edge /><UI.none /><table /></Felt>;
        }
        """
    calls = {
        "table.Table calls table.Felt",
        "table.Table calls table.Felt.Edge",
        "table.Felt.Edge calls cards.Deck",
        "table.Table calls cards.Deck",
    }

    assert table(script) == calls
    assert table(script, name="table.jsx") == calls


def test_a_wrapped_component_is_a_definition_that_shows_what_it_wraps() -> None:
    script = """
        import { forwardRef, lazy } from "react";
        import styled from "styled-components";
        const Card = forwardRef<Ref, Props>((props, ref) => <Felt />);
        const Felt = styled.div`color: green;`;
        const Edge = styled(Felt).attrs({ wide: true })``;
        const Game = connect(state)(memo(Table));
        const Later = lazy(() => import("./cards"));
        const save = debounce(() => store());
        const MAX_CARDS = limit(Card);
        const Shape = define({ size: 1 });
        const count = cards.map((card) => card.size);
        function store() {}
        function Table() {
          const Local = wrap(Card);
          save(); count(); MAX_CARDS();
          return <><Card /><Felt /><Edge /><Game /><Later /><Shape /></>;
        }
        export default observer(Table);
        """
    used = ("Card", "Felt", "Edge", "Game", "Later", "save")

    found = table(script, "calls", "contains", "imports")

    assert {each for each in found if each.startswith("table.Table calls")} == {
        f"table.Table calls table.{name}" for name in used
    }
    assert {each for each in found if each.startswith("table.tsx contains")} == {
        f"table.tsx contains table.{name}" for name in (*used, "store", "Table", "default")
    }
    assert found >= {
        "table.Card calls table.Felt",
        "table.Edge calls table.Felt",
        "table.Game calls table.Table",
        "table.default calls table.Table",
        "table.save calls table.store",
        "table.tsx imports cards",
        "table.tsx imports cards.Deck",
    }


@pytest.mark.parametrize(
    "statement",
    [
        'const { deal } = await import("./cards"); deal();',
        'const { deal: first } = await import("./cards"); first();',
        'const cards = await import("./cards"); cards.deal();',
        '(await import("./cards")).deal();',
        'import("./cards").then((cards) => cards.deal());',
        'return import("./cards").then(({ deal }) => deal());',
        'const { deal } = require("./cards"); deal();',
        'const deal = require("./cards").deal; deal();',
        'require("./cards").deal();',
    ],
)
def test_a_module_that_is_imported_where_it_is_used(statement: str) -> None:
    found = table(f"async function run() {{ {statement} }}\n", "calls", "imports", name="play.ts")

    assert found >= {"play.run calls cards.deal", "play imports cards"}


def test_methods_of_objects_that_are_exported() -> None:
    script = """
        import * as cards from "./cards";
        import { cut } from "./cards";
        export const dealer = {
          first() { this.second(); none(); },
          second: () => shuffle(),
          third: function () { this.second(); },
          cut,
          fourth: cards.deal,
          hand: { show() {}, more: { hide() {} } },
          options: wrap({ show() { shuffle(); } }),
        } as const;
        const limits = { size: 52, names: ["a"] };
        export default { play() { dealer.first(); limits.size(); } };
        function shuffle() {}
        """
    use = """
        import game, { dealer as boss } from "./table";
        function run() {
          boss.first(); boss.second(); boss.third(); boss.cut(); boss.fourth(); boss.hand.show(); boss.hand.more.hide();
          boss.show(); boss.none(); boss.options.show(); game.play();
        }
        """
    methods = ("first", "second", "third", "hand.show", "hand.more.hide")

    assert table(script, name="table.ts", **{"use.js": use}) == {
        "table.dealer.first calls table.dealer.second",
        "table.dealer.second calls table.shuffle",
        "table.dealer calls table.shuffle",
        "table.default.play calls table.dealer.first",
        *(f"use.run calls table.dealer.{name}" for name in methods),
        "use.run calls cards.cut",
        "use.run calls cards.deal",
        "use.run calls table.default.play",
    }


def test_what_a_module_of_node_exports() -> None:
    files = {
        "package.json": "{}",
        "all.js": "function first() {}\nmodule.exports = {first, second() { this.third(); }, third: () => first()};\n",
        "each.js": "exports.fourth = function () {};\nmodule.exports.fifth = () => exports.fourth();\n",
        "use.js": """
            const all = require("./all"), { fifth } = require("./each");
            const { second } = require("./all");
            function run() { all.first(); all.second(); second(); all.third(); fifth(); require("./each").fourth(); }
            """,
    }

    assert triples(files, "calls") == {
        "all.module.exports.second calls all.module.exports.third",
        "all.module.exports.third calls all.first",
        "use.run calls all.first",
        "use.run calls all.module.exports.second",
        "use.run calls all.module.exports.third",
        "use.run calls each.fifth",
        "use.run calls each.fourth",
    }


def test_names_that_barrels_give_on() -> None:
    barrel = """
        export * from "./cards";
        export * as pack from "./cards";
        export { deal as split, default as Pack } from "./cards";
        export { default } from "./cards";
        """
    script = """
        import Any, { pack, split, Pack } from "./index";
        function play() { pack.cut(); split(); Pack(); Any(); }
        """

    assert table(script, name="play.ts", **{"index.ts": barrel}) == {
        "play.play calls cards.deal",
        "play.play calls cards.cut",
        "play.play calls cards.Deck",
    }


def test_a_python_module_that_is_imported_by_its_name() -> None:
    files = {
        "pyproject.toml": "[project]",
        "shop/__init__.py": "x = 1",
        "shop/orders.py": "def place(): ...",
        "shop/app.py": """
            from importlib import import_module
            import importlib
            def run(name):
                orders = import_module("shop.orders")
                orders.place()
                importlib.import_module(".orders", __package__)
                importlib.import_module(f"shop.{name}")
                importlib.import_module(name)
            """,
    }

    assert triples(files, "calls", "imports") == {
        "shop.app imports importlib",
        "shop.app imports shop.orders",
        "shop.app.run calls importlib.import_module",
        "shop.app.run calls shop.orders.place",
    }
