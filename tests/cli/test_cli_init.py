from pathlib import Path

from cli_runs import run

from mcp_graphrag.project import Project
from mcp_graphrag.settings import load_settings


def test_init_makes_a_folder_whose_settings_can_be_shared_and_whose_graph_stays(tmp_path: Path) -> None:
    first = run(tmp_path, "init")
    project = Project(tmp_path)
    config = project.config.read_text(encoding="utf-8")
    project.config.write_text("strict = true\n", encoding="utf-8")
    again = run(tmp_path, "init", ".")

    assert first.out == again.out
    assert first.out.splitlines()[0] == f"The graph of {tmp_path.name} is {project.graph}."
    assert (project.folder / ".gitignore").read_text(encoding="utf-8").split("\n")[1:4] == [
        "*",
        "!.gitignore",
        "!config.toml",
    ]
    assert project.config.read_text(encoding="utf-8") == "strict = true\n"
    # Every line is one that can be used when its mark is taken away.
    project.config.write_text("\n".join(each.removeprefix("# ") for each in config.splitlines()[1:]), encoding="utf-8")
    assert load_settings({"project": str(tmp_path)}, {}).origins["chunk_target"].startswith("project ")


def test_init_inside_another_project_names_it_and_makes_one_only_when_told(tmp_path: Path) -> None:
    run(tmp_path, "init")
    inner = tmp_path / "inner"
    inner.mkdir()

    refused = run(inner, "init")

    assert refused.code == 2
    assert refused.error.startswith(f"error: {inner} is part of the project {tmp_path}.")
    assert run(inner, "init", "--here").code == 0
    assert Project(inner).is_own


def test_the_page_on_projects_shows_what_the_commands_print(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "projects.md").read_text(encoding="utf-8")
    commands = page.partition("```console\n$ ")[2].partition("```")[0].split("$ ")
    folder = tmp_path / "wren"
    folder.mkdir()
    (folder / "a.md").write_text("The Wren Service depends on the Nest Database.", encoding="utf-8")
    config = tmp_path / "user.toml"
    config.write_text(f"db = '{tmp_path / 'user.duckdb'}'\n", encoding="utf-8")
    for each in commands:
        words, _, said = each.partition("\n")
        _, *given = words.split()
        ours = (
            []
            if given == ["init"]
            else ["--config", str(config), *([] if "--project" in given else ["--project", "auto"])]
        )
        ran = run(folder, *given, *ours)
        assert ran.err + ran.out == said.replace("/home/ann", str(tmp_path))


def test_a_command_uses_the_graph_of_the_project_that_it_runs_in(tmp_path: Path) -> None:
    run(tmp_path, "init")
    below = tmp_path / "src"
    below.mkdir()
    users = tmp_path / "user.toml"
    users.write_text(f"db = '{tmp_path / 'user.duckdb'}'\n", encoding="utf-8")

    ran = run(below, "ingest", "--text", "The mill is red.", "--config", str(users), "--project", "auto")

    assert ran.code == 0, ran.err
    assert Project(tmp_path).graph.exists()
    assert not (tmp_path / "user.duckdb").exists()
