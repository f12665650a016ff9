from pathlib import Path

import pytest
from cli_runs import Cli
from company_corpus import copy_corpus


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on the demo corpus."""
    folder: Path = tmp_path_factory.mktemp("demo").resolve()
    (folder / "corpus").mkdir()
    copy_corpus(folder / "corpus")
    made = Cli(folder)
    assert made("ingest", "corpus").code == 0
    return made


CLAIMS = [
    ("Notification Service is owned by the Messaging Team", "unknown", True),
    ("Platform Team owns the Auth Service", "contradicted", False),
    ("The Auth Service was owned by the Platform Team until 1 March 2025.", "supported", False),
    ("Billing Service depends on the User Database", "supported", False),
    ("The Operator Console depends on UserDB", "supported", False),
    ("Boarding Service does not depend on Booking Service", "contradicted", False),
    ("Reporting Service depends on the Auth Service", "unknown", False),
    ("The User Database is a component", "supported", False),
]


@pytest.mark.slow
def test_claims_about_the_demo_corpus_get_the_verdicts_that_its_documents_give(cli: Cli) -> None:
    text = " ".join(f"{claim.removesuffix('.')}." for claim, _, _ in CLAIMS)
    found = cli("check", text, "--json").fields["claims"]
    verdicts = [(each["verdict"], each.get("disputed", False)) for each in found]
    assert verdicts == [(verdict, disputed) for _, verdict, disputed in CLAIMS]


def test_a_dispute_ends_where_one_source_is_trusted_more(cli: Cli) -> None:
    words = ("check", CLAIMS[0][0], "--json")
    trusted = [
        cli(*words, "--source-precedence", title).fields["verdict"]
        for title in ("Service catalogue", "Security audit, spring 2025")
    ]
    assert trusted == ["supported", "contradicted"]
