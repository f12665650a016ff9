"""Calls of TypeScript and JavaScript through what annotations, assignments and returns say of types."""

import pytest
from code_helpers import triples

STORE = """
    export interface Reader { read(): Card; cards: Card[] }
    export class Card { flip() {} }
    export class Base { close(): this { return this; } }
    export class Store extends Base implements Reader {
      static open(): Store { return new Store(); }
      cards: Card[] = [];
      private top = new Card();
      get first(): Card { return this.cards[0]; }
      read() { if (this.cards) { return this.top; } return null; }
      async all(): Promise<Array<Card>> { return this.cards; }
      open() {}
    }
    export const store = new Store();
    export default store;
    """


def called(body: str, name: str = "play.ts") -> set[str]:
    """What a function with some parameters calls by types, as names within `store.ts`."""
    script = f'import main, {{ Base, Card, Reader, Store, store }} from "./store";\n{body}\n'
    hand = 'import { Store } from "./store";\nexport default new Store();\n'
    found = triples({"package.json": "{}", "store.ts": STORE, "hand.ts": hand, name: script}, "calls")
    own = (each.partition(" calls store.") for each in found if each.startswith(("play.ts", "play.", "use")))
    return {target for _, _, target in own if "." in target}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("export function run(s: Store | null, r?: Reader) { s!.read(); r?.read(); }", {"Store.read", "Reader.read"}),
        ("const run = (s: Store) => s.close().read();", {"Base.close", "Store.read"}),
        ("function run() { const s = new Store(); s.read().flip(); }", {"Store.read", "Card.flip"}),
        ("function run(x: any) { const s = x as Store; s.read(); }", {"Store.read"}),
        ("async function run(s: Store) { for (const c of await s.all()) c.flip(); }", {"Store.all", "Card.flip"}),
        ("function run(s: Store) { s.cards.forEach((c) => c.flip()); s.first.flip(); }", {"Card.flip"}),
        ("function run({ cards }: Reader) { cards[0].flip(); cards.find(Boolean).flip(); }", {"Card.flip"}),
        ("function run(m: Map<string, Card>) { m.get('a')?.flip(); }", {"Card.flip"}),
        ("function run() { store.read(); main.close(); }", {"Store.read", "Base.close"}),
        ("import Hand from './hand'; function run() { Hand.read(); }", {"Store.read"}),
        (
            "function each(f: (n: number, s?: Store) => void) {} function run() { each((n, s) => s.read()); }",
            {"Store.read"},
        ),
        ("class Run<S extends Store> { s: S; go() { this.s.read(); } }", {"Store.read"}),
        ("type Shop = Store; function run(s: Shop) { s.read(); }", {"Store.read"}),
        ("class Run { constructor(private s: Store) {} go() { this.s.read(); } }", {"Store.read"}),
        ("class Run { s?: Store; go() { const { s } = this; s.read(); } }", {"Store.read"}),
        ("class Run { go() { this.s().read(); } s() { return Store.open(); } }", {"Store.read", "Store.open"}),
        ("const make = () => new Store(); function run() { make().read(); }", {"Store.read"}),
        (
            "function run(a: boolean) { const s = a ? new Store() : Store.open(); s.read(); }",
            {"Store.read", "Store.open"},
        ),
        ("function run(s: typeof Store) { s.open().read(); }", {"Store.open", "Store.read"}),
    ],
)
def test_the_type_says_what_is_called(body: str, expected: set[str]) -> None:
    assert called(body) == expected


def test_values_of_javascript_have_types_too() -> None:
    body = """
        export class Run {
          constructor() { this.s = new Store(); }
          go() { this.s.read(); let c = null; c = this.s.read(); c.flip(); }
        }
        """
    assert called(body, "play.js") == {"Store.read", "Card.flip"}


@pytest.mark.parametrize(
    "body",
    [
        "function run(s: Store | Card) { s.read(); }",
        "function run(a: boolean) { let s = new Store(); if (a) s = other(); s.read(); }",
        "function run(list: Store[], more) { list.map((s) => s.id); more.map((s) => s.read()); }",
        "function run(s: Store) { [1].map((s) => s.read()); }",
        "class Run { s = new Store(); go() { list.map(function () { this.s.read(); }); } }",
        "function run() { [1].map(() => { return new Store(); }); } function go() { run().read(); }",
    ],
)
def test_what_may_be_of_two_types_or_of_none_is_no_call(body: str) -> None:
    assert called(body) == set()


def test_a_static_method_is_that_of_the_class() -> None:
    body = """
        class Run {
          make(): Store { return null; }
          static make(): Card { return null; }
          static go() { this.make().flip(); }
        }
        function run(r: Run) { r.make().read(); Run.make().flip(); }
        """
    assert called(body) == {"Card.flip", "Store.read"}


def test_names_of_several_blocks_are_none_and_a_method_is_no_bare_name() -> None:
    script = """
        function near() {}
        class Deck { static size = near(); static near() {} }
        describe("one", () => { function run() {} run(); });
        describe("two", () => { function run() {} run(); });
        """

    assert triples({"package.json": "{}", "a.ts": script}, "calls") == {"a.Deck calls a.near"}


def test_patterns_that_are_nested_deeply_are_read_as_far_as_it_goes() -> None:
    script = f"const {'{a:' * 3_000}b{'}' * 3_000} = run();\nfunction run() {{}}\n"

    assert triples({"package.json": "{}", "a.ts": script}, "calls") == {"a calls a.run"}
