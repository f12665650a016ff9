"""Source code in which the owner of a method does not stand around it, and what else needs the rules of a language."""

from code_helpers import triples


def test_a_rust_method_in_another_file_than_its_type_belongs_to_the_type() -> None:
    files = {
        "shop/Cargo.toml": '[package]\nname = "shop"\n',
        "shop/src/lib.rs": "pub mod store;\npub struct Till;\nimpl Till { pub fn open(&self) { self.ring(); } }\n",
        "shop/src/store.rs": """
            use crate::Till as Box;
            pub trait Close { fn close(&self); }

            impl Box { pub fn ring(&self) { self.open(); self.close(); Self::ring(); } }

            impl Close for crate::Till { fn close(&self) { helper(); } }

            impl Close for Vec<u8> { fn close(&self) { helper(); self.len(); } }

            fn helper() { Box::ring(); crate::Till::close(); }

            mod inside {
                use crate::Till;
                fn helper() {}
                impl Till { fn count() { helper(); } }
            }
            """,
    }

    assert triples(files, "calls", "contains") == {
        "shop contains shop::Till",
        "shop::Till contains shop::Till::open",
        "shop::Till contains shop::Till::ring",
        "shop::Till contains shop::Till::close",
        "shop::Till contains shop::Till::count",
        "shop::store contains shop::store::Close",
        "shop::store::Close contains shop::store::Close::close",
        "shop::store contains shop::store::Vec::close",
        "shop::store contains shop::store::helper",
        "shop::store contains shop::store::inside",
        "shop::store::inside contains shop::store::inside::helper",
        "shop::Till::open calls shop::Till::ring",
        "shop::Till::ring calls shop::Till::open",
        "shop::Till::ring calls shop::Till::close",
        "shop::Till::close calls shop::store::helper",
        "shop::store::Vec::close calls shop::store::helper",
        "shop::store::helper calls shop::Till::ring",
        "shop::store::helper calls shop::Till::close",
        "shop::Till::count calls shop::store::inside::helper",
    }


def test_a_java_enum_constant_with_a_body_is_a_class_and_a_method_of_an_anonymous_one_belongs_to_its_variable() -> None:
    files = {
        "pom.xml": "<project/>",
        "src/acme/Op.java": """
            package acme;

            enum Op {
              PLUS { int apply() { return one(); } },
              MINUS(new Object() { void apply() {} }) { int apply() { this.one(); return Op.zero(); } },
              NONE;

              static final Runnable later = new Runnable() { public void run() { apply(); one(); } };
              static { use(new java.util.HashMap<String, String>() {{ put("a", "b"); }}); }

              int apply() { run(); return 0; }
              int one() { return 1; }
              static int zero() { return 0; }
              void put(String a, String b) {}
            }
            """,
    }

    assert triples(files, "calls", "contains", "extends") == {
        "acme contains acme.Op",
        "acme.Op contains acme.Op.PLUS",
        "acme.Op contains acme.Op.MINUS",
        "acme.Op contains acme.Op.apply",
        "acme.Op contains acme.Op.one",
        "acme.Op contains acme.Op.zero",
        "acme.Op contains acme.Op.put",
        "acme.Op contains acme.Op.later.run",
        "acme.Op.PLUS contains acme.Op.PLUS.apply",
        "acme.Op.MINUS contains acme.Op.MINUS.apply",
        "acme.Op.MINUS contains acme.Op.MINUS.Object.apply",
        "acme.Op.PLUS extends acme.Op",
        "acme.Op.MINUS extends acme.Op",
        "acme.Op.PLUS.apply calls acme.Op.one",
        "acme.Op.MINUS.apply calls acme.Op.one",
        "acme.Op.MINUS.apply calls acme.Op.zero",
    }


def test_blocks_of_one_namespace_of_typescript_see_each_other() -> None:
    files = {
        "package.json": "{}",
        "src/geo.ts": """
            export namespace Geo.Flat { export function near() { far(); } function local() {} }
            namespace Geo.Flat { export function far() { near(); } }
            function near() { Geo.Flat.far(); far(); }
            function Flat() {}
            """,
        "src/app.ts": 'import { Geo } from "./geo";\nfunction run() { Geo.Flat.near(); Geo.near(); }\n',
    }

    assert triples(files, "calls", "contains") == {
        "src/geo contains src/geo.Geo",
        "src/geo contains src/geo.near",
        "src/geo contains src/geo.Flat",
        "src/geo.Geo contains src/geo.Geo.Flat",
        "src/geo.Geo.Flat contains src/geo.Geo.Flat.near",
        "src/geo.Geo.Flat contains src/geo.Geo.Flat.local",
        "src/geo.Geo.Flat contains src/geo.Geo.Flat.far",
        "src/geo.Geo.Flat.near calls src/geo.Geo.Flat.far",
        "src/geo.Geo.Flat.far calls src/geo.Geo.Flat.near",
        "src/geo.near calls src/geo.Geo.Flat.far",
        "src/app contains src/app.run",
        "src/app.run calls src/geo.Geo.Flat.near",
    }


def test_a_module_that_is_called_is_what_it_exports_as_a_whole() -> None:
    files = {
        "package.json": "{}",
        "src/add.js": "function add() {}\nmodule.exports = add;\n",
        "src/reel.js": "module.exports = class Reel { wind() {} };\n",
        "src/old.ts": "function old() {}\nexport = old;\n",
        "src/plain.js": "exports.a = 1;\n",
        "src/app.js": """
            const add = require("./add"), Reel = require("./reel"), plain = require("./plain");
            class Wide extends Reel {}
            function run() { add(); new Reel(); plain(); }
            """,
        "src/app.ts": 'import old = require("./old");\nold();\n',
    }

    assert triples(files, "calls", "extends", "imports") == {
        "src/app imports src/add",
        "src/app imports src/reel",
        "src/app imports src/plain",
        "src/app.ts imports src/old",
        "src/app.Wide extends src/reel.Reel",
        "src/app.run calls src/add.add",
        "src/app.run calls src/reel.Reel",
        "src/app.ts calls src/old.old",
    }


def test_a_method_of_an_object_in_a_field_is_no_method_of_the_class() -> None:
    script = """
        export class Deck {
          handlers = { play() { stop(); } };
          play() { this.wind(); }
        }
        export class Wide extends Deck {
          play = other;
          run() { this.play(); }
        }
        function stop() {}
        """
    expected = {"src/deck.Deck.handlers.play calls src/deck.stop"}

    assert triples({"package.json": "{}", "src/deck.ts": script}, "calls") == expected
    assert triples({"package.json": "{}", "src/deck.js": script}, "calls") == expected


def test_go_takes_the_field_or_method_of_the_least_depth() -> None:
    files = {
        "go.mod": "module acme/deck\n",
        "deck.go": """
            package deck

            type Reel struct{}
            func (r Reel) Wind() {}
            func (r Reel) Stop() {}

            type First struct{ Reel }

            type Second struct{}
            func (s Second) Wind() {}

            type Deck struct {
                First
                Second
                Stop func()
            }
            func (d Deck) Run() { d.Wind(); d.Stop() }
            """,
    }

    assert triples(files, "calls") == {"acme/deck.Deck.Run calls acme/deck.Second.Wind"}


def test_a_java_class_calls_what_is_above_the_class_around_it() -> None:
    java = """
        package deck;

        class Reel {
          class Inner { void run() { Reel.super.toString(); Reel.stop(); } }
          public String toString() { return ""; }
          static void stop() {}
        }
        """

    assert triples({"pom.xml": "<project/>", "src/Reel.java": java}, "calls") == {
        "deck.Reel.Inner.run calls deck.Reel.stop"
    }


def test_tests_are_told_by_their_marks_too_and_a_java_test_needs_no_import() -> None:
    java = {
        "pom.xml": "<project/>",
        "src/acme/Till.java": "package acme;\n\nclass Till { void ring() {} static void open() {} }\n",
        "src/acme/TillTest.java": """
            package acme;

            class TillTest {
              @org.junit.jupiter.api.Test void openTwice() { Till.open(); new Till(); }
              void openLater() { Till.open(); }
            }
            """,
    }
    rust = {
        "box/Cargo.toml": '[package]\nname = "till-box"\n',
        "box/src/lib.rs": """
            pub fn open() {}

            mod tests {
                use super::*;

                #[test]
                fn open_twice() { open(); }

                fn open_later() { open(); }
            }
            """,
        "box/tests/open.rs": "use till_box::open;\n\n#[tokio::test]\nasync fn open_once() { open(); }\n",
    }

    assert triples(java, "tests") == {
        "acme.TillTest tests acme.Till",
        "acme.TillTest.openTwice tests acme.Till.open",
    }
    assert triples(rust, "tests") == {
        "till_box::tests::open_twice tests till_box::open",
        "tests::open::open_once tests till_box::open",
    }


def test_rust_imports_an_inline_module_as_itself() -> None:
    files = {
        "deck/Cargo.toml": "[package]",
        "deck/src/lib.rs": "mod reel { pub enum Kind { A } }\npub use reel::*;\nuse reel::Kind;\n",
    }

    assert triples(files, "imports") == {"deck imports deck::reel", "deck imports deck::reel::Kind"}
