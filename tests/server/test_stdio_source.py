"""Over MCP a source is read in parts, each line with its number, and read on where an answer ends."""

from pathlib import Path

from served import served_here, text_of


def test_several_places_are_read_at_once_and_what_is_unknown_or_left_out_is_named(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("".join(f"{name[0]}{number} = {number}\n" for number in range(1, 2_000)))
    with served_here(tmp_path / "graph.duckdb", roots=(str(tmp_path),), toolsets="all") as ask:
        ask("ingest", paths=["a.py", "b.py"])
        found = ask.result("get_source", {"what": ["a.py:1-2,9", "c.py", "b.py:3"]})
        said = text_of(found)
        assert said.startswith("### a.py:1-2\n1  a1 = 1\n2  a2 = 2\n### a.py:9-9\n9  a9 = 9\n### b.py:3-3\n3  b3 = 3\n")
        assert "named 'c.py'" in said
        assert "No document, heading or definition named 'c.py'" in ask.refused("get_source", what=["c.py"])
        cut = ask("get_source", what=["a.py", "b.py:3"])
        assert cut["truncated"]
        assert cut["hint"].endswith("-1999 Not shown: b.py:3.")


def test_lines_have_their_numbers_an_outline_too_and_what_is_cut_is_read_on_by_lines(tmp_path: Path) -> None:
    body = "\n".join(f"    total += {number}" for number in range(2_000))
    (tmp_path / "till.py").write_text(f"def count(total):\n{body}\n    return total\n", encoding="utf-8")
    with served_here(tmp_path / "graph.duckdb", roots=(str(tmp_path),), toolsets="all") as ask:
        ask("ingest", paths=["till.py"])
        said = text_of(ask.result("get_source", {"what": "till.py:1-2"}))
        assert said == "### till.py:1-2\n1  def count(total):\n2      total += 0"
        outline = text_of(ask.result("get_source", {"what": "till.py", "outline": True}))
        assert outline == "### till.py\n1  def count(total):"
        first = ask("get_source", what="till.count")
        rest = first["hint"].removeprefix("Read on with get_source ")
        assert rest == f"till.py:{first['lines'][1] + 1}-2002"
        second = ask("get_source", what=rest)
        assert second["lines"][0] == first["lines"][1] + 1
        assert body.startswith((first["text"] + second["text"]).partition("\n")[2].rstrip("\n"))
