"""The names in a run of capitalised words: "Acme CTO Ann Lee" has three, "Ann Lee of the Beavers" two."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.mentions.gazetteer import GAZETTEER
from mcp_graphrag.mentions.person_names import is_full_name, is_given_name

_ROMAN = re.compile(r"[IVX]+")
_MAX_PERSON_WORDS = 3
_OF_PORTFOLIOS = frozenset({"Minister", "Secretary", "Commissioner"})
_TWO_WORD_ROLES = frozenset({("Prime", "Minister"), ("Chief", "Executive")})


def split_run(prose: str, tokens: list[Span]) -> Iterator[Span]:
    """The names in a run of capitalised words; "the" is inside only of a short one: "Alexander the Great"."""
    words = [prose[slice(*token)] for token in tokens]
    for at in range(1, len(words)):
        if words[at].istitle() and WORDS.is_stop(words[at].casefold()) and all(map(str.isupper, words[:at])) and at > 1:
            yield from split_run(prose, tokens[at + 1 :]) if at + 1 < len(words) else ()
            return  # a heading in front of its sentence: "COMMON FUND The United States joined"
    at = words.index("the", 1) if "the" in words[1:-2] else 0
    if at and words[at - 1] != "of":
        yield from split_run(prose, tokens[:at])
        yield from split_run(prose, tokens[at + 1 :])
        return
    if len(tokens) < 3:
        yield from tokens if len(tokens) == 1 else _split_roles(prose, tokens)
        return
    for piece in _split_of(prose, tokens):
        for part in _split_persons(prose, piece):
            yield from _split_roles(prose, part)


def _split_persons(prose: str, tokens: list[Span]) -> Iterator[list[Span]]:
    """Two persons beside each other: "Anna Kowalczyk Luis Ferreira"."""
    has_role = WORDS.last_word.get(prose[slice(*tokens[0])].casefold()) == "Role" and len(tokens) > 3
    is_of_nation = len(tokens) > 2 and prose[slice(*tokens[0])] in GAZETTEER.nationalities
    if is_of_nation and is_full_name(prose[tokens[1][0] : tokens[-1][1]]):
        yield tokens[:1]  # "American Ann Lee"
        tokens = tokens[1:]
    for at in range(2, len(tokens) - 1):
        if (has_role or is_given_name(prose[slice(*tokens[at])])) and not is_given_name(prose[slice(*tokens[at - 1])]):
            first, second = (prose[part[0][0] : part[-1][1]] for part in (tokens[:at], tokens[at:]))
            is_first = has_role and prose[slice(*tokens[1])] == "of" and prose[slice(*tokens[at - 1])].istitle()
            if (is_full_name(first) or is_first) and is_full_name(second):
                yield tokens[:at]
                yield from _split_persons(prose, tokens[at:])
                return
    yield tokens


def _split_of(prose: str, tokens: list[Span]) -> Iterator[list[Span]]:
    """The two names of "Ann Lee of the Beavers"; all tokens of "Faculty of the Arts", which is one."""
    words = [prose[slice(*token)] for token in tokens]
    if words[1:3] == ["of", "the"] and words[0] in GAZETTEER.places and len(words) > 3:
        yield tokens[:1]  # "met in London of the Acme Council"
        yield tokens[3:]
        return
    for at in range(2, len(words) - 2):
        head = words[at - 1].casefold()
        plain = all(word.isalpha() and word[0].isupper() for word in words[:at]) and at <= _MAX_PERSON_WORDS
        is_noun = head in WORDS.before_of_the or head in WORDS.last_word or _ROMAN.fullmatch(words[at - 1])
        if words[at : at + 2] == ["of", "the"] and plain and not is_noun and words[at + 2] != "Year":
            yield tokens[:at]
            yield tokens[at + 2 :]
            return
    at = words.index("of") if "of" in words[1:-1] else 0
    if at and words[at + 1] != "the":
        whole = " ".join(words[at + 1 :])
        head = WORDS.last_word.get(words[at - 1].casefold())
        holder = head == "Role" and (whole in GAZETTEER.places or _is_organization(words[at + 1 :]))
        holder |= whole not in GAZETTEER.places and is_full_name(" ".join(words[:at]))
        if holder or (head == "Location" and at > 1 and whole in GAZETTEER.places):
            yield tokens[:at]
            yield tokens[at + 1 :]
            return
    yield tokens


def _is_organization(words: Sequence[str]) -> bool:
    return len(words) > 1 and WORDS.last_word.get(words[-1].casefold()) in {"Organization", "Team", "Service"}


def _split_roles(prose: str, tokens: list[Span]) -> Iterator[Span]:
    """The names of a run: "Acme CTO Ann Lee" has three, and a title in front of a person is no part of the name."""
    begin = 0
    body = prose[slice(*tokens[-1])].casefold() in WORDS.last_word
    for index, token in enumerate(tokens):
        word = prose[slice(*token)]
        following = prose[tokens[index + 1][0]] if token != tokens[-1] else ""
        is_role = word in WORDS.role_acronyms and not following.islower()
        is_inside = index > 0 and prose[tokens[index - 1][0]].islower()  # "The Madness of King George"
        is_title = following.isupper() and not (is_inside or body) and word.rstrip(".").casefold() in WORDS.honorifics
        if following.isupper() and index and (prose[slice(*tokens[index - 1])], word) in _TWO_WORD_ROLES:
            if index - 1 > begin:
                yield tokens[begin][0], tokens[index - 2][1]
            yield tokens[index - 1][0], token[1]
            begin = index + 1
        elif is_role or is_title:
            before = [prose[slice(*token)].casefold() for token in tokens[begin:index]]
            last = index  # of what stands in front of the title: "US Navy" of "US Navy Rear Admiral Ann Lee"
            while last - 1 > begin and prose[slice(*tokens[last - 1])].casefold() in WORDS.before_titles:
                last -= 1
            is_of_title = WORDS.before_titles.issuperset(before)
            if not is_of_title and not (word in _OF_PORTFOLIOS and _is_portfolio(prose, tokens[begin:index])):
                yield tokens[begin][0], tokens[last - 1][1]
            if is_role:
                yield token
            begin = index + 1
    if begin < len(tokens):
        yield tokens[begin][0], tokens[-1][1]


def _is_portfolio(prose: str, tokens: Sequence[Span]) -> bool:
    """Whether what stands in front of a title is what the office is for: "Immigration Minister Ann Lee"."""
    word = prose[slice(*tokens[0])]
    return len(tokens) == 1 and word not in GAZETTEER.places and word not in GAZETTEER.nationalities
