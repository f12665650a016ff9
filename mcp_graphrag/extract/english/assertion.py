"""What a sentence does not assert: questions, conditions, negations, intentions, reports of others and examples.

A word such as "may" or "not" reaches to the end of its clause, "if" over the whole of it; what the same sentence says
in another clause is asserted: "A depends on B, but may move to C".
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mcp_graphrag.extract.english.dates import EVENTS
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.find_mentions import DraftMention
from mcp_graphrag.extract.english.marriages import MARRIAGES
from mcp_graphrag.extract.spans import Span

# What in a scope is not asserted: everything; what verbs say; what verbs say, unless a date says when it will be so;
# and what was so for a time, but not what happened once.
_Kind: TypeAlias = Literal["all", "verb", "future", "past"]

_TO = (
    r"plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|propos(?:e|es|ed|ing)|hop(?:e|es|ed|ing)|want(?:s|ed|ing)?|wish(?:es|ed)?"
    r"|aim(?:s|ed|ing)?|expect(?:s|ed|ing)?|try|tries|tried|trying|attempt(?:s|ed|ing)?|seek(?:s|ing)?|sought"
    r"|refus(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fail(?:s|ed|ing)?|offer(?:s|ed|ing)?|agree(?:s|d|ing)?"
    r"|promis(?:e|es|ed)|threaten(?:s|ed)?|need(?:s|ed)?|has|have|had|ought|supposed|scheduled|going|about|likely"
    r"|unlikely|asked|unable|forbidden|used|seem(?:s|ed)?|appear(?:s|ed)?|said|believed|thought|reported|rumou?red"
    r"|alleged|claim(?:s|ed)?|assumed|considered|would like|how"
)
_REPORTS = (
    r"claim(?:s|ed|ing)?|alleg(?:e|es|ed|ing)|argu(?:e|es|ed|ing)|believ(?:e|es|ed|ing)|think(?:s|ing)?|thought"
    r"|suspect(?:s|ed)?|assum(?:e|es|ed|ing)|suppos(?:e|es|ed|ing)|speculat(?:e|es|ed|ing)|suggest(?:s|ed|ing)?"
    r"|insist(?:s|ed|ing)?|assert(?:s|ed|ing)?|contend(?:s|ed)?|doubt(?:s|ed)?|den(?:y|ies|ied|ying)|disput(?:e|es|ed)"
    r"|predict(?:s|ed)?|hop(?:e|es|ed|ing)|fear(?:s|ed)?|say(?:s|ing)?|said|report(?:s|ed)?|rumou?rs?|rumou?red"
    r"|guess(?:es|ed)?|wonder(?:s|ed)?|pretend(?:s|ed)?|hypothesi[sz](?:e|es|ed)|propos(?:e|es|ed|ing)|told|tells?"
    r"|theori[sz](?:e|es|ed)|postulat(?:e|es|ed)|false|untrue|wrong|possible|impossible|unlikely|likely|unclear|myth"
)
_FALSE = r"(?:false|untrue|wrong|incorrect|unproven|unconfirmed|disputed|hypothetical|nonsense|a myth|a mistake)"
_ADVERB = (
    r"perhaps|maybe|possibly|probably|presumably|allegedly|supposedly|reportedly|apparently|purportedly|potentially"
    r"|conceivably|seemingly|ostensibly|hypothetically|theoretically|in theory|arguably|tentatively|likely|unlikely"
)
_QUESTION = re.compile(
    r"\W*(?:(?:Should|Could|Would|Does|Did|Is|Are|Was|Were|Can|Shall|Whether)\b|(?:Will|Might|Must|Do|Has|Have)\s+[a-z])"
)
_ENDS_IN_QUESTION = re.compile(r"\?[\s)\]*_]*\Z")
_EXAMPLE = re.compile(
    r"\W*(?:(?:for|as an)\s+(?:example|instance)\b|e\.\s?g\.|examples?(?:\s+\d+)?\s*[:.–—-]|to illustrate\b)",
    re.IGNORECASE,
)
_SUPPOSITION = re.compile(
    r"\W*(?:(?:now|so|and|just)?,?\s*)(?:suppos(?:e|ing)|imagine|assum(?:e|ing)|pretend|hypothetically|picture|consider"
    r"|let[’']?s\s+(?:say|assume|imagine|pretend)|let\s+us\s+(?:say|assume|suppose|imagine)|say,|what\s+if"
    r"|for\s+the\s+sake\s+of\s+argument)\b",
    re.IGNORECASE,
)
# "Ann Lee to write the manual by May": names are X in a sentence that is searched for this.
_TASK = re.compile(
    r"(?:\A|[:;–—-]\s)[^\w\n]*X+(?:(?:,|\s+and|\s+&)\s+X+)*\s+to\s+(?!(?:the|an?|its|his|her|their|our)\b)[a-z]+\b"
)
_EXAMPLE_HEADING = re.compile(r"\W*(?:[\d.]+\s+)?(?:examples?|samples?|hypothetical|scenarios?)\b", re.IGNORECASE)
# Both sides of the clause.
_CONDITION = re.compile(
    r"\b(?:if|unless|provided\s+that|assuming|in\s+case|as\s+long\s+as|lest|no\s+longer|any\s?more|decided\s+against"
    rf"|(?:is|are|was|were|been)\s+(?:simply\s+|just\s+|plainly\s+)?{_FALSE}"
    r"|(?:was|were|been|is|are)\s+(?:rejected|ruled\s+out|turned\s+down|cancell?ed|called\s+off)"
    r"|according\s+to(?=\s+(?!the\b|a\b|an\b|its\b|official))|i\s+(?:think|guess|believe|suspect|hope|wish|wonder)"
    rf"|(?:,\s+|\()(?:{_ADVERB})(?=\s*[,.;)]|\s*\Z)"
    rf"|,\s+(?:\w+\s+){{0,3}}(?:says?|said|claim(?:s|ed)|believe[sd]?|argue[sd]?|allege[sd]?|thinks?)(?=[^,]{{0,60}}\Z))\b"
)
# From the word on. Small letters where the word is also a name or a month.
_FORWARD: Sequence[tuple[_Kind, re.Pattern[str]]] = (
    (
        "verb",
        re.compile(
            r"\b(?:may|might|could|should|can|must|shall|ought|cannot|neither|nor|not(?!\s+(?:only|just|merely)\b)"
            r"|would(?!\s+(?:later|eventually|subsequently|go\s+on|then)\b))\b|\w+n[’']t\b|\b[Cc]annot\b"
        ),
    ),
    ("future", re.compile(r"\b(?:will|shall)\b|\w+[’']ll\b|\b(?:is|are|was|were)\s+to\b")),
    (
        "verb",
        re.compile(
            rf"\b(?:{_ADVERB})\b|\b(?:{_TO})\s+to\b|\b(?:never|nobody|nothing|none\s+of|no[\s-]one|hardly|scarcely|barely"
            r"|rarely|seldom|almost(?!\s+(?:\d|all\b|every|half\b|a\b|an\b))|partly|partially"
            r"|formerly(?!\s+(?:known|called|named)\b)|whether|planned|planning|hypothetical|rumou?red|would-be"
            r"|(?:decided|opted|advise[sd]?|vote[sd]?|against\s+\w+ing)\s+against|considers|considering|considered\s+\w+ing"
            r"|rather\s+than|instead\s+of|as\s+opposed\s+to|contrary\s+to|unlike|without|ruled?\s+out|reject(?:s|ed|ing)?"
            r"|avoid(?:s|ed|ing)?|stop(?:s|ped)?\s+\w+ing|ceased?|den(?:ies|ied|y)|e\.g\.|for\s+(?:example|instance),)"
        ),
    ),
    (
        "all",
        re.compile(
            rf"\b(?:{_REPORTS})(?:\s+\w+)?\s+that\b"
            r"|\b(?:claims|claimed|alleges|alleged|believes|thinks|suspects|insists|argues|says|said)\b(?!\s+(?:to|by|in)\b)"
        ),
    ),
    ("past", re.compile(r"\b(?:originally|initially|previously|once|temporarily|briefly|at\s+one\s+time)\b")),
)
# Both sides of the clause are over; at its start also "Before the move, …" and "At first, …".
_OVER = re.compile(
    r"\b(?:(?:before|prior\s+to)\s+(?:that|this|then)(?=\s*[,.;)]|\s*\Z)|until\s+(?:then|recently|lately)\b|up\s+to\s+then\b"
    r"|in\s+the\s+past\b(?!\s+(?:\w+\s+)?(?:year|month|week|day|decade|hour)s?\b)|in\s+former\s+times\b|back\s+then\b"
    r"|at\s+(?:that|the)\s+time\b(?!\s+of\b))"
)
_OPENS_OVER = re.compile(
    r"\W*(?:before|prior\s+to|until|till|up\s+to)\s+(?!that\b)[^,;]{1,80},"
    r"|\W*(?:before|until)\s+(?:that|then)\b|\W*(?:at\s+first|at\s+the\s+(?:beginning|start|outset)|to\s+begin\s+with|earlier"
    r"|in\s+the\s+(?:beginning|early\s+days|old\s+days)|in\s+(?:those|its\s+early|earlier)\s+(?:days|times|years)"
    r"|for\s+(?:some|a\s+(?:short\s+|long\s+|brief\s+)?)\s*(?:time|while)|historically|formerly(?=,))\b"
)
_NO = re.compile(r"\bno\b(?!\.|\s+(?:\d|later|less|fewer|more|sooner|doubt|longer)\b)")
_BEFORE_COMMA = ("without", "instead", "rather", "unlike", "contrary", "as opposed", "e.g.")
_MAY = re.compile(r"(?<=\w )May\b")
# Where another clause begins.
_CLAUSE = re.compile(
    r"\b(?:but|however|while|whereas|although|though|because)\b|\s[–—]\s|;|,\s+(?:and|so|then|yet|which|who|whose|where)\b"
)
_RELATIVE = re.compile(r",\s+(?:which|who|whose|where)\Z")
_SUBORDINATE = re.compile(
    r"\W*(?:despite|although|though|even\s+though|while|whereas|having|unable|since|because|after|before|when|as|once"
    r"|not|never|by|in\s+spite|notwithstanding|without|instead|rather|unlike|contrary)\b"
)
_BRACKETS = re.compile(r"\([^()]{0,300}\)")
_SPEECH = re.compile(r"(?<![\w\"“”])[\"“](?=[^\s\"“”])([^\"“”\n]{8,1500})[\"”](?!\w)")
_FORMER = re.compile(r"\b(?:former|ex|erstwhile|onetime|one-time)(?:\s+|-)", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|led|held|ran|taught|wore|\w{2,}ed)\b")
_UNTIL = re.compile(r"(?:(?!\b(?:and|but|until|till)\b)[^;:.]){0,80}\b(?:until|till)\b")
_OPENING_UNTIL = re.compile(r"\W*(?:up\s+)?(?:until|till)\b", re.IGNORECASE)
_NAMED = frozenset({"name", "role", "date", "quoted"})
_STRUCTURAL = frozenset({",", "(", "–"})  # "Paris, France" is true of a place that nobody moved to


@dataclass(frozen=True)
class _Scope:
    """A span in which nothing of a kind is asserted.

    A closed one is an aside with no subject of what follows: "Instead of Redis, the API uses Kafka".
    """

    start: int
    end: int
    kind: _Kind
    closed: bool = False

    def limits(self, first: int, last: int) -> bool:
        """Whether it is about what is said of mentions that start at these offsets."""
        return self.start <= last < self.end or (self.closed and self.start <= first < self.end)


class Assertions:
    """Tells which triples of the sentences of a text are asserted; the sentences are read in order.

    `events` are the predicates of what happens once. Below a heading such as "Example" nothing is asserted.
    """

    def __init__(self, prose: str, headings: Sequence[str], events: Collection[str]) -> None:
        self._prose, self._events = prose, events
        self._speech = [match.span(1) for match in _SPEECH.finditer(prose)] if '"' in prose or "“" in prose else []
        self._is_example = bool(headings) and _EXAMPLE_HEADING.match(headings[-1]) is not None
        self._supposed_until = 0

    def asserted(
        self, span: Span, mentions: Iterable[DraftMention], drafts: Sequence[DraftTriple]
    ) -> Sequence[DraftTriple]:
        """Those of a sentence's triples that it asserts. Words within its mentions do not count."""
        sentence = self._prose[slice(*span)]
        for mention in mentions:
            if mention.kind in _NAMED:
                start, end = mention.start - span[0], mention.end - span[0]
                sentence = sentence[:start] + "X" * (end - start) + sentence[end:]
        if self._asserts_nothing(span, sentence) or not drafts:
            return []
        scopes = list(_scopes(sentence))
        return [
            draft for draft in drafts if self._is_asserted(draft, span[0], scopes) and not self._has_ended(draft, span)
        ]

    def _asserts_nothing(self, span: Span, sentence: str) -> bool:
        if _SUPPOSITION.match(sentence) or (_EXAMPLE.match(sentence) and sentence.endswith(":")):
            # What is supposed holds for the rest of the paragraph.
            end = self._prose.find("\n", span[1])
            self._supposed_until = end if end >= 0 else len(self._prose)
        return (
            self._is_example
            or span[0] < self._supposed_until
            or _ENDS_IN_QUESTION.search(sentence) is not None
            or _QUESTION.match(sentence) is not None
            or _EXAMPLE.match(sentence) is not None
        )

    def _is_asserted(self, draft: DraftTriple, start: int, scopes: Sequence[_Scope]) -> bool:
        first, last = sorted((draft.subject, draft.object))
        if any(a <= first.start and last.end <= b for a, b in self._speech):
            return False
        if draft.valid_to is None and self._is_former(draft, (first.end, last.start), first.start):
            return False
        offsets = first.start - start, last.start - start
        return not any(scope.limits(*offsets) and self._denies(scope.kind, draft) for scope in scopes)

    def _is_former(self, draft: DraftTriple, between: Span, start: int) -> bool:
        """Whether "former" is in front of the words that relate the two mentions: "a former member of"."""
        former = _FORMER.search(self._prose, *between)
        if former is not None:
            words = self._prose.find(draft.surface.partition(" ")[0], *between)
            return not between[0] <= words < former.start() or draft.surface.startswith(("'", "is ", "was "))
        before = _FORMER.search(self._prose, max(start - 12, 0), start)
        return before is not None and before.end() == start

    def _denies(self, kind: _Kind, draft: DraftTriple) -> bool:
        if kind == "all":
            return True
        if draft.surface in _STRUCTURAL:
            return False
        if kind == "future":
            return draft.valid_from is None
        if kind == "verb":
            return True
        return (draft.predicate not in self._events or draft.predicate in MARRIAGES) and draft.valid_to is None

    def _has_ended(self, draft: DraftTriple, span: Span) -> bool:
        """Whether a state in the past tense lasted "until" what the draft has no date of."""
        first, last = sorted((draft.subject, draft.object))
        is_event = draft.predicate in EVENTS.union(self._events) - MARRIAGES
        if draft.valid_to is not None or is_event:
            return False
        is_past = _PAST.search(self._prose, first.end, last.start) is not None
        until = _UNTIL.match(self._prose, last.end, span[1]) or _OPENING_UNTIL.match(self._prose, span[0], first.start)
        return is_past and until is not None


def _scopes(sentence: str) -> Iterator[_Scope]:
    """What of a sentence is not asserted, by offsets in the sentence."""
    brackets = [match.span() for match in _BRACKETS.finditer(sentence)]
    for task in _TASK.finditer(sentence):
        yield _Scope(task.start(), _clause_around(sentence, task.span(), brackets)[1], "all")
    sentence = _small(sentence)
    for found in _CONDITION.finditer(sentence):
        yield _Scope(*_clause_around(sentence, found.span(), brackets), "all")
    for found in _OVER.finditer(sentence):
        yield _Scope(*_clause_around(sentence, found.span(), brackets), "past")
    if (opening := _OPENS_OVER.match(sentence)) is not None:
        yield _Scope(0, _clause_around(sentence, opening.span(), brackets)[1], "past")
    for kind, words in _FORWARD:
        for found in words.finditer(sentence):
            _, end = _clause_around(sentence, found.span(), brackets)
            comma = _closing_comma(sentence, found, end)
            yield _Scope(found.start(), end if comma < 0 else comma, kind, closed=comma >= 0)
    for found in _NO.finditer(sentence):
        start, end = _clause_around(sentence, found.span(), brackets)
        opens = not re.search(r"\w", sentence[start : found.start()])
        rest = re.search(r",|\band\b", sentence[found.end() : end]) if not opens else None
        yield _Scope(found.start(), found.end() + rest.start() if rest else end, "verb")


def _small(sentence: str) -> str:
    """The sentence in small letters, of the same length, but for "May", which is a month inside a sentence."""
    small = _MAY.sub("XXX", sentence).lower()
    return small if len(small) == len(sentence) else sentence


def _clause_around(sentence: str, at: Span, brackets: Sequence[Span]) -> Span:
    """The clause around some words: of brackets, of a relative clause up to its comma, or between conjunctions."""
    start, end = next(((a, b) for a, b in brackets if a < at[0] and at[1] < b), (0, len(sentence)))
    relative = False
    for bound in _CLAUSE.finditer(sentence, start, end):
        if start == 0 and any(a < bound.start() < b for a, b in brackets):
            continue
        if bound.end() <= at[0]:
            start, relative = bound.end(), _RELATIVE.search(bound[0]) is not None
        elif bound.start() >= at[1]:
            end = bound.start()
            break
    comma = sentence.find(",", at[1], end) if relative else -1
    return start, comma if comma >= 0 else end


def _closing_comma(sentence: str, found: re.Match[str], end: int) -> int:
    """The comma that ends an aside, else -1: "instead of Redis, …", "A, not B, owns C", "Despite never …, …"."""
    contrast = found[0] == "not" and sentence[: found.start()].rstrip().endswith(",")
    opens = _SUBORDINATE.match(sentence) is not None and "," not in sentence[: found.start()]
    is_aside = opens or contrast or found[0].startswith(_BEFORE_COMMA)
    return sentence.find(",", found.end(), end) if is_aside else -1
