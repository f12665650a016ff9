import json

from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.hosts.json_text import drop, get, parse, put

VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))
OBJECTS = st.dictionaries(st.text(), VALUES | st.dictionaries(st.text(), VALUES, max_size=3), max_size=4)
ENTRY = {"command": "x", "args": ["a, }", "// no comment"]}


@given(OBJECTS, st.dictionaries(st.text(), VALUES, min_size=1, max_size=3), st.sampled_from([None, 2, "\t"]), st.data())
def test_an_entry_that_is_put_in_and_taken_out_leaves_every_character(
    outer: dict[str, object], servers: dict[str, object], indent: int | str | None, data: st.DataObject
) -> None:
    others = {key: value for key, value in servers.items() if key != "ours"}
    items = list({**outer, "servers": {**others, "other": 1}}.items())
    text = json.dumps(dict(data.draw(st.permutations(items))), indent=indent, ensure_ascii=False)
    if indent is not None:
        text = text.replace("\n", data.draw(st.sampled_from(["\n", "\r\n", " // }, {\n", " /* ] */\n"])))
    before = parse(text).value
    made = put(text, ["servers", "ours"], ENTRY)
    assert get(made, ["servers", "ours"]) == ENTRY
    assert {**before, "servers": {**before["servers"], "ours": ENTRY}} == parse(made).value
    assert drop(made, ["servers", "ours"]) == text
