import pytest
from cli_runs import Cli, ingested

TEXT = (
    "The Mill Service depends on the River Database. The River Database depends on the Weir Service."
    " The Mill Service depends on the Weir Service.\n"
)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file of one theme, too large for communities to be stored without being asked for."""
    words = ("--uri", "note:plan", "--max-community-triples", "0")
    return ingested(tmp_path_factory.mktemp("communities"), TEXT, *words)


@pytest.mark.slow
def test_communities_are_shown_built_on_demand_and_kept(cli: Cli) -> None:
    shown = cli("communities").out
    assert shown.startswith("1 community (level 0: 1)\n\n### Mill Service, River Database and Weir Service")
    assert "— note:plan:1" in shown
    assert cli("communities", "1").out.startswith("0 communities inside community 1\n\n### Mill Service")
    assert cli("communities", "--rebuild", "--json").fields == {"built": 1, "kept": 0, "removed": 0}
    assert cli("communities", "--rebuild", "--json").fields == {"built": 0, "kept": 1, "removed": 0}
    large = cli("communities", "--max-community-triples", "0", "--query", "weir", "--json").fields
    assert [each["size"] for each in large["communities"]] == [3]


def test_what_cannot_be_is_an_error(cli: Cli) -> None:
    assert cli("communities", "99").code == 3
    assert cli("communities", "--rewrite").error.startswith("error: --rewrite belongs to --rebuild.")
    keyless = cli("communities", "--rebuild", "--rewrite", variables={"ANTHROPIC_API_KEY": ""})
    assert (keyless.code, keyless.error.startswith("error: Claude needs a key.")) == (5, True)
