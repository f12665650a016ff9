"""What a name means in source code: by scope, by binding, and by the rules of its language."""

import pytest
from code_helpers import read, triples

from mcp_graphrag.extract.code.code_extractor import LONG_NAME


def test_a_method_of_an_object_or_of_another_file_is_nothing_that_its_bare_name_means() -> None:
    script = """
        export const defaults = { play() { return stop(); } };
        function play() { return defaults; }
        function stop() { play(); }
        """
    go = {
        "go.mod": "module acme/queue\n",
        "queue.go": "package queue\n\ntype Queue struct{ ch chan int }\n",
        "close.go": """
            package queue

            func (q *Queue) close() { close(q.ch) }

            func (q *Queue) Stop() { q.close() }
            """,
    }

    assert triples({"package.json": "{}", "src/deck.js": script}, "calls", "contains") == {
        "src/deck contains src/deck.defaults",
        "src/deck.defaults contains src/deck.defaults.play",
        "src/deck contains src/deck.play",
        "src/deck contains src/deck.stop",
        "src/deck.defaults.play calls src/deck.stop",
        "src/deck.stop calls src/deck.play",
    }
    assert triples(go, "calls") == {"acme/queue.Queue.Stop calls acme/queue.Queue.close"}


def test_this_is_the_object_of_a_class_only_outside_of_other_functions() -> None:
    script = """
        class Reel {
          stop() {
            const again = () => this.wind();
            again();
            list.forEach(function () { this.wind(); });
            const other = { wind() { this.stop(); } };
          }
          wind() {}
        }
        """
    java = """
        package deck;

        class Reel {
          void stop() { new Thread() { public void run() { this.wind(); wind(); } }; run(); }
          void wind() {}
          void run() {}
        }
        """

    assert triples({"package.json": "{}", "src/a.js": script}, "calls") == {
        "src/a.Reel.stop.again calls src/a.Reel.wind",
        "src/a.Reel.stop calls src/a.Reel.stop.again",
    }
    assert triples({"pom.xml": "<project/>", "src/Reel.java": java}, "calls") == {
        "deck.Reel.stop calls deck.Reel.run",
    }


def test_names_bound_by_patterns_mean_no_definition() -> None:
    script = """
        function run() {}
        function wind() {}
        export function a({ run = 1, deep: [wind] }) { run(); wind(); }
        export function b(list) { for (const [run, size] of list) run(size); }
        """
    go = """
        package deck

        type Reel struct{}

        func Run() {}

        func (r *Reel) Stop() {}

        func (r *Reel) All(x any) {
            switch Run := x.(type) { case func(): Run() }
            func(r *Other) { r.Stop() }(nil)
        }
        """
    rust = """
        fn run() {}

        fn a(x: Option<fn()>, (run, _): (fn(), u32)) { run(); }

        fn b(x: Option<fn()>) { if let Some(run) = x { run(); } }

        fn c(x: Option<fn()>) { match x { Some(run) => run(), None => {} } }

        fn d(x: Deck) { let Deck { run, .. } = x; run(); }
        """

    assert triples({"package.json": "{}", "src/a.ts": script}, "calls") == set()
    assert triples({"go.mod": "module acme/deck\n", "reel.go": go}, "calls") == set()
    assert triples({"Cargo.toml": "[package]", "src/lib.rs": rust}, "calls") == set()


def test_a_module_exports_under_other_names_and_defines_in_namespaces() -> None:
    files = {
        "package.json": "{}",
        "src/math.ts": """
            function step() { return Geo.distance(); }
            namespace Geo { export function distance() { return near(); } function near() {} }
            function near() {}
            export { step as advance };
            """,
        "src/index.ts": 'export { default } from "./deck";\nexport * from "./math";\n',
        "src/deck.ts": "export default class Deck {}\n",
        "src/app.ts": 'import Deck, { advance } from "./index";\nadvance();\nnew Deck();\n',
    }

    assert triples(files, "calls") == {
        "src/math.step calls src/math.Geo.distance",
        "src/math.Geo.distance calls src/math.Geo.near",
        "src/app calls src/math.step",
        "src/app calls src/deck.Deck",
    }


def test_go_tests_may_be_a_package_of_their_own_and_functions_have_type_arguments() -> None:
    files = {
        "go.mod": "module acme/deck\n",
        "deck/a_test.go": """
            package deck_test

            import "acme/deck/deck"

            func check() {}

            func TestFirst(t *testing.T) { deck.First[int](nil); check() }
            """,
        "deck/deck.go": """
            package deck

            func First[T any](x []T) T { return pick[T](x) }

            func pick[T any](x []T) T { check() }

            func check() {}
            """,
    }

    assert triples(files, "calls", "imports", "tests") == {
        "acme/deck/deck_test imports acme/deck/deck",
        "acme/deck/deck_test.TestFirst calls acme/deck/deck.First",
        "acme/deck/deck_test.TestFirst calls acme/deck/deck_test.check",
        "acme/deck/deck_test.TestFirst tests acme/deck/deck.First",
        "acme/deck/deck.First calls acme/deck/deck.pick",
        "acme/deck/deck.pick calls acme/deck/deck.check",
    }


def test_rust_paths_begin_at_the_crate_above_inline_modules_and_at_types() -> None:
    files = {
        "deck/Cargo.toml": "[package]",
        "deck/src/lib.rs": "pub mod reel;\n\npub fn run() { reel::wind(1); crate::reel::start(); }\n",
        "deck/src/reel.rs": """
            pub struct Reel<T>(T);

            impl<T> Reel<T> { pub fn new(x: T) -> Self { Reel(x) } }

            pub fn start() { super::run(); Reel::<u8>::new(1); }

            pub fn wind(reel: u32) { reel.start(); }

            mod tests {
                use super::start;

                fn test_start() { start(); super::wind(1); super::super::run(); }
            }
            """,
        "deck/src/main.rs": "fn main() { deck::run(); }\n",
    }

    assert triples(files, "calls") == {
        "deck::run calls deck::reel::wind",
        "deck::run calls deck::reel::start",
        "deck::reel::Reel::new calls deck::reel::Reel",
        "deck::reel::start calls deck::run",
        "deck::reel::start calls deck::reel::Reel::new",
        "deck::reel::tests::test_start calls deck::reel::start",
        "deck::reel::tests::test_start calls deck::reel::wind",
        "deck::reel::tests::test_start calls deck::run",
        "src/main.rs::main calls deck::run",
    }


def test_java_methods_have_names_of_their_own_and_inherited_ones_come_first() -> None:
    files = {
        "pom.xml": "<project/>",
        "src/acme/Deck.java": """
            package acme;

            import static acme.Text.*;

            class Deck {
              Deck() {}
              static Deck make() { return new Deck(); }
              int size() { int size = size(); return Deck.make().hashCode() + Text.<Integer>pick(trim("x")); }
              void run() {}
              static class Player extends Thread { void play() { run(); Deck.make(); } }
            }
            """,
        "src/acme/Text.java": """
            package acme;

            class Text {
              static String trim(String text) { return text; }
              static <T> T pick(String text) { return null; }
            }
            """,
    }

    assert triples(files, "calls", "imports") == {
        "acme.Deck imports acme.Text",
        "acme.Deck.make calls acme.Deck",
        "acme.Deck.make calls acme.Deck.Deck",
        "acme.Deck.size calls acme.Deck.make",
        "acme.Deck.size calls acme.Text.pick",
        "acme.Deck.size calls acme.Text.trim",
        "acme.Deck.Player.play calls acme.Deck.make",
    }


def test_a_module_named_as_what_it_defines_is_called_by_its_file() -> None:
    files = {"retry.py": "class Retry: pass\n\ndef wait(): pass\n", "app.py": "from retry import wait\n\nwait()\n"}

    assert triples(files, "contains", "imports", "calls") == {
        "retry.py contains retry.Retry",
        "retry.py contains retry.wait",
        "app imports retry.py",
        "app imports retry.wait",
        "app calls retry.wait",
    }


def test_a_constructor_of_java_calls_the_one_above_it() -> None:
    files = {
        "p/Reel.java": """
            package p;
            class Base { Base(int size) { wind(size); } void wind(int size) {} }
            class Plain {}
            class Reel extends Base { Reel() { this(1); } Reel(int size) { super(size); } }
            class Drum extends Plain { Drum() { super(); } }
            class Far extends java.util.ArrayList { Far() { super(9); } }
            """
    }
    assert triples(files, "calls") == {"p.Base.Base calls p.Base.wind", "p.Reel.Reel calls p.Base.Base"}


def test_a_name_of_an_inner_module_of_rust_is_known_where_all_of_it_is_used() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "reel"\n',
        "src/lib.rs": """
            mod inner { pub fn wind() {} }
            use inner::*;
            pub fn start() { wind(); stop(); }
            """,
    }
    assert triples(files, "calls") == {"reel::start calls reel::inner::wind"}


@pytest.mark.parametrize("suffix", ["js", "ts"])
def test_a_default_export_of_a_script_without_a_name_is_called_default(suffix: str) -> None:
    files = {
        f"reel.{suffix}": """
            import Base from "./base";
            import spin from "./spin";
            export default class extends Base { go() { this.stop(); spin(); } stop() {} }
            """,
        f"base.{suffix}": "export default class { wind() {} }",
        f"spin.{suffix}": "export default function () { turn(); }\nfunction turn() {}",
        f"use.{suffix}": 'import Reel from "./reel";\nexport function start() { return new Reel(); }',
    }
    assert triples(files, "calls", "extends") == {
        "reel.default.go calls reel.default.stop",
        "reel.default.go calls spin.default",
        "reel.default extends base.default",
        "spin.default calls spin.turn",
        "use.start calls reel.default",
    }


def test_a_crate_that_a_rust_file_imports_by_its_bare_name_is_no_item_of_that_file() -> None:
    files = {
        "shop/Cargo.toml": '[package]\nname = "shop"\n',
        "shop/src/lib.rs": """
            use serde_json;
            use instant::{self, Instant};
            use self::later::later;

            fn check() {}
            pub fn run() { serde_json::to_vec(1); Instant::now(); check() }
            """,
    }
    assert triples(files, "calls", "imports") == {
        "shop imports serde_json",
        "shop imports instant",
        "shop::run calls serde_json::to_vec",
        "shop::run calls instant::Instant::now",
        "shop::run calls shop::check",
    }


def test_a_definition_with_a_very_long_name_is_counted_and_gives_no_entity() -> None:
    found = read({"a.py": f"def {'f' * 300}(): pass\n\n\ndef g(): pass\n"})

    assert sum(one.dropped.get(LONG_NAME, 0) for one in found) == 1
    assert [mention.name for one in found for mention in one.mentions] == ["a", "a.g"]


def test_classes_that_are_named_by_way_of_themselves_are_of_unknown_bases() -> None:
    source = """
        class Reel(Reel.Base):
            def play(self):
                self.rewind()
                self.stop()

            def rewind(self): ...

        class Deck(Tape.Side): ...
        class Tape(Deck.Side): ...
        """
    assert triples({"reels.py": source}, "calls", "extends") == {"reels.Reel.play calls reels.Reel.rewind"}
