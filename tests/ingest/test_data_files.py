import json
from typing import Any

from mcp_graphrag.ingest import chunk_document, read_bytes
from mcp_graphrag.model import Block, Document


def read(name: str, text: str) -> Document:
    document = read_bytes(text.encode(), uri="a:b", name=name)
    starts = [block.start for block in document.blocks]
    assert [0, *(block.end for block in document.blocks)] == [*starts, len(document.text)]
    return document


def test_rows_of_csv_are_a_table_whose_titles_every_chunk_has() -> None:
    rows = "\n".join(f'"Service {number}, Inc";Team {number % 7};{number}' for number in range(400))
    chunks = chunk_document(read("a.csv", f"service;owner;port\n{rows}\n"))
    assert len(chunks) > 5
    header = "| service | owner | port |\n| --- | --- | --- |"
    assert chunks[0].text.startswith(header)
    assert {chunk.context for chunk in chunks[1:]} == {header}
    assert all(line.count("|") == 4 for chunk in chunks for line in chunk.text.splitlines())
    assert chunks[1].text.splitlines()[0].startswith("| Service ")


def test_a_bar_or_a_line_end_in_a_cell_does_not_end_it() -> None:
    assert read("a.tsv", 'a\tb\n"x\ny"\tp|q\n').text == "| a | b |\n| --- | --- |\n| x y | p\\|q |\n"


def test_numbers_are_no_titles_and_a_text_without_columns_stays_as_it_is() -> None:
    assert read("a.csv", "1,2\n3,4\n").text == "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n"
    assert read("a.csv", "only\nwords\n").blocks == [Block("data", 0, 11)]


def test_equal_titles_are_numbered() -> None:
    lines = "| service | owner (1) | Owner (2) |\n| --- | --- | --- |\n| Auth | Ana | Bob |\n"
    assert read("a.csv", "service,owner,Owner\nAuth,Ana,Bob\n").text == lines


def test_equal_values_of_the_first_row_are_no_titles() -> None:
    for text in ("Auth,yes,yes\nShop,no,yes\n", "yes,yes\nno,maybe\n"):
        assert set(read("a.csv", text).text.splitlines()[0]) == {"|", " "}


def test_flat_records_of_json_json_lines_and_yaml_are_the_same_table() -> None:
    records: list[dict[str, Any]] = [
        {"name": "Auth", "uses": ["A", "B"], "on": True},
        {"name": "Shop", "uses": [], "on": None},
    ]
    table = "| name | uses | on |\n| --- | --- | --- |\n| Auth | A, B | true |\n| Shop |  |  |\n"
    assert read("a.json", json.dumps(records, indent=2)).text == table
    assert read("a.jsonl", "\n".join(map(json.dumps, records))).text == table
    yaml = "# teams\n- name: Auth\n  uses: [A, B]\n- name: 'Shop'\n  uses: C\n"
    assert read("a.yaml", yaml).text == "| name | uses |\n| --- | --- |\n| Auth | A, B |\n| Shop | C |\n"


def test_a_list_below_a_key_of_a_yaml_record_is_a_cell() -> None:
    table = "| name | uses | on |\n| --- | --- | --- |\n| Auth | A, B | 1 |\n| Shop |  |  |\n"
    for items in ("  - A\n  - B\n", "    - A\n    - 'B'\n"):
        assert read("a.yaml", f"- name: Auth\n  uses:\n{items}  on: 1\n- name: Shop\n  uses:\n").text == table
    for nested in ("  uses:\n    - a: 1\n", "  uses: A\n    - B\n", "  uses:\n    - [A]\n"):
        assert read("a.yaml", f"- name: Auth\n{nested}- name: Shop\n  uses: B\n").text.startswith("- name")


def test_records_under_a_key_are_a_table_below_it() -> None:
    records: list[dict[str, Any]] = [{"name": "Auth", "uses": ["A", "B"]}, {"name": "Shop", "uses": []}]
    table = "| name | uses |\n| --- | --- |\n| Auth | A, B |\n| Shop |  |\n"
    document = read("a.json", json.dumps({"page": 1, "next": None, "services": records, "jobs": records}))
    assert document.text == f"page: 1\n\n{table}\n{table}\n"
    assert [(block.kind, block.headings) for block in document.blocks] == [
        ("data", ()), ("table", ("services",)), ("table", ("jobs",))
    ]  # fmt: skip
    for yaml in (
        "services:\n- name: Auth\n  uses: [A, B]\n- name: Shop\n",
        "services:\n  - name: Auth\n    uses: [A, B]\n  - name: Shop\n",
    ):
        assert read("a.yaml", yaml).text == f"{table}\n"
        assert read("a.yaml", yaml).blocks[0].headings == ("services",)
    assert read("a.yaml", f"{yaml}more: 1\n").blocks[0].kind == "data"
    deep = read("a.json", '{"services": [{"a": 1, "b": 2}, {"a": 1, "b": 2}], "deep": {"x": {"y": [[1]]}}}')
    assert [(block.kind, block.headings) for block in deep.blocks] == [("table", ("services",)), ("data", ("deep",))]
    assert deep.text.endswith('"deep": {"x": {"y": [[1]]}}}\n\n')


def test_objects_by_name_are_records_and_a_small_object_in_one_has_columns_of_its_own() -> None:
    table = "| name | image | port |\n| --- | --- | --- |\n| web | shop:2 | 80 |\n| db | pg:16 |  |\n\n"
    services = {"web": {"image": "shop:2", "port": 80}, "db": {"image": "pg:16"}}
    assert read("a.json", json.dumps({"services": services})).text == table
    assert read("a.yaml", "services:\n  web:\n    image: shop:2\n    port: 80\n  db:\n    image: pg:16\n").text == table
    assert read("a.json", '[{"name": "web", "at": {"rack": 4, "row": 1.50}}]').text == (
        "| name | at rack | at row |\n| --- | --- | --- |\n| web | 4 | 1.50 |\n"
    )


def test_yaml_of_other_forms_stays_as_it_is() -> None:
    for text in ("- &a {x: 1}\n- *a\n", "a: |\n  long\n   text\nb: c\n", "- a\n- b: 1\n   c: 2\n", "a: 1\n  b: 2\n"):
        assert read("a.yaml", text).text == text


def test_nested_json_stays_as_it_is_under_the_paths_of_its_keys() -> None:
    value = {"small": 1, "deps": {"list": [{"n": {"i": number}} for number in range(100)]}, "end": "x" * 700}
    text = json.dumps(value, indent=1)
    document = read("a.json", text)
    assert document.text == text
    for block in document.blocks[1:-1]:
        assert block.headings[:2] == ("deps", "list")
        first, _, last = block.headings[2].partition(" – ")
        assert f'"i": {first}\n' in text[block.start : block.end]
        assert f'"i": {last}\n' in text[block.start : block.end]
    assert (document.blocks[0].headings, document.blocks[-1].headings) == (("small",), ("end",))


def test_yaml_is_cut_at_its_keys() -> None:
    services = "\n".join(
        f"  svc{n}:\n    image: img{n}\n    ports:\n    - 80\n    about: {'word ' * 105}" for n in range(3)
    )
    document = read("a.yml", f"version: 3\nservices:\n{services}\nvolumes:\n- a\n- b\n")
    headings = [block.headings for block in document.blocks]
    assert headings == [("version",), *(("services", f"svc{n}") for n in range(3)), ("volumes",)]
    assert document.text[document.blocks[1].start :].startswith("services:\n  svc0:")


def test_broken_or_deep_json_is_read_as_text() -> None:
    assert read("a.json", '{"a": 1').blocks == [Block("data", 0, 7)]
    assert read("a.json", "[" * 5000 + "]" * 5000).blocks == [Block("data", 0, 10_000)]


def test_the_first_line_may_name_the_delimiter_for_excel() -> None:
    assert read("a.csv", "\ufeffsep=;\r\nname;price\r\nShop;1,50\r\n").text == (
        "| name | price |\n| --- | --- |\n| Shop | 1,50 |\n"
    )


def test_what_stands_alone_above_the_titles_of_a_table_is_a_paragraph() -> None:
    document = read("a.csv", "Report of May,,\n,,\nservice,owner,port\nShop,Ana Silva,1\n")
    table = "| service | owner | port |\n| --- | --- | --- |\n| Shop | Ana Silva | 1 |\n"
    assert document.text == f"Report of May\n\n{table}"
    assert [block.kind for block in document.blocks] == ["text", "table"]
    assert read("a.csv", "Fruit,\nApple,1\nPear,2\n").text == (
        "|  |  |\n| --- | --- |\n| Fruit |  |\n| Apple | 1 |\n| Pear | 2 |\n"
    )


def test_a_broken_line_does_not_take_the_records_of_the_others() -> None:
    lines = ['{"name": "Auth", "port": 1}', '{"name": "Shop", "port": 2}', '{"name": "Do']
    document = read("a.jsonl", "\n".join(lines))
    assert document.text == '| name | port |\n| --- | --- |\n| Auth | 1 |\n| Shop | 2 |\n\n{"name": "Do\n'
    assert document.note == "has lines that are no JSON (1); the first is line 3"
    assert read("a.jsonl", "\n".join([lines[0], *lines[2:] * 2])).blocks[0].kind == "data"


def test_a_notebook_of_format_3_has_its_cells_and_no_outputs() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Churn"]},
        {"cell_type": "markdown", "source": ["The model."]},
        {"cell_type": "code", "language": "python", "input": ["x = 1"], "outputs": [{"text": ["SECRET"]}]},
    ]
    document = read("a.ipynb", json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}))
    assert document.text == "## Churn\n\nThe model.\n\n```python\nx = 1\n```\n"
    assert document.metadata == {"language": "python"}


def test_a_notebook_has_its_cells_and_no_outputs() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Churn\n", "The model."]},
        {"cell_type": "code", "source": 'print("""```""")', "outputs": [{"text": "SECRET"}]},
        {"cell_type": "raw", "source": "left out"},
    ]
    document = read("a.ipynb", json.dumps({"metadata": {"kernelspec": {"language": "python"}}, "cells": cells}))
    assert document.text == '# Churn\nThe model.\n\n````python\nprint("""```""")\n````\n'
    assert (document.title, document.metadata) == ("Churn", {"language": "python"})
    assert [block.kind for block in document.blocks] == ["heading", "text", "code"]
