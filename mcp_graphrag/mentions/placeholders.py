"""Words in the place of a name, and names that stand for any of their kind."""

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


_LETTERED = re.compile(r"(.+) [A-Z]")


def are_placeholders(subject: str, object_: str) -> bool:
    """Whether one of two names stands for none, or both for any of a kind: "Package A" and "Package B"."""
    kinds = [found[1] for name in (subject, object_) if (found := _LETTERED.fullmatch(name))]
    return is_placeholder(subject) or is_placeholder(object_) or (len(kinds) == 2 and kinds[0] == kinds[1])


def is_balanced(name: str) -> bool:
    """Whether each bracket of a name has its other one, so that it is not cut from "(mostly) German"."""
    return all(name.count(opening) == name.count(closing) for opening, closing in ("()", "[]"))
