"""Words in the place of a name."""

import re

_PLACEHOLDER = re.compile(
    r"[-–—?…_.*/\s]+|unknown|unassigned|undecided|undefined|unspecified|unclear|null|nil|n/a|n\.a\."
    r"|(?:none|nobody|no one|nothing)(?: (?:yet|as yet|so far|known|identified|planned|at present|for now))?"
    r"|tb[acd]|todo|ditto|vacant|pending|placeholder|xxx+"
    r"|not (?:yet|known|sure)|not (?:applicable|available|known|assigned|set|decided|defined|specified)(?: yet)?"
    r"|(?:still )?to be (?:named|decided|determined|confirmed|announced|defined|done|filled|hired|assigned|agreed)"
    r"|(?:the )?same(?: as (?:above|before|below|previous))?|(?:see|as|cf\.?) (?:above|below|before)"
    r"|see (?:the )?(?:wiki|docs?|documentation|notes?|comments?|table|link|readme|page|ticket|spreadsheet|catalogue)"
)


def is_placeholder(name: str) -> bool:
    """Whether a name stands for none: "TBD", "n/a", "-", "none yet", "to be named", "same as above"."""
    words = " ".join(name.casefold().split())
    return bool(words) and _PLACEHOLDER.fullmatch(words.strip("()[]<>!*_ ").removesuffix(".") or "-") is not None
