"""Who signs a letter or a mail: a full name at its end, and the role or the team below."""

import re

from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.layout.line import Line
from mcp_graphrag.extract.layout.people_lines import is_role
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_full_name
from mcp_graphrag.mentions.proper_names import WordUsage
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Chunk, Document

_LETTER = re.compile(
    r"^(?:(?:Subject|From|To|Date|Sent):[ \t]"
    r"|(?:Dear|Hi|Hello|Hey|Good (?:morning|afternoon|evening))\b[^\n]{0,60}[,!:]?[ \t]*$)",
    re.MULTILINE,
)
_SIGN_OFF = re.compile(
    r"(?:\n[ \t]*\n|\n-- ?\n)(?:[A-Za-z ]{0,20}(?:[Rr]egards|[Bb]est|[Cc]heers|[Tt]hanks|[Ss]incerely|[Yy]ours)"
    r"[,!.]?[ \t]*\n)?"
    r"(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}),?[ \t]*\n"
    r"(?P<what>[A-Z][\w&'’ -]{1,60}?)(?:,[ \t]+(?P<where>[A-Z][\w&'’. -]{1,60}?))?[ \t]*(?:\n[^\n]{0,80}){0,4}\s*\Z"
)
_WORD = re.compile(r"[A-Z][\w'’-]*|&|and|of|for")


def sign_off(document: Document, chunk: Chunk, usage: WordUsage) -> Line | None:
    """What the signature at the end of a letter says of who signs it: a role, or a group of at most four words."""
    if chunk.end < len(document.text.rstrip()) or _LETTER.search(document.text) is None:
        return None
    found = _SIGN_OFF.search(chunk.text)
    if found is None or not (is_full_name(found["name"]) or usage.known_type(found["name"]) == "Person"):
        return None
    person = DraftMention(*found.span("name"), found["name"], "Person", "name", 0.9)
    drafts = list[DraftTriple]()
    for part in ("what", "where"):
        said = found[part]
        if said is None:
            continue
        if is_role(said):
            role = DraftMention(*found.span(part), said, "Role", "role", 0.9)
            drafts.append(DraftTriple(person, "has_role", role, "signs as", "line"))
        elif _is_group(said):
            group = DraftMention(*found.span(part), said, type_of_name(said, "", ""), "name", 0.8)
            drafts.append(DraftTriple(person, "affiliated_with", group, "signs for", "line"))
        else:
            return None
    return Line([person, *(draft.object for draft in drafts)], drafts, (found.start("name"), found.end("what")), {})


def _is_group(words: str) -> bool:
    """Whether the words may be the name of a department or company, and no place, person or closing remark."""
    parts = words.split()
    type_ = type_of_name(words, "", "")
    return (
        type_ in {None, "Team", "Organization"}
        and not is_full_name(words)
        and not (len(parts) == 1 and GAZETTEER.is_common(words))  # "Partner"
        and 1 <= len(parts) <= 4
        and all(map(_WORD.fullmatch, parts))
    )
