"""Which documents mean the same person or thing by one name: those with a reason, as far as nothing contradicts it.

A reason is found in two documents alone, so that the others do not change it: a year of birth, a rank, another name
beside it, a profession, a name of three words, or the same origin where the professions do not differ. Things are told
apart only where the titles of documents do, "Mercury (planet)" and "Mercury (element)"; there the one reason is another
name beside theirs.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from mcp_graphrag.english.grammar_words import GRAMMAR
from mcp_graphrag.english.word_lists import WORDS

# Professions, each with the words that tell of it; "*" stands for any ending.
PROFESSIONS = {
    "army": "admiral* army colonel* general lieutenant* naval navy regiment* soldier*",
    "architecture": "architect architects architectural",
    "art": "artist* illustrator* painter* painting* photograph* sculpt*",
    "biology": "biolog* botan* geneti* zoolog*",
    "chemistry": "chemi*",
    "church": "bishop* archbishop* missionar* pastor* priest* theolog*",
    "cooking": "chef* cook* food",
    "crime": "convict* criminal* gangster* murder*",
    "design": "designer*",
    "economics": "economi*",
    "engineering": "developer* engineer* programmer*",
    "finance": "accountant* auditor* banker* bookkeep* cfo financ* treasurer*",
    "flying": "astronaut* aviat* cosmonaut* pilot*",
    "government": "ambassador* chancellor* congress* democrat* diplomat* elect* governor* mayor* minister* parliament*"
    " politic* president* presidency republican* senat*",
    "history": "archaeolog* historian*",
    "law": "attorney* barrister* judge* lawyer* solicitor*",
    "letters": "author* columnist* essayist* journalist* novel* poem* poet* writer* wrote",
    "mathematics": "mathematic*",
    "medicine": "doctor* medical* medicine nurse* physician* psychiatr* surgeon*",
    "music": "album* band bassist* compose* concert* drummer* guitar* lyric* music* pianist* rapper* recorded sang"
    " singer* song* soundtrack* vocalist*",
    "philosophy": "philosoph*",
    "physics": "physicist* physics",
    "psychology": "psycholog*",
    "sales": "marketing sales*",
    "screen": "actor* actress* cinema* comedian* documentary film* movie* screenplay* screenwriter* sitcom* starred"
    " starring stars television theatre",
    "sport": "athlet* baseball basketball boxer* coach* cricket* cyclist* football* goalkeeper* golf* hockey"
    " league midfielder* olympi* quarterback* rugby skier* soccer striker* swimmer* tennis wrestl*",
    "teaching": "lecturer* professor* teacher*",
}
_WORDS = "|".join(f"(?P<{name}>{words.replace(' ', '|')})" for name, words in PROFESSIONS.items())
_PROFESSION = re.compile(_WORDS.replace("*", r"\w*"), re.IGNORECASE)
_WORD = re.compile(r"\w+")
_IN_BRACKETS = re.compile(r"\s*\((.+)\)")
_RANK = re.compile(
    r"\s*,\s*(?:the\s+)?((?:\d+(?:st|nd|rd|th)\s+)?(?i:duke|duchess|earl|count|countess|marquess|marquis|viscount"
    r"|viscountess|baron|baroness|baronet|lord|margrave|prince|princess|king|queen|elector|landgrave|emir|sultan|emperor)"
    r"\b(?:\s+(?:of|de|von))?(?:\s+[A-Z][\w’'-]*)*)"
)
_LIFE = re.compile(r"[^.;()]{0,60}\((?P<born>[^()]*?\b\d{3,4})\b[^()]*?(?:[–—-]|\bto\b)[^()]*?\b(?P<died>\d{3,4})\b")
_BORN = re.compile(r"[^.;]{0,60}?\bborn\b[^.;()]{0,60}?\b(?P<born>\d{4})\b")
_YEAR = re.compile(r"\b\d{3,4}$")
_NUMERAL = re.compile(r"i{1,3}|iv|vi{0,3}|ix|x|xi{0,3}|xi?v|xvi{0,3}")
_SMALL = frozenset({"of", "the", "and", "de", "la", "du", "der", "von", "van", "al", "bin", "bint", "ibn", "y", "da"})
_TITLES = frozenset(
    {"king", "queen", "prince", "princess", "duke", "duchess", "lord", "lady", "sir", "count", "emperor"}
)
_SENTENCE_END = re.compile(r"(?<=[\w)\]\"”]{2})[.!?]\s|\n")
# In front of a name: it is of another one, and so is what is said behind it.
_DENIES = re.compile(
    r"\b(?:not\s+(?:to\s+be\s+|be\s+)?(?:the\s+same\s+(?:\w+\s+){0,2}as|(?:confused|mistaken|mixed\s+up)\s+(?:with|for)"
    r"|identical\s+(?:to|with)|related\s+to)|no\s+relation\s+(?:to|of)|unrelated\s+to|no\s+relative\s+of"
    r"|(?:a\s+)?different\s+\w+\s+(?:from|than|to)|distinct\s+from)\s+(?:[\w'’-]+\s+){0,4}\Z",
    re.IGNORECASE,
)
_OF_ONE_NAME = re.compile(
    r"\b(?:not|no|unrelated|different|distinct)\b[^.\n]{0,80}\b(?:of\s+(?:the|that)\s+(?:same\s+)?name|namesakes?)\b",
    re.IGNORECASE,
)
NEAR = 110  # characters on either side of a name that may tell of the person
BEHIND = 200
TITLE, DENIED = "title", "denied"  # kinds of what a document says
YEARS_APART = 2  # between two sources on one birth or death
# Different values of these contradict each other; the last are entities that were merged or kept apart on request.
HARD = ("rank", "page", "decided")
# For these two persons may be one although a document says of one of them that he is not the other.
_SURE = frozenset({"born", "rank"})


@dataclass(frozen=True)
class Use:
    """What a document says of the person with a name, by kind.

    Kinds are beside (normal forms of specific names), profession, rank, page (the profession in the brackets of a title
    that is the name), title (these brackets, if they say what it is), born and died (years), origin (the folder or
    source of the document), and denied (that another has the name).
    """

    document_id: int
    says: Mapping[str, Set[str]]


@dataclass
class _Person:
    documents: list[int]
    says: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def add(self, other: "_Person") -> None:
        self.documents += other.documents
        for kind, values in other.says.items():
            self.says[kind] = self.says.get(kind, set()) | values

    def contradicts(self, other: "_Person", kinds: Sequence[str] = HARD) -> bool:
        """Whether both say something of these kinds, or years, without agreeing."""
        for kind in kinds:
            mine, theirs = self.says.get(kind), other.says.get(kind)
            if mine and theirs and not mine & theirs:
                return True
        if any(_differ(mine, theirs) for mine in self.says.get(TITLE, ()) for theirs in other.says.get(TITLE, ())):
            return True
        return any(
            abs(int(mine) - int(theirs)) > YEARS_APART
            for kind in ("born", "died")
            for mine in self.says.get(kind, ())
            for theirs in other.says.get(kind, ())
        )


def what_text_says(title: str, passages: Sequence[tuple[str, str, int]]) -> dict[str, Set[str]]:
    """Profession, rank, page, born and died of a person: passages have a name, a text and where the name begins in it.

    `title` is that of their document.
    """
    says: dict[str, set[str]] = defaultdict(set)
    for name, text, at in passages:
        page = _IN_BRACKETS.fullmatch(title, len(name)) if title.startswith(name) else None
        if page:
            says["page"] |= _professions(page[1])
            _add_years(says, f" ({page[1]})")
            if _says_what(name, page[1], text):
                says[TITLE].add(page[1].casefold())
        behind = text[at + len(name) :][:BEHIND]
        before = _SENTENCE_END.split(text[max(at - NEAR, 0) : at])[-1]
        if "name" in text.lower() and _OF_ONE_NAME.search(text):  # most texts lack the word
            says[DENIED].add(name)
        if _DENIES.search(before):
            says[DENIED].add(name)
            continue
        says["profession"] |= _professions(f"{before}\n{_SENTENCE_END.split(behind[:NEAR])[0]}")
        rank = _RANK.match(behind)
        if rank:
            says["rank"].add(" ".join(rank[1].lower().split()))
        _add_years(says, behind)
    says["profession"] |= says["page"]
    return {kind: values for kind, values in says.items() if values}


def _says_what(name: str, words: str, text: str) -> bool:
    """Whether the words in the brackets of a title are a kind of thing or person, by lists or by the text."""
    noun = words.casefold().split()[-1]
    kind = WORDS.kind_nouns.get(noun) or WORDS.last_word.get(noun)
    if kind not in {None, "Document"} or noun in WORDS.persons or noun in GRAMMAR.works:
        return True
    described = (
        rf"{re.escape(name)}(?:\s\([^()]*\))?,?\s(?:(?:is|was)\s)?(?:an?|the)\s[^.\n]{{0,80}}?\b{re.escape(noun)}\b"
    )
    return noun.isalpha() and re.search(described, text, re.IGNORECASE) is not None


def _differ(one: str, other: str) -> bool:
    """Whether two titles have different words in their brackets, and neither has only more of them."""
    first, second = set(one.split()), set(other.split())
    return not (first <= second or second <= first)


def are_told_apart(uses: Sequence[Use]) -> bool:
    """Whether the titles of documents tell two things of the name apart."""
    titles = {title for use in uses for title in use.says.get(TITLE, ())}
    return any(_differ(one, other) for one, other in combinations(sorted(titles), 2))


def same_thing(uses: Sequence[Use], decided: Mapping[int, Set[int]]) -> list[list[int]]:
    """As `same_person` for things that titles tell apart: a name beside theirs is a reason where one alone has it."""
    things = _by_decision(uses, decided)
    for kind in (TITLE, "beside"):
        for value in sorted({value for thing in things for value in thing.says.get(kind, ())}):
            alike = [thing for thing in things if value in thing.says.get(kind, ())]
            if not any(one.contradicts(other) for one, other in combinations(alike, 2)):
                things = _joined(things, alike)
    return sorted(sorted(thing.documents) for thing in things)


def _professions(text: str) -> set[str]:
    return {profession for word in _WORD.findall(text) if (profession := _profession_of(word)) is not None}


@lru_cache(maxsize=8192)
def _profession_of(word: str) -> str | None:
    found = _PROFESSION.fullmatch(word)
    return None if found is None else found.lastgroup


def _add_years(says: dict[str, set[str]], behind: str) -> None:
    found = _LIFE.match(behind) or _BORN.match(behind)
    for kind, text in found.groupdict().items() if found else ():
        year = _YEAR.search(text)
        if year:
            says[kind].add(year[0])


def same_person(norm: str, uses: Sequence[Use], decided: Mapping[int, Set[int]]) -> list[list[int]]:
    """The documents, together where they mean one person by the normal form; each group and all of them ascending.

    `decided` are documents that belong together on request, by an id; those of different ids stay apart.
    """
    people = _by_decision(uses, decided)
    strong = [word for word in norm.split() if word not in _SMALL]
    strong = strong[1:] if strong[0] in _TITLES else strong
    is_ruler = len(strong) == 2 and bool(_NUMERAL.fullmatch(strong[1]))  # Charles I: there are many
    for kind in ("born", "rank", "beside", *(() if is_ruler else ("profession",))):
        for value in sorted({value for person in people for value in person.says.get(kind, ())}):
            alike = [person for person in people if value in person.says.get(kind, ())]
            people = _joined(people, alike if kind in _SURE else [one for one in alike if DENIED not in one.says])
    if len(strong) > 2:
        people = _joined(people, [person for person in people if DENIED not in person.says])
    for origin in sorted({value for person in people for value in person.says.get("origin", ())}):
        there = [person for person in people if origin in person.says.get("origin", ()) and DENIED not in person.says]
        kinds = (*HARD, "profession")
        if not any(one.contradicts(other, kinds) for one in there for other in there):
            people = _joined(people, there)
    return sorted(sorted(person.documents) for person in people)


def _by_decision(uses: Sequence[Use], decided: Mapping[int, Set[int]]) -> list[_Person]:
    """What each document says alone, those together that belong together on request."""
    by_document = {use.document_id: use.says for use in sorted(uses, key=lambda use: use.document_id)}
    together = {document: key for key, documents in decided.items() for document in documents}
    known: dict[int, _Person] = {}
    for document, says in by_document.items():
        person = known.setdefault(together.get(document, -document), _Person([]))
        person.add(_Person([document], {kind: set(values) for kind, values in says.items()}))
    for key, person in known.items():
        if key in decided:
            person.says["decided"] = {str(key)}
    return list(known.values())


def _joined(people: Sequence[_Person], alike: Sequence[_Person]) -> list[_Person]:
    """The people, those who are alike as one where nothing contradicts it."""
    kept: list[_Person] = []
    gone: list[_Person] = []
    for person in alike:
        for other in kept:
            if not other.contradicts(person):
                other.add(person)
                gone.append(person)
                break
        else:
            kept.append(person)
    return [person for person in people if not any(person is other for other in gone)]
