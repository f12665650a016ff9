"""Triples of source code, language by language: what is stated, and what is left open."""

from code_helpers import read, triples

PYTHON = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "src/shop/__init__.py": "from .orders import Order\n",
    "src/shop/retry.py": """
        import functools

        def retry(times):
            def around(f):
                return f
            return around

        def once(f):
            return f
        """,
    "src/shop/orders.py": """
        from shop import retry as again
        from .retry import once

        class Base:
            def save(self):
                self.check()

            def check(self):
                pass

        class Order(Base, Exception):
            @once
            def place(self, callback):
                super().save()
                self.check()
                callback()
                unknown.thing()
                return again.retry(3)
        """,
    "src/shop/app.py": """
        import shop.orders
        from shop import Order
        import requests.sessions

        def main():
            shop.orders.Order()
            Order.place
            requests.sessions.Session().get("x")
            return Order()
        """,
    "tests/test_app.py": """
        from shop.app import main

        def test_main():
            assert main()

        def test_other():
            main()
        """,
}


def test_python_calls_are_resolved_by_scope_class_and_import() -> None:
    assert triples(PYTHON, "calls") == {
        "shop.orders.Base.save calls shop.orders.Base.check",
        "shop.orders.Order.place calls shop.orders.Base.save",
        "shop.orders.Order.place calls shop.orders.Base.check",
        "shop.orders.Order.place calls shop.retry.retry",
        "shop.app.main calls shop.orders.Order",
        "shop.app.main calls requests.sessions.Session",
        "tests.test_app.test_main calls shop.app.main",
        "tests.test_app.test_other calls shop.app.main",
    }


def test_calls_that_are_not_certain_are_counted() -> None:
    dropped = [extraction.dropped for extraction in read({"a.py": "def f(g, x):\n    g()\n    x.run()\n    len(x)\n"})]

    assert dropped == [{"calls of what is not certain": 3}]


def test_python_imports_and_bases_name_what_a_module_exports() -> None:
    assert triples(PYTHON, "imports", "extends", "decorated_by", "tests") == {
        "shop imports shop.orders",
        "shop imports shop.orders.Order",
        "shop.retry imports functools",
        "shop.orders imports shop",
        "shop.orders imports shop.retry",
        "shop.orders imports shop.retry.once",
        "shop.app imports shop.orders",
        "shop.app imports shop",
        "shop.app imports shop.orders.Order",
        "shop.app imports requests",
        "shop.app imports requests.sessions",
        "tests.test_app imports shop.app",
        "tests.test_app imports shop.app.main",
        "shop.orders.Order extends shop.orders.Base",
        "shop.orders.Order extends Exception",
        "shop.orders.Order.place decorated_by shop.retry.once",
        "tests.test_app.test_main tests shop.app.main",
        "tests.test_app tests shop.app",
    }


def test_python_containers_have_types() -> None:
    found = {
        (triple.subject, triple.subject_type, triple.object, triple.object_type)
        for extraction in read({"shop/__init__.py": '"""Sells."""\n', "shop/a.py": PYTHON["src/shop/orders.py"]})
        for triple in extraction.triples
        if triple.predicate == "contains" and "Order" in triple.object
    }

    assert found == {
        ("shop.a", "Module", "shop.a.Order", "Class"),
        ("shop.a.Order", "Class", "shop.a.Order.place", "Method"),
    }


TYPESCRIPT = {
    "package.json": "{}",
    "src/http.ts": """
        import axios from "axios";
        export interface Fetcher extends Closable { fetch(url: string): void }
        export class Client implements Fetcher {
          constructor(private base: string) {}
          fetch(url: string): void { this.send(url); axios.get(url); }
          private send(url: string) {}
        }
        export default function connect(): Client { return new Client(""); }
        """,
    "src/app.ts": """
        import connect, { Client as Http } from "./http.js";
        import * as http from "./http";
        export class Retrying extends Http {
          constructor() { super("x"); }
          fetch(url: string): void { super.fetch(url); }
        }
        export const run = async (send: () => void) => { connect(); new http.Client(""); send(); };
        """,
}


def test_typescript() -> None:
    assert triples(TYPESCRIPT, "calls", "extends", "implements", "imports") == {
        "src/http imports axios",
        "src/http.Client implements src/http.Fetcher",
        "src/http.Client.fetch calls src/http.Client.send",
        "src/http.Client.fetch calls axios.get",
        "src/http.connect calls src/http.Client",
        "src/http.connect calls src/http.Client.constructor",
        "src/app imports src/http",
        "src/app imports src/http.connect",
        "src/app imports src/http.Client",
        "src/app.Retrying extends src/http.Client",
        "src/app.Retrying.constructor calls src/http.Client.constructor",
        "src/app.Retrying.fetch calls src/http.Client.fetch",
        "src/app.run calls src/http.connect",
        "src/app.run calls src/http.Client",
        "src/app.run calls src/http.Client.constructor",
    }


def test_javascript_modules_of_both_kinds() -> None:
    files = {
        "package.json": "{}",
        "lib/math.js": "function add(a, b) { return a + b; }\nmodule.exports = { add };\n",
        "lib/index.js": """
            const math = require("./math");
            const { add } = require("./math");
            function sum(list) { return list.reduce((a, b) => add(a, b)) + math.add(1, 2); }
            """,
        "lib/math.test.js": 'import { add } from "./math";\ntest("adds", () => { add(1, 2); });\n',
    }

    assert triples(files, "calls", "imports", "tests") == {
        "lib/index imports lib/math",
        "lib/index imports lib/math.add",
        "lib/index.sum calls lib/math.add",
        "lib/math.test imports lib/math",
        "lib/math.test imports lib/math.add",
        "lib/math.test calls lib/math.add",
        "lib/math.test tests lib/math",
    }


GO = {
    "go.mod": "module github.com/acme/shop\n\ngo 1.22\n",
    "store/store.go": """
        package store

        import "fmt"

        // Store keeps items.
        type Store struct{ Base }

        type Base struct{}

        func (b *Base) Close() {}

        func Open(path string) *Store { return check(path) }
        """,
    "store/check.go": """
        package store

        func check(path string) *Store { return nil }

        func (s *Store) Get(id string) { s.load(id); s.Close(); fmt.Println(id) }

        func (s *Store) load(id string) {}
        """,
    "main.go": """
        package main

        import (
            db "github.com/acme/shop/store"
            "github.com/other/log"
        )

        func main() { s := db.Open("x"); s.Get("y"); log.Print("z") }
        """,
    "store/store_test.go": """
        package store

        func TestOpen(t *testing.T) { Open("x") }
        """,
}


def test_go_packages_have_several_files() -> None:
    name = "github.com/acme/shop"

    assert triples(GO, "calls", "extends", "imports", "tests") == {
        f"{name}/store imports fmt",
        f"{name}/store.Store extends {name}/store.Base",
        f"{name}/store.Open calls {name}/store.check",
        f"{name}/store.Store.Get calls {name}/store.Store.load",
        f"{name}/store.Store.Get calls {name}/store.Base.Close",
        f"{name} imports {name}/store",
        f"{name} imports github.com/other/log",
        f"{name}.main calls {name}/store.Open",
        f"{name}.main calls {name}/store.Store.Get",
        f"{name}.main calls github.com/other/log.Print",
        f"{name}/store.TestOpen calls {name}/store.Open",
        f"{name}/store.TestOpen tests {name}/store.Open",
    }


RUST = {
    "shop/Cargo.toml": '[package]\nname = "shop"\n',
    "shop/src/lib.rs": """
        pub mod store;
        use crate::store::{Store, open as start};
        use serde::Serialize;

        pub fn run() { start(); Store::new(); store::open(); unknown(); }
        """,
    "shop/src/store.rs": """
        pub trait Closer: Named { fn close(&self); }

        /// Keeps items.
        pub struct Store { n: u32 }

        impl Store {
            pub fn new() -> Self { Self::check(); open() }
            fn check() {}
        }

        impl Closer for Store { fn close(&self) { self.flush(); } }

        pub fn open() -> Store { Store::new() }
        """,
}


def test_a_rust_file_implements_its_trait_for_a_type_of_another_file() -> None:
    files = {
        "shop/Cargo.toml": '[package]\nname = "shop"\n',
        "shop/src/lib.rs": "pub mod store;\npub struct Till<T>(T);\npub trait Ring {}\n",
        "shop/src/store.rs": """
            use crate::{Ring, Till as Box};
            use serde::Value;
            mod far { pub struct Crate; }
            pub struct Own;
            pub trait Close {}

            impl<T> Close for Box<T> {}
            impl Ring for crate::Till<u8> {}
            impl Close for far::Crate {}
            impl<Own> Close for Own {}
            impl Close for Value {}
            impl Close for Missing {}
            impl Close for (u8, u8) {}
            """,
    }
    assert triples(files, "implements") == {
        "shop::Till implements shop::store::Close",
        "shop::Till implements shop::Ring",
        "shop::store::far::Crate implements shop::store::Close",
    }


def test_rust_paths_lead_to_modules_and_types() -> None:
    assert triples(RUST, "calls", "implements", "imports") == {
        "shop imports shop::store",
        "shop imports shop::store::Store",
        "shop imports shop::store::open",
        "shop imports serde",
        "shop::run calls shop::store::open",
        "shop::run calls shop::store::Store::new",
        "shop::store::Store::new calls shop::store::Store::check",
        "shop::store::Store::new calls shop::store::open",
        "shop::store::Store implements shop::store::Closer",
        "shop::store::open calls shop::store::Store::new",
    }


JAVA = {
    "pom.xml": "<project/>",
    "src/main/java/com/acme/Store.java": """
        package com.acme;

        import com.acme.log.Log;
        import static com.acme.log.Log.warn;
        import java.util.List;

        public class Store extends Base implements Closer {
          public Store(List<String> items) { load(); }
          private void load() { Log.info("x"); warn("y"); this.open(); helper.run(); }
          @Override public void close() { super.close(); }
        }
        """,
    "src/main/java/com/acme/Base.java": """
        package com.acme;

        abstract class Base {
          void open() {}
          public void close() { new Store(null); }
        }

        interface Closer {}
        """,
    "src/main/java/com/acme/log/Log.java": """
        package com.acme.log;

        public class Log {
          public static void info(String text) {}
          public static void warn(String text) {}
        }
        """,
}


def test_java_sees_its_package_and_what_it_imports() -> None:
    assert triples(JAVA, "calls", "extends", "implements", "imports") == {
        "com.acme.Store imports com.acme.log.Log",
        "com.acme.Store imports com.acme.log.Log.warn",
        "com.acme.Store imports java.util",
        "com.acme.Store extends com.acme.Base",
        "com.acme.Store implements com.acme.Closer",
        "com.acme.Store.Store calls com.acme.Store.load",
        "com.acme.Store.load calls com.acme.log.Log.info",
        "com.acme.Store.load calls com.acme.log.Log.warn",
        "com.acme.Store.load calls com.acme.Base.open",
        "com.acme.Store.close calls com.acme.Base.close",
        "com.acme.Base.close calls com.acme.Store",
        "com.acme.Base.close calls com.acme.Store.Store",
    }


def test_modules_of_one_name_have_different_names() -> None:
    files = {"examples/a/main.py": "def run(): pass\n", "examples/b/main.py": "def run(): pass\n"}

    names = {mention.name for extraction in read(files) for mention in extraction.mentions}

    assert names == {"a.main", "a.main.run", "b.main", "b.main.run"}


def test_an_import_of_a_library_is_no_file_of_that_name_elsewhere() -> None:
    files = {
        "setup.py": "x = 1",
        "app/json.py": "def loads(x): pass\n",
        "app/main.py": "import json\n\ndef f(): json.loads('')\n",
    }

    assert triples(files, "calls") == {"app.main.f calls json.loads"}
    assert triples(files, "imports") == {"app.main imports json"}


def test_a_package_without_its_init_file_is_named_by_its_folder() -> None:
    files = {"shop/net.py": "def get(): pass\n", "shop/app.py": "from shop.net import get\n\ndef run(): get()\n"}

    assert triples(files, "calls") == {"shop.app.run calls shop.net.get"}
