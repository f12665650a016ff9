"""Model files in installed packages: located without importing the package, and verified before use."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

from mcp_graphrag.errors import PartMissing


def packaged_file(package: str, name: str, sha256: str, *, install: str) -> Path:
    """The path of a file inside an installed package.

    Raises PartMissing, with the command that installs it, if the file is missing or has another hash.
    """
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, name)
        if path.is_file():
            with path.open("rb") as content:
                if hashlib.file_digest(content, "sha256").hexdigest() != sha256:
                    raise PartMissing(
                        f"The model file {path.name} of {package} is damaged.", f"Reinstall it: {install}"
                    )
            return path
    raise PartMissing(f"The model files of {package} are not installed.", f"Install them: {install}")
