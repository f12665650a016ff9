"""Who made a work, by the participles of its definition: "a 2010 film directed by X, written by Y and Z"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_graphrag.reason.clauses.clause_about import ClauseAbout
from mcp_graphrag.reason.clauses.clause_words import FORMS, PARTICIPLES, RELEASED, Token, stem
from mcp_graphrag.reason.clauses.judge_kind import stated_kind
from mcp_graphrag.reason.clauses.judgement import Judgement, by_parity, in_words
from mcp_graphrag.reason.clauses.parse_clause import ClaimParts, Tokens, is_have, read_noun_phrase

_FILMS = frozenset({"film", "movie"})  # one is directed by all who are named, and by nobody else


@dataclass(frozen=True)
class Credit:
    """What all of `names` did, as stems of verbs."""

    verbs: frozenset[str]
    names: Sequence[Tokens]


def judge_credit(claim: ClaimParts, clause: ClauseAbout) -> Judgement | None:
    """The verdict on "X was directed by Y", "X stars Y" and "X had a director", by those whom X's definition names."""
    stated = stated_kind(claim, clause)
    members = () if stated is None or stated[1] or claim.date else read_noun_phrase(stated[0], 0).members
    if stated is None or not members or members[0][-1].lower not in RELEASED:
        return None
    named = list(_credits(stated[0]))
    verb, *words = claim.rest
    if is_have(claim.verb):
        return _judge_existence(claim, named)
    if verb.lower in {"stars", "starred"}:
        return by_parity(claim, negated=False) if _is_named(words, named, "star") else None
    if len(words) < 2 or words[0].lower != "by" or not all(token.is_name for token in words[1:]):
        return None
    return _judge_maker(claim, named, is_film=members[0][-1].lower in _FILMS)


def _judge_maker(claim: ClaimParts, named: Sequence[Credit], *, is_film: bool) -> Judgement | None:
    """Against a maker, where others are named and this one for something else; one film has one direction."""
    verb, maker = stem(claim.rest[0].lower), claim.rest[2:]
    own = [credit for credit in named if verb in credit.verbs]
    if not own or any(maker[-1].lower in {token.lower for token in name} for credit in own for name in credit.names):
        return None
    elsewhere = _is_named(maker, [credit for credit in named if credit not in own])
    exclusive = elsewhere or (is_film and verb == "direct")
    return Judgement(claim.negated, f"names others: {in_words(own[0].names[0])}") if exclusive else None


def _is_named(maker: Tokens, named: Sequence[Credit], verb: str = "") -> bool:
    wanted = [token.lower for token in maker]
    return any(
        wanted == [token.lower for token in name]
        for credit in named
        if not verb or verb in credit.verbs
        for name in credit.names
    )


def _judge_existence(claim: ClaimParts, named: Sequence[Credit]) -> Judgement | None:
    """The verdict on "had a director" and "had no director"."""
    article, *nouns = claim.rest
    if len(nouns) != 1 or article.lower not in {"a", "an", "no", "any"} or (article.lower == "no" and claim.negated):
        return None
    verbs = frozenset({stem(word) for word in PARTICIPLES if nouns[0].lower in agents(word)})
    if not any(verbs & credit.verbs for credit in named):
        return None
    return by_parity(claim, negated=article.lower == "no")


def agents(participle: str) -> frozenset[str]:
    """The nouns for who did something: "director" for "directed", "writer" for "written"."""
    base = FORMS.get(participle)
    if base:
        return frozenset({base.removesuffix("e") + "er"})
    return frozenset({f"{participle[:-1]}r", f"{participle[:-2]}er", f"{participle[:-2]}or"})


def as_made_by(claim: ClaimParts) -> tuple[Tokens, Tokens] | None:
    """The subject and the words behind "was" of "X was directed by Y", for "X's director was Y"."""
    *owner, noun = claim.subject
    if not owner or not owner[-1].text.endswith("'s") or not all(token.is_name for token in claim.rest):
        return None
    participle = next((word for word in sorted(PARTICIPLES) if noun.lower in agents(word)), None)
    if participle is None:
        return None
    return (*owner[:-1], Token(owner[-1].text[:-2])), (Token(participle), Token("by"), *claim.rest)


def _credits(tokens: Tokens) -> Iterator[Credit]:
    """The credits in words: participles that are joined, "by", and the names behind."""
    for at, token in enumerate(tokens):
        if token.lower not in {"by", "starring"}:
            continue
        begin = at
        while begin and (tokens[begin - 1].is_participle or tokens[begin - 1].lower == "and"):
            begin -= 1
        verbs = frozenset(stem(each.lower) for each in tokens[begin:at] if each.is_participle)
        verbs = frozenset({"star"}) if token.lower == "starring" else verbs
        names: list[list[Token]] = [[]]
        for each in tokens[at + 1 :]:
            if each.is_name:
                names[-1].append(each)
            elif names[-1] and each.lower in {",", "and"}:
                names.append([])
            elif names[-1] or each.lower != "and":
                break
        found = [name for name in names if name]
        if verbs and found:
            yield Credit(verbs, found)
