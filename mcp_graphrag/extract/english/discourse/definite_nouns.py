"""What "the team" and "the company" stand for: the only thing of that kind that the section has named so far."""

import re
from collections.abc import Iterator, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.discourse.clauses_in_front import described_noun
from mcp_graphrag.mentions.find_mentions import DraftMention
from mcp_graphrag.mentions.person_names import is_given_name

# Nouns for the entities of a type, whatever their names are.
_TYPES = {
    "team": "Team",
    "squad": "Team",
    "company": "Organization",
    "firm": "Organization",
    "business": "Organization",
    "service": "Service",
    "library": "Library",
    "framework": "Framework",
}
# What the thing that a document is named after may be called at the start of a sentence.
_OF_TITLES = frozenset(
    "service tool library framework project application app package program plugin daemon platform".split()  # noqa: SIM905
)
_NO_SOFTWARE = frozenset(
    {"Person", "Location", "Date", "Organization", "Team", "Role", "Event", "Technology", "Database"}
)
_NOUNS = "|".join(
    """
    team squad company firm business service library framework university college school institute museum hospital club
    bank agency foundation association committee council commission ministry festival bridge church cathedral castle
    palace hotel theatre stadium airport prison band party league railway canal studio gallery newspaper magazine
    orchestra choir charity trust publisher brewery clinic laboratory observatory
    """.split()  # noqa: SIM905
)
# Other nouns behind it make it a part of something else ("the team lead"), others limit it ("the team that runs A").
_DEFINITE = re.compile(
    rf"\b[Tt]he (?P<noun>{_NOUNS}|{'|'.join(_OF_TITLES)})(?=['’]s |[.,;:)]?$|[.,;:)][\s\x1f]"
    r"| (?:in|on|at|since|until|till|from|by|to|as|is|was|has|had|will|and|but|after|before|when|while|because|during"
    r"|also|then|later|now|again|alone|itself|opened|closed|moved|merged|became|began|started|uses|used|runs|ran|owns"
    r"|owned|depends|employs|employed|makes|made|provides|changed|renamed|needs|calls|reads|writes|stores|sends)\b"
    # "the studio designed the Hall", but not "the studio designed by A" or "the studio named A"
    r"| (?!(?:re)?named|called|titled|dubbed|nicknamed)(?:[a-z]{2,12}ed|built|bought|sold|won|took|held)"
    r" (?:the|an?|its|[A-Z]))"
)
_NOUN = re.compile(_NOUNS)
_BESIDE = re.compile(rf"(?:\b(?P<noun>{_NOUNS}) )?\Z")
_BEHIND = re.compile(rf"['’]?[ \x1f](?P<noun>{_NOUNS})\b")
# The last words of organizations that are companies; "the company" is no university.
_COMPANIES = frozenset(
    """
    inc incorporated ltd limited llc llp corp corporation gmbh ag plc co company holdings airlines airways ventures labs
    laboratories robotics optics logistics aerospace biotech pharmaceuticals electronics breweries foods textiles
    semiconductors telecom studios
    """.split()  # noqa: SIM905
)
_LONGEST_NOUN = 16
PRONOUN, POSSESSIVE = "pronoun", "possessive"  # kinds of a `DraftMention` that stands for its antecedent


def has_definite(prose: str, span: Span) -> bool:
    """Whether a sentence has a definite noun that may stand for a name."""
    return _DEFINITE.search(prose, *span) is not None


class DefiniteNouns:
    """The names of a section by the nouns that say what they are."""

    def __init__(self) -> None:
        self._of_title: list[tuple[str, DraftMention]] = []
        self._named: list[tuple[str, DraftMention]] = []
        self._others: set[str] = set()  # names that may be of any kind
        self._is_title = False
        self._titled: DraftMention | None = (
            None  # what the document is named after, if that is not known to be a person
        )

    def start_heading(self, level: int, words: str) -> None:
        """Forget what other sections name; what the first heading names stays if this one has no such noun."""
        self._is_title = level == 1 and not self._of_title
        others = words.lower().split()
        self._named = [(noun, one) for noun, one in self._of_title if noun not in others]
        self._others.clear()

    def resolve(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> Iterator[DraftMention]:
        """The definite nouns of a sentence, as mentions of what they stand for."""
        for found in _DEFINITE.finditer(prose, *span):
            start, end = found.span()
            known = self._only(found["noun"])
            if known is None and found["noun"] in _OF_TITLES and not prose[span[0] : start].strip():
                known = self._titled
            if known is None or any(
                one.name == known.name or (one.start < end and start < one.end) for one in mentions
            ):
                continue
            others = {one.name for one in mentions if one.start < start and _may_be_any(one)} | self._others
            is_titled = known == self._titled or (found["noun"], known) in self._of_title
            if _TYPES.get(found["noun"], "Team") != "Team" and not is_titled and not others <= {known.name}:
                continue  # it may be one of these
            is_owner = prose[end : end + 2] in {"'s", "’s"}
            yield known._replace(start=start, end=end, kind=POSSESSIVE if is_owner else PRONOUN, confidence=0.5)

    def _only(self, noun: str) -> DraftMention | None:
        found = {one.name: one for kind, one in self._named if kind == noun}
        return next(iter(found.values())) if len(found) == 1 else None

    def remember(self, prose: str, span: Span, mentions: Sequence[DraftMention]) -> None:
        """Note what a sentence names."""
        named = [(noun, one) for one in mentions if one.kind == "name" for noun in _nouns_of(prose, one)]
        described = described_noun(prose, (mentions[0].end, span[1])) if mentions else None
        if described is not None and mentions[0].kind == "name" and _NOUN.fullmatch(described):
            named.append((described, mentions[0]))  # "Acme is a software company"
        self._named += named
        if self._is_title:
            self._of_title, self._is_title = named, False
            whole = [one for one in mentions if one.name == prose[slice(*span)].strip(" #*`\n")]
            self._titled = whole[0] if whole and whole[0].type not in _NO_SOFTWARE else None
        self._others.update(one.name for one in mentions if _may_be_any(one))


def _may_be_any(mention: DraftMention) -> bool:
    """Whether a name may be of a thing of any kind."""
    return mention.kind == "name" and mention.type is None and not is_given_name(mention.name.partition(" ")[0])


def _nouns_of(prose: str, mention: DraftMention) -> set[str]:
    """The nouns that a name may be called by: those beside it, that of its own words, and those of its type."""
    words = mention.name.lower().split()
    before = _BESIDE.search(prose, max(mention.start - _LONGEST_NOUN, 0), mention.start)
    beside = {found["noun"] for found in (before, _BEHIND.match(prose, mention.end)) if found and found["noun"]}
    head = words[words.index("of") - 1] if "of" in words[1:] else words[-1]
    own = beside or {head}
    of_type = {noun for noun, type_ in _TYPES.items() if type_ == mention.type}
    return own | of_type if mention.type != "Organization" or not own.isdisjoint(_COMPANIES | of_type) else own
