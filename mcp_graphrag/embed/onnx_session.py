"""Sessions of onnxruntime: one thread each, on the processor."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from mcp_graphrag.errors import PartMissing

PROVIDERS = ["CPUExecutionProvider"]


def start_session(model: bytes, embedder: str, install: str) -> Any:
    """A session of a model. Raises PartMissing where onnxruntime is not installed."""
    try:
        # Imported by name, because there are platforms without it.
        onnx: Any = import_module("onnxruntime")
    except ImportError as error:
        raise PartMissing(f"The embedder {embedder} needs onnxruntime.", f"Install it: {install}") from error
    options = onnx.SessionOptions()
    options.log_severity_level = 3
    # More threads wait for each other actively: they double the CPU time and save a fifth of the time.
    options.intra_op_num_threads = 1
    return onnx.InferenceSession(model, options, providers=PROVIDERS)


def first_missing(packages: Sequence[str]) -> str:
    """The first of the packages that is not installed, "" if all are."""
    return next((name for name in packages if find_spec(name) is None), "")
