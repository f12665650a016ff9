"""Marriages that the rest of a document ends: with a death that it states, or with a later marriage."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from mcp_graphrag.english.dates import read_date
from mcp_graphrag.extract.english.draft_triple import OVER
from mcp_graphrag.extract.english.marriages import DATE_BEHIND, MARRIAGES
from mcp_graphrag.extract.top_k import Findings
from mcp_graphrag.model import Candidate

_OF_DEATH = (
    r"\b(?:[Aa]fter|[Ff]ollowing|[Uu]pon|[Oo]n|[Ss]ince|[Uu]ntil|[Bb]efore)\s+(?:%s)['’]s?\s+(?:\w+\s+)?death\b"
    rf"(?:{DATE_BEHIND})?"
)


def end_with_deaths(text: str, found: Sequence[Findings]) -> None:
    """End the marriages of a document at the date of a death; they are over at a death or next marriage without one."""
    every = [triple for findings in found for triple in findings.triples]
    marriages = [triple for triple in every if triple.predicate in MARRIAGES]
    if not marriages:
        return
    deaths = _deaths(text, every, {name for one in marriages for name in (one.subject, one.object)})
    for findings in found:
        findings.triples = [
            _ended(triple, deaths, marriages) if triple.predicate in MARRIAGES else triple
            for triple in findings.triples
        ]


def _deaths(text: str, triples: Sequence[Candidate], names: set[str]) -> dict[str, datetime | None]:
    """The moment behind the date of their death by person, None where it has no date."""
    found: dict[str, datetime | None] = {
        name: None
        for name in names
        if re.search(
            rf"\b(?:[Tt]he|[Hh]is|[Hh]er)\s+late\s+(?:[\w-]+\s+){{0,2}}{re.escape(name)}|{re.escape(name)}(?:\s*\([^()]*\))?(?:,?\s+who)?,?\s+(?:(?:has|had)\s+)?(?:died|passed\s+away)\b",
            text,
        )
    }
    for name in names:
        death = re.search(_OF_DEATH % "|".join({re.escape(name), re.escape(name.split()[0])}), text)
        if death is not None:
            date = read_date(death["date"] or "")
            found[name] = date[1] if date is not None else None
    found |= {one.subject: None for one in triples if one.predicate in {"died_in", "died_of"}}
    dated = ((one.subject, read_date(one.object)) for one in triples if one.predicate == "died_on")
    return found | {name: date[1] for name, date in dated if date}


def _ended(marriage: Candidate, deaths: Mapping[str, datetime | None], marriages: Sequence[Candidate]) -> Candidate:
    if marriage.valid_to or marriage.said_on:
        return marriage
    ends = [deaths[name] for name in (marriage.subject, marriage.object) if name in deaths]
    dated = [end for end in ends if end and (marriage.valid_from or OVER) < end]
    if dated:
        return replace(marriage, valid_to=min(dated))
    is_over = bool(ends) or any(_is_later(other, marriage) for other in marriages)
    return replace(marriage, said_on=OVER) if is_over else marriage


def _is_later(other: Candidate, marriage: Candidate) -> bool:
    """Whether one of the two married somebody else later."""
    both = {marriage.subject, marriage.object}
    shared = both & {other.subject, other.object}
    return len(shared) == 1 and (other.valid_from or OVER) > (marriage.valid_from or datetime.max)  # noqa: DTZ901
