"""Signatures of functions and classes: "`send`(to, reply_to=None)" says that `send()` has the parameter `reply_to`."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.draft_triple import DraftTriple, Line
from mcp_graphrag.extract.structure.markup import ChunkLayout
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.identifiers import is_plain_variable
from mcp_graphrag.model import Chunk

MIN_LENGTH = 3  # of the name of a parameter
# A line of its own: "class `Feed`(Base)", "`send`(to, reply_to=None)[source](…)", "#### `fs.read(path[, offset_at])`".
_SIGNATURE = re.compile(
    r"^(?:#{1,6} +)?(?P<kind>(?:(?:abstract|async|class|classmethod|exception|function|method|static|staticmethod) )*)"
    r"(?:`(?P<code>[A-Za-z_][\w.]{1,100})`|`?(?P<bare>[A-Za-z_][\w.]{1,100}) ?)"
    r"\((?!default\b)(?P<parameters>[^()`\n]{1,400})\)`?"
    r"(?: ?(?:->|→|:) ?[^\n]{1,60})?(?:\[\[?source\]?\]\([^()\n]{0,300}\))?(?: *\[?¶?\]?)[ \t]*$",
    re.MULTILINE,
)
# In code: "int blob_open(\n  Connection *db_handle,\n …);"; with a body it is an example.
_PROTOTYPE = re.compile(
    r"^[ \t>]*(?:(?:const|extern|static|struct|unsigned)\s+)*[A-Za-z_]\w*[ *\t\n>]+(?P<name>[a-z]\w{2,60})\s?"
    r"\((?P<parameters>[^(){};]{3,1500})\)\s*(?:;|$(?!\s*\{))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_NAME = re.compile(r"\s*[\[*&.…]*(?:\.\.\.)?\s*(?P<name>[A-Za-z_]\w*)\s*(?:[:=].*)?[\[\]\s]*\Z", re.DOTALL)
_TYPED = re.compile(r"[\s>]*(?:[A-Za-z_]\w*[\s*&]+){1,4}?(?P<name>[A-Za-z_]\w*)(?:\[\w*\])?[\s>]*\Z")
# Other words, "template" or "html", name more than the parameter.
_IS_PARAMETER = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z][A-Z]|[a-z]\d")
_IS_NAME = re.compile(r"[a-z0-9]_[A-Za-z]|[a-z]\.[A-Za-z]|[a-z][A-Z]")


def signature_lines(chunk: Chunk, layout: ChunkLayout) -> Iterator[Line]:
    """The parameters, and the base classes, that the signatures of a chunk state."""
    text = chunk.text
    if "(" not in text:
        return
    for found in _SIGNATURE.finditer(text):
        if not any(start <= found.start() < end for start, end in layout.code):
            yield from _lines(found, _of_signature(text, found))
    for span in layout.code:
        for found in _PROTOTYPE.finditer(text, *span):
            yield from _lines(found, list(_parameters(text, found.span("parameters"), _TYPED)))


def _lines(found: re.Match[str], drafts: list[tuple[str, DraftMention]]) -> Iterator[Line]:
    group = next(name for name in ("name", "code", "bare") if found.groupdict().get(name))
    name = found[group]
    may_be = _IS_NAME.search(name) or "`" in found[0] or found.re is _PROTOTYPE
    if not drafts or not may_be or GAZETTEER.is_common(name) or name.startswith("__"):
        return
    is_class = "class" in found.groupdict().get("kind", "").split() or "exception" in found[0].split()[:1]
    shown = name if is_class else f"{name}()"
    owner = DraftMention(*found.span(group), shown, "Class" if is_class else "Function", "call", 0.9)
    triples = [DraftTriple(owner, predicate, other, predicate, "signature") for predicate, other in drafts]
    yield Line([owner, *(other for _, other in drafts)], triples, (found.start(), found.end()), {})


def _of_signature(text: str, found: re.Match[str]) -> list[tuple[str, DraftMention]]:
    span = found.span("parameters")
    whole = text[slice(*span)].strip()
    if "class" in found["kind"].split() and _is_class(whole):
        return [("extends", DraftMention(*span, whole, "Class", "code", 0.9))]
    return list(_parameters(text, span, _NAME))


def _parameters(text: str, span: Span, form: re.Pattern[str]) -> Iterator[tuple[str, DraftMention]]:
    """The parameters between commas that have a name of their own; ordinary words name nothing alone.

    None at all if one of them is no parameter, so that the words are no signature.
    """
    said = _COMMENT.sub(lambda comment: " " * len(comment[0]), text[slice(*span)])
    at = span[0]
    found: list[tuple[str, DraftMention]] = []
    for part in said.split(","):
        parameter = form.fullmatch(part)
        if parameter is not None:
            name = parameter["name"]
            start = at + parameter.start("name")
            if form is _NAME and _is_class(name):
                return  # a class is no parameter
            if len(name) >= MIN_LENGTH and _IS_PARAMETER.search(name) and not is_plain_variable(name):
                mention = DraftMention(start, start + len(name), name, None, "code", 0.9)
                found.append(("has_parameter", mention))
        elif form is _NAME and part.strip(" []*/.…") and not {"=", ":", "*"} & {*part}:
            return
        at += len(part) + 1
    yield from found


def _is_class(name: str) -> bool:
    is_mixed = name.isidentifier() and not name.isupper() and "_" not in name
    return is_mixed and name[0].isupper() and any(map(str.isupper, name[1:]))
