"""The visible nodes of a parsed HTML page."""

import re
from collections.abc import Collection, Iterator

from selectolax.lexbor import LexborNode

_DROPPED_TAG_LIST = (
    "script style template noscript head title svg iframe object select button canvas audio video datalist -comment"
    " !doctype"
)
_DROPPED_TAGS = frozenset(_DROPPED_TAG_LIST.split())
_DISPLAY_NONE = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def visible_nodes(root: LexborNode, left_out: Collection[int] = frozenset()) -> Iterator[tuple[LexborNode, bool]]:
    """Each visible node from the root down, on entering (True) and leaving (False). Iterative, for deep pages.

    Elements whose `mem_id` is in `left_out` are skipped with all that they contain.
    """
    pending = [(root, True)]
    while pending:
        node, entering = pending.pop()
        if not entering:
            yield node, False
            continue
        if node is not root and node.next is not None:
            pending.append((node.next, True))
        if not _is_hidden(node) and not (left_out and node.mem_id in left_out):
            yield node, True
            pending.append((node, False))
            if node.child is not None:
                pending.append((node.child, True))


def _is_hidden(node: LexborNode) -> bool:
    if node.tag in _DROPPED_TAGS:
        return True
    if not node.is_element_node or not (attributes := node.attributes):
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _DISPLAY_NONE.search(attributes.get("style") or "") is not None
    )
