"""What a sentence says of "X's full name is Y" and of "X's nickname is Y", by the name with which it opens."""

import re

from mcp_graphrag.reason.clauses.clause_about import fuller_name_end, plain_text
from mcp_graphrag.reason.clauses.clause_words import Token, tokens_of
from mcp_graphrag.reason.clauses.judgement import Judgement, in_words
from mcp_graphrag.reason.clauses.parse_clause import ClaimParts, Date, Tokens, bracketed, life_dates, without_brackets

_NICKNAME = re.compile(r"((?:[A-Z][\w.-]+ )+)[\"“'‘] ?([A-Z]\w+) ?[\"”'’] (?=[A-Z])")
_KNOWN_AS = re.compile(r",\s+(?:better |best |professionally )?known (?:professionally )?as\s+([^,]+),")
_WHOLE_NAMES = frozenset({"full", "real", "birth"})


def judge_name(claim: ClaimParts, sentence: str, today: Date) -> Judgement | None:
    """The verdict on a claim about the name of a person, by a sentence that introduces it with life dates."""
    owner, kind = _owner(claim)
    if not owner or not claim.verb.passive or claim.date or not all(token.is_name for token in claim.rest):
        return None
    nickname = _NICKNAME.match(sentence)
    plain = sentence if nickname is None else nickname[1] + sentence[nickname.end() :]
    text = plain_text(plain, today)
    tokens = tokens_of(without_brackets(text))
    end = next((at for at, token in enumerate(tokens) if not token.is_name), 0)
    if not text or not any(life_dates(bracketed(text))):
        return None
    claimed, names = _lower(claim.rest), _lower(tokens[:end])
    known_as = _KNOWN_AS.search(without_brackets(text))
    known = known_as is not None and _lower(tokens_of(known_as[1])) == _lower(owner)
    is_owner = known or names[: len(owner)] == _lower(owner) or fuller_name_end(owner, tokens)
    if not is_owner or not (known or kind in {"nickname", "full name"}):
        return None  # the birth name of "Ann Poe (born Ida Moe)" is another one
    if kind == "nickname":
        same = nickname is not None and claimed == [nickname[2].lower()]
        return Judgement(not claim.negated, "states it") if same else None
    if claimed == names:
        return Judgement(not claim.negated, "states it")
    apart = (
        names != _lower(owner)
        and len(claimed) > 1
        and not set(claimed) <= set(names)
        and not set(names) <= set(claimed)
    )
    return Judgement(claim.negated, f"gives another name: {in_words(tokens[:end])}") if apart else None


def _owner(claim: ClaimParts) -> tuple[Tokens, str]:
    """Whose name is claimed, and whether all of it or the nickname; nothing for another claim."""
    words = claim.subject
    kind = "nickname" if words[-1].lower == "nickname" else " ".join(_lower(words[-2:]))
    named = words[: -1 if kind == "nickname" else -2]
    known = kind == "nickname" or kind in {f"{word} name" for word in _WHOLE_NAMES}
    if not known or not named or not named[-1].text.endswith("'s"):
        return (), ""
    return (*named[:-1], Token(named[-1].text[:-2])), kind


def _lower(tokens: Tokens) -> list[str]:
    return [token.lower for token in tokens]
