"""What reference documentation states by its signatures."""

import pytest
from extract_helpers import stated, triples


def test_a_signature_states_parameters_that_have_a_name_of_their_own() -> None:
    text = "`send_parcel`(to, message, from_depot, *, fail_silently=False, **kwargs)[[source]](../_modules/p.html)\n"

    assert stated(text) == [
        ("send_parcel()", "has_parameter", "from_depot"),
        ("send_parcel()", "has_parameter", "fail_silently"),
    ]


def test_optional_parameters_in_square_brackets_are_read() -> None:
    assert stated("#### `lanes.measure(name[, startMark[, endMark]])`\n\nMeasures.\n") == [
        ("lanes.measure()", "has_parameter", "startMark"),
        ("lanes.measure()", "has_parameter", "endMark"),
    ]


def test_the_signature_of_a_class_states_its_base_class() -> None:
    assert stated("class `AtomFeed`(SyndicatedFeed)[source](../x.html)\n") == [
        ("AtomFeed", "extends", "SyndicatedFeed")
    ]


def test_a_prototype_in_quoted_code_states_parameters() -> None:
    code = "int lane_blob_open(\n>   lane*,\n>   const char *zDb,   /* a, b */\n>   lane_blob **ppBlob\n> );"
    text = f"> ```\n> {code}\n> ```\n"

    assert stated(text) == [
        ("lane_blob_open()", "has_parameter", "zDb"),
        ("lane_blob_open()", "has_parameter", "ppBlob"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        # A function with a body is an example.
        "```\nstatic int\nlane_blob_open (lane *one, const char *zDb)\n{\n  return 1;\n}\n```\n",
        "`append_lane` (or something_else that is long) is here.\n",
    ],
)
def test_what_is_no_signature_states_nothing(text: str) -> None:
    assert stated(text) == []


def test_terms_that_a_licence_defines_are_no_names() -> None:
    terms = '"Licensor" shall mean the owner. "Contributor" means each person. A "Work" is any program.'
    said = "The Contributor grants the Work to the Licensor. Acme Corp uses Redis."
    assert triples(f"{terms} {said}") == [("Acme Corp", "uses", "Redis")]
