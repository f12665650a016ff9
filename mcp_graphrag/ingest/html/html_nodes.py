"""The visible nodes of a parsed HTML page."""

import re
from collections.abc import Collection, Iterator

from selectolax.lexbor import LexborNode

_DROPPED_TAG_LIST = (
    "script style template noscript head title svg iframe object select button canvas audio video datalist -comment"
    " !doctype"
)
_DROPPED_TAGS = frozenset(_DROPPED_TAG_LIST.split())
TEXT = "-text"  # the tag of a text
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def visible_nodes(root: LexborNode, left_out: Collection[int] = frozenset()) -> Iterator[tuple[LexborNode, str, bool]]:
    """Each visible node and its tag from the root down, on entering (True) and leaving (False).

    Iterative, for deep pages.

    Elements whose `mem_id` is in `left_out` are skipped with all that they contain.
    """
    # The parser makes the tag anew each time that it is asked for it.
    pending: list[tuple[LexborNode, str | None]] = [(root, None)]
    while pending:
        node, left = pending.pop()
        if left is not None:
            yield node, left, False
            continue
        if node is not root and (following := node.next) is not None:
            pending.append((following, None))
        tag = node.tag or ""
        if tag in _DROPPED_TAGS or _is_hidden(node, tag) or (left_out and node.mem_id in left_out):
            continue
        yield node, tag, True
        pending.append((node, tag))
        if tag != TEXT and (child := node.child) is not None:
            pending.append((child, None))


def _is_hidden(node: LexborNode, tag: str) -> bool:
    if tag == TEXT or not node.is_element_node or not (attributes := node.attributes):
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _DISPLAY_NONE.search(attributes.get("style") or "") is not None
    )
