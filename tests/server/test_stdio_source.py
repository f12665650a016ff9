"""Over MCP a source is read in parts, each line with its number, and read on where an answer ends."""

from pathlib import Path

from served import served_here, text_of


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
