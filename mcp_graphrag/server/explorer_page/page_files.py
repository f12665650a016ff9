"""The files of the explorer's page, and of them the one that an MCP host shows beside an answer."""

import re
from functools import cache
from importlib.resources import files

FILES = files(__name__.rpartition(".")[0])
TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
NAME = re.compile(r"/((?:vendor/)?[a-z_.]+\.(html|css|js|svg))")
# Inlined in this order: a module stands behind those that it imports.
VIEW_MODULES = (
    "vendor/cytoscape.esm.min.js", "elements.js", "colours.js", "drawing.js", "quotes.js", "chains.js",
    "impact_tree.js", "host.js", "view.js",
)  # fmt: skip
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) )", re.MULTILINE)
_DEFAULT = re.compile(r"export\s*\{\s*(\w+) as default\s*\};?")


def page_file(path: str) -> tuple[str, bytes] | None:
    """The media type and the content of a file of the page by the path of its URL, None if there is none."""
    named = NAME.fullmatch("/index.html" if path == "/" else path)
    if named is None:
        return None
    file = FILES.joinpath(*named[1].split("/"))
    return (TYPES[named[2]], file.read_bytes()) if file.is_file() else None


@cache
def view_html() -> str:
    """The page that a host shows for the answer of a tool: all in one, as it may fetch nothing."""
    page, styles = _read("view.html"), _read("style.css")
    # Each module as it is, without what binds it to the others: they have no name twice.
    modules = "\n".join(_joined(_read(name)) for name in VIEW_MODULES)
    return page.replace("/*style*/", styles).replace("/*script*/", modules.replace("</script", "<\\/script"))


def _joined(module: str) -> str:
    if library := _DEFAULT.search(module):  # whose own names are short
        return f"const cytoscape = (() => {{ {module[: library.start()]} return {library[1]}; }})();"
    return _EXPORT.sub("", _IMPORT.sub("", module))


def _read(name: str) -> str:
    return FILES.joinpath(*name.split("/")).read_text(encoding="utf-8")
