from pathlib import Path

import pytest
from cli_runs import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A command line in a folder without a file."""
    return Cli(tmp_path.resolve())
