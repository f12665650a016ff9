"""Sentences that assert nothing as a whole: questions, examples, suppositions and the speech of others.

What a part of a sentence does not assert is decided by its grammar.
"""

import re
from collections.abc import Iterable, Sequence

from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple
from mcp_graphrag.extract.english.unasserted.retractions import is_taken_back
from mcp_graphrag.extract.english.unasserted.sentence_frames import is_framed, is_of_story, story_told
from mcp_graphrag.mentions.find_mentions import DraftMention, in_text_order

_QUESTION = re.compile(
    r"\W*(?:(?:Should|Could|Would|Does|Did|Is|Are|Was|Were|Can|Shall|Whether)\b|(?:Will|Might|Must|Do|Has|Have)\s+[a-z])"
)
_ENDS_IN_QUESTION = re.compile(r"\?[\s)\]*_]*\Z")
_EXAMPLE = re.compile(
    r"\W*(?:(?:for|as an)\s+(?:example|instance)\b|e\.\s?g\.|examples?(?:\s+\d+)?\s*[:.–—-]|to illustrate\b)",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\W*(?:true\s+or\s+false|false|wrong|incorrect|myth|misconception|rumou?r|fiction|outdated|obsolete)\s*[:–—-]",
    re.IGNORECASE,
)
# A parser may take these for something else: "Anna founded the bank, some say", "A uses B, I think".
_WHO = r",\s+(?!(?:who|which|that|and|but|as|where|when|while|not)\b)(?:\w[\w'’-]*\s+)"
_SAYING = r"(?:says?|said|claim(?:s|ed)?|believe[sd]?|argue[sd]?|allege[sd]?)"
_TELLING = (
    r"(?:insist(?:s|ed)|maintain(?:s|ed)|wrote|writes|report(?:s|ed)|suggest(?:s|ed)|tweeted|posted|hint(?:s|ed)|announced"
    r"|told\s+[^,;]{1,40})"
)
_WHEN = r"(?:\s+(?:on|in|last|this|earlier|late|today|yesterday|at)\b[^,;]{0,40})?"
_ATTRIBUTION = re.compile(
    r"\bI\s+(?:think|guess|believe|suspect|hope|wish|wonder)\b"
    rf"|{_WHO}{{0,3}}(?:{_SAYING}|thinks?|joked?)\b(?!\s+that\b)[^,]{{0,60}}\Z"
    rf"|{_WHO}{{1,9}}(?:{_SAYING}|{_TELLING})\W*\Z"
    # "In 1990, Ann Lee wrote in Oslo" has one name in front of the comma at most.
    rf"|X\b[^;]*\sX+\b[^;]*{_WHO}{{1,9}}{_TELLING}{_WHEN}\W*\Z"
    rf"|{_WHO}{{1,5}}{_SAYING}\s*,"
    r"|,\s+as\s+(?:\w[\w'’-]*\s+){1,6}(?:claim(?:s|ed)?|allege[sd]?|insist(?:s|ed)?|boast(?:s|ed)?|to\s+(?:say|believe))\W*\Z"
    r"|,\s+at\s+least\s+(?:that|it|this)\s+(?:was|used)\b|\s[-–—]\s+no,\s"
    r"|,\s+as\s+(?:\w+\s+){0,2}(?:reported|claimed|alleged|rumou?red|suggested|told)\s+(?:by|to|in)\b"
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
# What is opened and not closed ends with the paragraph, or where it is opened again.
_SPEECH = re.compile(
    r"(?<![\w\"“”])[\"“](?=[^\s\"“”])(?:([^\"“”\n]{8,1500})[\"”](?!\w)|([A-Z][^\"“”\n]{8,1500})(?=\n|\Z|[\"“]\w))"
)
# A longer sentence is a list, or lines that have lost their breaks.
MAX_WORDS = 60
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NOT_PROSE = re.compile(
    # One set of characters first, which `re` searches for fastest.
    r"[{}|=\\\"<*/:;….!?)](?:"
    r"(?<=[{}|])|(?<==)[>=]|(?<=\\)\w|(?:(?<=[\w\"]=)|(?<=[\w\"]\s=))\s?[\w\"]|(?<=\")\s*:|(?<=<)/|(?<=/)\*|(?<=\*)/"
    r"|(?<=[:;])\S*\s+\S+:\s.*:\s|(?<=…)\s*\d|(?<=\.)\.{3}|(?<=[a-z][.!?:)])[A-Z][a-z])"
)
_NAMED = frozenset({"name", "role", "date", "quoted"})


def is_prose(sentence: str, names: Iterable[Span]) -> bool:
    """Whether a line with names at these offsets is a sentence by its form: no code, list of labels or title."""
    if _NOT_PROSE.search(sentence):
        return False
    pieces, at = list[str](), 0
    for start, end in names:
        pieces.append(sentence[at:start])
        at = end
    words = _WORD.findall(" ".join([*pieces, sentence[at:]]))
    small = sum(map(str.islower, [word[0] for word in words]))
    return 0 < small <= len(words) <= MAX_WORDS and 2 * small >= len(words)


class Assertions:
    """Tells which sentences of a text assert something; they are read in order.

    `text` is the text of the chunk before `prose` was masked.
    """

    def __init__(self, prose: str, text: str) -> None:
        self._prose, self._text = prose, text
        spoken = _SPEECH.finditer(prose) if '"' in prose or "“" in prose else ()
        self._speech = [match.span(match.lastindex or 0) for match in spoken]
        self._supposed_until = self._story_until = 0
        self._of_story = set[str]()

    def read(self, span: Span, mentions: Sequence[DraftMention]) -> str | None:
        """The sentence with X for each letter of its mentions, None where it is part of what is supposed or told."""
        pieces, at = list[str](), span[0]
        for mention in mentions:
            if mention.kind in _NAMED and mention.end > at:
                start = max(mention.start, at)
                pieces += self._prose[at:start], "X" * (mention.end - start)
                at = mention.end
        sentence = "".join(pieces) + self._prose[at : span[1]]
        if _SUPPOSITION.match(sentence) or (_EXAMPLE.match(sentence) and sentence.endswith(":")):
            # What is supposed holds for the rest of the paragraph.
            self._supposed_until = self._end_of_paragraph(span[1])
        is_told = self._is_told(sentence, span, mentions)
        return sentence if span[0] >= self._supposed_until and not is_told else None

    def _is_told(self, sentence: str, span: Span, mentions: Sequence[DraftMention]) -> bool:
        """Whether a sentence goes on with a story of its paragraph: it names one of that, behind "In the novel"."""
        names = {mention.name for mention in mentions if mention.kind != "date"}
        if is_of_story(sentence):
            self._of_story, self._story_until = names, self._end_of_paragraph(span[1])
            return True
        told = story_told(sentence)
        if told >= 0:
            behind = {one.name for one in mentions if one.kind != "date" and one.start >= span[0] + told}
            self._of_story, self._story_until = behind, self._end_of_paragraph(span[1])
            return False
        goes_on = span[0] < self._story_until and not names.isdisjoint(self._of_story)
        if goes_on:
            self._of_story |= names
        return goes_on

    def _end_of_paragraph(self, at: int) -> int:
        end = self._prose.find("\n", at)
        return end if end >= 0 else len(self._prose)

    def asserts(self, sentence: str, span: Span) -> bool:
        """Whether a sentence, as `read` gives it, asserts something. Words within its mentions do not count."""
        return not (
            _ENDS_IN_QUESTION.search(sentence)
            or _QUESTION.match(sentence)
            or _EXAMPLE.match(sentence)
            or _DENIAL.match(sentence)
            or _ATTRIBUTION.search(sentence)
            or _TASK.search(sentence)
            or is_framed(sentence)
            or is_taken_back(self._text, span)
        )

    def outside_speech(self, drafts: Iterable[DraftTriple]) -> list[DraftTriple]:
        """The triples that are not within a quotation."""
        return [draft for draft in drafts if not self._is_speech(draft)]

    def _is_speech(self, draft: DraftTriple) -> bool:
        first, last = sorted((draft.subject, draft.object), key=in_text_order)
        return any(start <= first.start and last.end <= end for start, end in self._speech)
