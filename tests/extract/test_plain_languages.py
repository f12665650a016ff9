"""Languages that a query file describes: what is defined, imported and called, and what is left open."""

import pytest
from code_helpers import read, triples

from mcp_graphrag.source_code import plain_languages

C = {
    "src/util.h": "static inline int twice(int a) { return a; }\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n",
    "src/util.c": """
        #include "util.h"
        #include <stdio.h>
        typedef struct { int size; } Box;
        static int helper(void) { return 1; }
        int *add(int a, int b) { printf("x"); return helper() + MAX(a, b) + twice(a); }
        """,
    "src/main.c": "int main(int (*helper)(void)) { helper(); lost(); return add(1, 2) + same(); }\n",
    "src/one.c": "int same(void) { return 1; }\n",
    "src/two.c": "int same(void) { helper(); return 2; }\n",
}


def test_a_call_of_c_is_of_its_file_an_included_one_or_the_only_definition_that_others_see() -> None:
    assert triples(C, "contains", "imports", "calls") == {
        "util contains util.Box",
        "util contains util.helper",
        "util contains util.add",
        "util.h contains util.h.twice",
        "util.h contains util.h.MAX",
        "main.c contains main.main",
        "one contains one.same",
        "two contains two.same",
        "util imports util.h",
        "util imports stdio.h",
        "util.add calls util.helper",
        "util.add calls util.h.MAX",
        "util.add calls util.h.twice",
        "main.main calls util.add",  # not helper, a parameter; same is defined twice
    }


CPP = {
    "include/db.h": """
        namespace kv {
        class API Base { public: void stop() {} };
        class DB : public Base { public: void get(); int size(); };
        }
        """,
    "src/db.cc": """
        #include "db.h"
        namespace kv {
        namespace { int hidden() { return 1; } }
        void DB::get() { hidden(); this->size(); stop(); other(); std::sort(1); }
        int DB::size() const GUARDED(lock) { return 0; }
        }
        """,
    "src/main.cc": '#include "db.h"\nusing namespace kv;\nint main() { DB db; db.get(); kv::Base(); }\n',
}


def test_a_method_of_cpp_is_of_the_class_in_its_header() -> None:
    assert triples(CPP, "contains", "extends", "calls") == {
        "kv contains kv::Base",
        "kv contains kv::DB",
        "include/db contains kv::Base",
        "include/db contains kv::DB",
        "kv contains src/db.kv::hidden",
        "src/db contains src/db.kv::hidden",
        "kv::Base contains kv::Base::stop",
        "kv::DB contains kv::DB::get",
        "kv::DB contains kv::DB::size",
        "src/main contains src/main.main",
        "kv::DB extends kv::Base",
        "kv::DB::get calls src/db.kv::hidden",
        "kv::DB::get calls kv::DB::size",
        "kv::DB::get calls kv::Base::stop",
        "src/main.main calls kv::Base",
    }


OTHERS = {
    "csharp": (
        {
            "A/Order.cs": """
                namespace Shop.Models {
                public partial class Order : Base, IThing { void Place() { Save(); Tool.Run(); Math.Abs(1); } }
                }
                """,
            "A/Save.cs": """
                namespace Shop.Models;
                partial class Order { void Save() { base.Log(); } }
                class Base { void Log() {} }
                """,
            "B/Tool.cs": """
                using Shop.Models;
                namespace Shop {
                class Tool { static void Run() { var order = new Order(); order.Place(); } }
                interface IThing {}
                }
                """,
        },
        {
            "B/Tool imports Shop.Models",
            "Shop.Models.Order extends Shop.Models.Base",
            "Shop.Models.Order implements Shop.IThing",
            "Shop.Models.Order.Place calls Shop.Models.Order.Save",
            "Shop.Models.Order.Place calls Shop.Tool.Run",
            "Shop.Models.Order.Save calls Shop.Models.Base.Log",
            "Shop.Tool.Run calls Shop.Models.Order",
        },
    ),
    "php": (
        {
            "src/Shop.php": r"""
                <?php
                namespace App\Http;
                use App\Data\Model as M;
                class Shop extends M {
                  function go() { $this->own(); self::make(); parent::save(); M::find(); help(); }
                  function own() { new Shop(); $x->own(); }
                  static function make() {}
                }
                function help() {}
                """,
            "src/Model.php": r"""
                <?php
                namespace App\Data;
                require __DIR__ . '/Shop.php';
                class Model { function save() { help(); } static function find() {} }
                """,
        },
        {
            "Shop.php imports App.Data.Model",
            "Shop.php imports Model.php",
            "Model.php imports Shop.php",
            "App.Http.Shop extends App.Data.Model",
            "App.Http.Shop.go calls App.Http.Shop.own",
            "App.Http.Shop.go calls App.Http.Shop.make",
            "App.Http.Shop.go calls App.Data.Model.save",
            "App.Http.Shop.go calls App.Data.Model.find",
            "App.Http.Shop.go calls App.Http.help",
            "App.Http.Shop.own calls App.Http.Shop",
        },
    ),
    "ruby": (
        {
            "lib/web/request.rb": """
                require "web/tools"
                require_relative "base"
                module Web
                  class Request < Base
                    include Helpers
                    def initialize(a)
                      go(a)
                      self.params
                      Tools.escape(1)
                      Tools::Inner.new
                      a.params
                    end
                    def params; end
                  end
                  module Helpers; end
                end
                """,
            "lib/web/base.rb": "module Web\n  class Base\n    def go(x); end\n  end\nend\n",
            "lib/web/tools.rb": "module Web\n  module Tools\n  def self.escape(x); end\n  class Inner; end\nend\nend\n",
        },
        {
            "request.rb imports base.rb",
            "request.rb imports tools.rb",
            "Web::Request extends Web::Base",
            "Web::Request implements Web::Helpers",
            "Web::Request::initialize calls Web::Base::go",
            "Web::Request::initialize calls Web::Request::params",
            "Web::Request::initialize calls Web::Tools::escape",
            "Web::Request::initialize calls Web::Tools::Inner",
        },
    ),
    "kotlin": (
        {
            "a/Shop.kt": """
                package com.a
                import com.b.Bar
                import com.b.helper as h
                class Shop(val call: (Int) -> Int) : Base(), Thing {
                    fun go() { own(); call(1); h(2); Bar.make(); hidden(); inherited() }
                    fun own() {}
                }
                open class Base { fun inherited() {} }
                interface Thing
                private fun hidden() {}
                """,
            "b/Bar.kt": """
                package com.b
                class Bar {
                    companion object {
                        fun make() = Bar()
                    }
                }
                fun helper(x: Int) = hidden()
                """,
        },
        {
            "a/Shop imports b/Bar",
            "a/Shop imports com.b.Bar",
            "a/Shop imports com.b.helper",
            "com.a.Shop extends com.a.Base",
            "com.a.Shop implements com.a.Thing",
            "com.a.Shop.go calls com.a.Shop.own",
            "com.a.Shop.go calls com.b.helper",
            "com.a.Shop.go calls com.b.Bar.make",
            "com.a.Shop.go calls a/Shop.com.a.hidden",
            "com.a.Shop.go calls com.a.Base.inherited",
            "com.b.Bar.make calls com.b.Bar",
        },
    ),
    "swift": (
        {
            "A.swift": """
                class User: Base {
                    func go() { own(); self.own(); Other.make(); helper(1); call() }
                    func own() {}
                    let call: () -> Void
                }
                class Base {}
                """,
            "B.swift": """
                import Foundation
                extension User { func more() { own() } }
                class Other { static func make() { User() } }
                func helper(_ x: Int) {}
                """,
        },
        {
            "B imports Foundation",
            "A.User extends A.Base",
            "A.User.go calls A.User.own",
            "A.User.go calls B.Other.make",
            "A.User.go calls B.helper",
            "A.User.more calls A.User.own",
            "B.Other.make calls A.User",
        },
    ),
    "scala": (
        {
            "A.scala": """
                package shop
                package model
                import shop.util.{Tool => T, Other}
                class Order extends Base { def place() = { own(); T.run(1); new Order(); lost() }
                  def own() = 1 }
                class Base
                """,
            "B.scala": "package shop.util\nobject Tool { def run(x: Int) = x }\nclass Other\n",
        },
        {
            "A imports B",
            "A imports shop.util.Tool",
            "A imports shop.util.Other",
            "shop.model.Order extends shop.model.Base",
            "shop.model.Order.place calls shop.model.Order.own",
            "shop.model.Order.place calls shop.util.Tool.run",
            "shop.model.Order.place calls shop.model.Order",
        },
    ),
    "bash": (
        {
            "lib.sh": "log() { echo $1; }\n",
            "run.sh": 'source "$(dirname "$0")/lib.sh"\nmain() { log x; ls; }\nmain\n',
            "more.sh": "log() { :; }\n",
        },
        {"run imports lib", "run.main calls lib.log", "run calls run.main"},
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_imported_inherited_and_called_in(language: str) -> None:
    files, stated = OTHERS[language]

    assert triples(files, "imports", "extends", "implements", "calls") == stated


def test_classes_that_extend_what_is_in_each_other_are_read() -> None:
    files = {"a.kt": "package a\nclass A : B.C() {\n  class D\n}\nclass B : A.D() {\n  class C\n}\n"}

    assert triples(files, "extends") == {"a.A extends a.B.C", "a.B extends a.A.D"}


def test_files_whose_grammar_is_not_installed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_languages, "_MISSING", {".zig": "zig"})

    (found,) = read({"a.zig": "fn f() void {}\n"})

    assert found.dropped == {"structure of files in zig, which `pip install 'mcp-graphrag[languages]'` reads": 1}


def test_what_is_not_certain_is_counted() -> None:
    assert sum(each.dropped.get("calls of what is not certain", 0) for each in read(C)) == 5


def test_a_file_that_is_nested_without_end_is_read_in_time_for_its_size() -> None:
    deep = "int f(void) { return " + "(" * 20_000 + "1" + ")" * 20_000 + "; }\nint g(void) { return f(); }\n"

    assert "a.g calls a.f" in triples({"a.c": deep}, "calls")
