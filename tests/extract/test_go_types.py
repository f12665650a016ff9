"""Go: what values are, what a file says its types implement, and the variables of packages."""

from code_helpers import triples

GO_MOD = "module shop\n"
TILL = """
package till

import "errors"

var ErrEmpty = errors.New("empty")

const limit = 3

type Counter interface { Count() int }

type Till struct { box *Box; rows map[string][]Box }

type Box struct{}

func New() (*Till, error) { return nil, ErrEmpty }

func (b *Box) Open() {}

func (b Box) Count() int { return limit }

func (t *Till) Sell(other *Box) {
	t.box.Open()
	other.Open()
}

func (t *Till) Each() {
	for _, row := range t.rows["a"] {
		row.Open()
	}
}

var _ Counter = (*Box)(nil)
"""
WEB = """
package web

import "shop/till"

var (
	_ till.Counter = &Desk{}
	Main = &till.Box{}
)

type Desk struct{ till.Box; ErrEmpty error }

var ErrEmpty = till.ErrEmpty

func kept() Desk { return Desk{ErrEmpty: nil} }

func page() error {
	made, err := till.New()
	made.Sell(new(till.Box))
	if err == till.ErrEmpty {
		return till.ErrEmpty
	}
	return nil
}

func shared() { Main.Open() }

func inherited(desk Desk) { desk.Open() }

func either(known bool, any interface{ Open() }) {
	made := till.Box{}
	if known {
		made := any
		made.Open()
	}
	any.Open()
}

func asserted(any interface{}) {
	if box, ok := any.(*till.Box); ok {
		box.Open()
	}
}
"""
FILES = {"go.mod": GO_MOD, "till/till.go": TILL, "web/web.go": WEB}


def test_methods_are_called_through_parameters_fields_literals_results_and_variables() -> None:
    assert triples(FILES, "calls") == {
        "shop/till.Till.Sell calls shop/till.Box.Open",
        "shop/till.Till.Each calls shop/till.Box.Open",
        "shop/till.ErrEmpty calls errors.New",
        "shop/web.page calls shop/till.New",
        "shop/web.page calls shop/till.Till.Sell",
        "shop/web.shared calls shop/till.Box.Open",
        "shop/web.inherited calls shop/till.Box.Open",
        "shop/web.asserted calls shop/till.Box.Open",
    }


def test_a_value_for_the_blank_name_says_what_a_type_implements() -> None:
    assert triples(FILES, "implements") == {
        "shop/till.Box implements shop/till.Counter",
        "shop/web.Desk implements shop/till.Counter",
    }


def test_several_blank_names_of_one_declaration_say_it_of_each_type() -> None:
    several = "package pair\n\ntype I interface{}\n\ntype A struct{}\n\ntype B struct{}\n\nvar _, _ I = A{}, B{}\n"
    assert triples({"go.mod": GO_MOD, "pair/pair.go": several}, "implements") == {
        "shop/pair.A implements shop/pair.I",
        "shop/pair.B implements shop/pair.I",
    }


def test_exported_variables_are_definitions_and_their_uses_references() -> None:
    assert {each for each in triples(FILES, "contains") if each.endswith(("till.ErrEmpty", "Main", "limit"))} == {
        "shop/till contains shop/till.ErrEmpty",
        "shop/web contains shop/web.Main",
    }
    assert {each for each in triples(FILES, "references") if each.endswith("ErrEmpty")} == {
        "shop/till.New references shop/till.ErrEmpty",
        "shop/web.page references shop/till.ErrEmpty",
        "shop/web.ErrEmpty references shop/till.ErrEmpty",
    }
