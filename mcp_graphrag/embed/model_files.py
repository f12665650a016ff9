"""Models in installed packages: their files are found without importing the package, and verified before use."""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mcp_graphrag.errors import PartMissing


def first_missing(packages: Sequence[str]) -> str:
    """The first of the packages that is not installed, "" if all are."""
    return next((name for name in packages if find_spec(name) is None), "")


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


def needed_module(name: str, *, embedder: str, install: str) -> Any:
    """A module that not every install has. Raises PartMissing, with the command that installs it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise PartMissing(f"The embedder {embedder} needs {name}.", f"Install it: {install}") from error


def start_session(model: bytes, *, embedder: str, install: str) -> Any:
    """A session of onnxruntime, for a model in the format of ONNX. Raises PartMissing without onnxruntime."""
    onnx = needed_module("onnxruntime", embedder=embedder, install=install)
    options = onnx.SessionOptions()
    options.log_severity_level = 3
    # More threads wait for each other actively: they double the CPU time and save a fifth of the time.
    options.intra_op_num_threads = 1
    return onnx.InferenceSession(model, options, providers=["CPUExecutionProvider"])
