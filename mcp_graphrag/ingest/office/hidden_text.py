"""The hidden text of a Word document, taken out of it; deleted text and comments are left out by the library."""

import io
import zipfile
from collections.abc import Set
from xml.etree import ElementTree as ET

from mcp_graphrag.ingest.office.checked_zip import CheckedZip

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_STYLES = "word/styles.xml"
_OFF = frozenset({"0", "false", "off"})


def without_hidden_text(archive: CheckedZip) -> tuple[bytes, str]:
    """The file without its hidden text, and a note where it has some. Raises Unreadable for damaged XML."""
    names = [name for name in (_STYLES, *_PARTS) if archive.has(name)]
    if not any(b"vanish" in archive.text(name) for name in names):
        return archive.content, ""
    roots = {name: archive.xml(name) for name in names}
    styles = _hidden_styles(roots.pop(_STYLES, ET.Element("")))
    if not sum([_empty_hidden(root, styles) for root in roots.values()]):
        return archive.content, ""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive.content)) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            new.writestr(name, ET.tostring(roots[name]) if name in roots else old.read(name))
    return into.getvalue(), "has hidden text, which is left out."


def _hidden_styles(styles: ET.Element) -> Set[str]:
    """The ids of the styles that hide text, also by the style that they are based on."""
    every = {style.get(f"{_W}styleId", ""): style for style in styles.iter(f"{_W}style")}
    says = {name: _says_hidden(style.find(f"{_W}rPr")) for name, style in every.items()}
    hidden = {name for name, is_hidden in says.items() if is_hidden}
    for _ in range(10):  # styles that one is based on
        hidden |= {name for name in every if says[name] is None and _value(every[name], "basedOn") in hidden}
    return hidden


def _empty_hidden(root: ET.Element, styles: Set[str]) -> int:
    """Empty the hidden runs of a part; how many there were."""
    emptied = 0
    for paragraph in root.iter(f"{_W}p"):
        in_hidden = _value(paragraph.find(f"{_W}pPr"), "pStyle") in styles
        for run in paragraph.iter(f"{_W}r"):
            properties = run.find(f"{_W}rPr")
            own = _says_hidden(properties)
            if own or (own is None and (in_hidden or _value(properties, "rStyle") in styles)):
                run.clear()
                emptied += 1
    return emptied


def _says_hidden(properties: ET.Element | None) -> bool | None:
    """Whether properties hide a text; None where they say nothing of that."""
    found = properties.find(f"{_W}vanish") if properties is not None else None
    return None if found is None else found.get(f"{_W}val", "true") not in _OFF


def _value(element: ET.Element | None, name: str) -> str:
    found = element.find(f"{_W}{name}") if element is not None else None
    return found.get(f"{_W}val", "") if found is not None else ""
