"""Source code that nobody of the project wrote: copies of other projects, output of tools, minified scripts."""

import re
from collections.abc import Sequence
from pathlib import PurePath

VENDORED = "vendored code"
GENERATED = "generated code"
MINIFIED = "minified code"
_VENDOR_FOLDERS = frozenset(
    {"vendor", "vendors", "vendored", "_vendor", "_vendored", "third_party", "third-party", "thirdparty", "externals"}
    | {"node_modules", "bower_components", "jspm_packages", "godeps", "pods", "carthage"}
)
_GENERATED_NAME = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.gw)?\.go|_generated\.\w+|\.generated\.\w+|\.g\.\w+|\.min\.(?:js|css|mjs))\Z"
)
# A first line that is nothing but the name of a tool, as Cython writes it.
_GENERATED_BY = re.compile(
    r"\A\s*(?:#|//|/\*+)\s*(?:auto-?|automatically )?generated (?:by|with|using) [\w.+-]+(?: v?\d[\w.]*)?"
    r"\s*(?:\*/)?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# In a comment at the top, as generators of many languages write it.
_GENERATED_MARK = re.compile(
    r"^[ \t]*(?:#|//|/?\*+|--|<!--|;)[^\n]{0,60}(?:@generated\b|\bcode generated\b[^\n]{0,80}\bdo not edit\b"
    r"|\b(?:file (?:is|was|has been)|code (?:is|was)) (?:auto-?|automatically |machine[- ])generated\b"
    r"|\bgenerated (?:by|from)\b[^\n]{0,80}\bdo not (?:edit|modify)\b"
    r"|\bdo not (?:edit|modify)\b[^\n]{0,60}\bgenerated\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TOP = 1_500  # characters in which such a comment stands
_MIN_MINIFIED, _MAX_MEAN_LINE = 2_000, 200  # characters
_SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".css", ".ts"})


def why_not_written(path: PurePath, folders: Sequence[str], text: str) -> str:
    """Why a file of source code is skipped, "" if it is not; `folders` are those below the one that was named."""
    if not _VENDOR_FOLDERS.isdisjoint(folder.lower() for folder in folders):
        return VENDORED
    if _GENERATED_NAME.search(path.name):
        return MINIFIED if ".min." in path.name else GENERATED
    if _GENERATED_MARK.search(text[:_TOP]) or _GENERATED_BY.match(text[:_TOP]):
        return GENERATED
    if (
        path.suffix.lower() in _SCRIPTS
        and len(text) >= _MIN_MINIFIED
        and len(text) / (text.count("\n") + 1) > _MAX_MEAN_LINE
    ):
        return MINIFIED
    return ""
