"""An office file as the archive it is, checked before anything reads it, and what it says of itself.

Refused are too much after unpacking, too many parts, encryption, macros, and document type definitions, with which
entities would be defined or fetched. Archives within it are never opened.
"""

import io
import re
import zipfile
import zlib
from xml.etree import ElementTree as ET

from mcp_graphrag.errors import Unreadable
from mcp_graphrag.ingest.decode import normalize_characters
from mcp_graphrag.ingest.office.no_name import NO_NAME

MAX_UNPACKED = 200_000_000  # bytes of all parts
_MAX_PART = 100_000_000
_MAX_PARTS = 10_000
_MAX_DEPTH = 200  # elements within each other
_PIECE = 1 << 20
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")  # the archives of Office before 2007, and around what is encrypted
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_DEFINITIONS = (b"<!doctype", b"<!entity")
_PROPERTIES = "docProps/core.xml"
_NAMES = {
    "title": "title", "creator": "author", "subject": "subject", "keywords": "keywords", "description": "description",
    "created": "date", "modified": "updated",
}  # fmt: skip
# Of the templates that python-docx and python-pptx begin each file with; they say nothing of the file.
_OF_TEMPLATES = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z", "2013-01-27T09:15:58Z"})
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T[\d:.]+(?:Z|[+-]\d\d:\d\d)?")


class CheckedZip:
    """The XML parts of an office file, by name. `content` is the file as it was given."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._parts = _checked_parts(content)

    @property
    def names(self) -> list[str]:
        """The names of its XML parts, as they stand in the archive."""
        return list(self._parts)

    def has(self, name: str) -> bool:
        """Whether it has an XML part of that name."""
        return name in self._parts

    def text(self, name: str) -> bytes:
        """A part as bytes. Raises Unreadable where it is missing."""
        if name not in self._parts:
            raise refused(f"is damaged: {name} is missing")
        return self._parts[name]

    def xml(self, name: str) -> ET.Element:
        """The root of a part. Raises Unreadable where it is missing, no XML or nested too deeply."""
        root: ET.Element | None = None
        depth = 0
        try:
            for event, element in ET.iterparse(io.BytesIO(self.text(name)), ("start", "end")):  # noqa: S314  no DTD
                root = element if root is None else root
                depth += 1 if event == "start" else -1
                if depth > _MAX_DEPTH:
                    raise refused(f"has more than {_MAX_DEPTH} elements within each other")
        except (ET.ParseError, LookupError, ValueError) as error:
            raise refused(f"is damaged: {name} is no XML") from error
        if root is None:
            raise refused(f"is damaged: {name} is empty")
        return root


def core_properties(archive: CheckedZip) -> dict[str, str]:
    """Title, author and dates by the names that metadata has for them; those without a value are left out."""
    if not archive.has(_PROPERTIES):
        return {}
    found: dict[str, str] = {}
    for element in archive.xml(_PROPERTIES):
        name = _NAMES.get(element.tag.rpartition("}")[2])
        value = " ".join(normalize_characters(element.text or "").split())
        if name is not None and value not in _OF_TEMPLATES and not NO_NAME.fullmatch(value):
            moment = _MOMENT.fullmatch(value)
            found[name] = moment[1] if moment is not None else value
    return found


def refused(reason: str) -> Unreadable:
    """The error for an office file that is not read."""
    return Unreadable(f"The file {reason}.", "Save it anew with the program that made it, or leave it out.", reason)


def _checked_parts(content: bytes) -> dict[str, bytes]:
    """The XML parts, after every part has been unpacked once: what the directory says of sizes may be wrong."""
    if content.startswith(_COMPOUND):
        is_encrypted = _ENCRYPTED in content
        raise refused("is protected by a password" if is_encrypted else "has the format that Office had before 2007")
    parts: dict[str, bytes] = {}
    unpacked = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if len(members) > _MAX_PARTS:
                raise refused(f"has {len(members)} parts, the limit is {_MAX_PARTS}")
            for member in members:
                _check(member)
                unpacked += member.file_size
                if unpacked > MAX_UNPACKED:
                    raise refused(f"is larger than {MAX_UNPACKED // 1_000_000} MB after unpacking")
            for member in members:
                _read_part(archive, member, parts)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise refused("is damaged, or not the kind of file that its name says") from error
    return parts


def _check(member: zipfile.ZipInfo) -> None:
    if member.flag_bits & 1:
        raise refused("is protected by a password")
    if member.file_size > _MAX_PART:
        raise refused(f"has a part larger than {_MAX_PART // 1_000_000} MB after unpacking")
    if member.filename.lower().endswith("vbaproject.bin"):
        raise refused("contains macros")


def _read_part(archive: zipfile.ZipFile, member: zipfile.ZipInfo, parts: dict[str, bytes]) -> None:
    """Unpack a part, which fails if it is not as long as the directory says; XML is kept."""
    is_xml = member.filename.lower().endswith((".xml", ".rels", ".vml"))
    pieces: list[bytes] = []
    with archive.open(member) as stream:
        while piece := stream.read(_PIECE):
            if is_xml:
                pieces.append(piece)
    if is_xml:
        whole = b"".join(pieces)
        start = whole.replace(b"\0", b"").lower()
        if any(word in start for word in _DEFINITIONS):
            raise refused("defines XML entities or a document type")
        parts[member.filename] = whole
