"""Sentences of the stored text that state a claim in so many words, or its opposite.

Where it is not certain that a sentence does, it is left out: a hedged, conditional or quoted sentence, a question, a
heading, code and a table state nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.ontology.said_until import document_date
from mcp_graphrag.reason.clauses.clause_about import clauses_about, names_subject
from mcp_graphrag.reason.clauses.clause_words import tokens_of
from mcp_graphrag.reason.clauses.compare_clauses import judge, passive_forms
from mcp_graphrag.reason.clauses.parse_clause import ClaimParts, parse_claim
from mcp_graphrag.sentences import split_sentences
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.document_rows import chunks_by_id, text_hash

MAX_CHUNKS, MAX_SENTENCES, MAX_LENGTH = 20, 20, 800
MIN_WORDS = 3  # of a sentence that is found again word for word
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_NO_PROSE = re.compile(r"\s{0,3}(?:#|>|\||<|={3,}|-{3,})|\s{4,}\S|\t")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_PRONOUN = re.compile(r"(?:He|She|It|They)\b")
_UNNAMED = re.compile(
    r"(?:he|she|it|they|we|you|i)\b|(?:the|this|that|these|those|our|its|his|her|their)\s+(?-i:[a-z])", re.IGNORECASE
)
# Under such a heading stands what is not so, or not yet.
_UNASSERTED = re.compile(
    r"\b(?:reject|non-?goal|alternative|propos|future|idea|todo|to do|myth|misconception|hypothe|plan(?:s|ned)?\b"
    r"|roadmap|option|example|question|faq|assumption"
    r"|risk|former|histor|legacy|deprecat|obsolete|what if|scenario|draft|wish"
    r"|fiction|joke|quote|before\b|old\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Stated:
    """A stored sentence on a claim. `agrees`: it states the claim, else its negation or what excludes it.

    `citation` is that of the sentence, and `why` says how it was read: "states it", "gives another date: 1993".
    `dated` is the first moment of the date of its document, None if that has none.
    """

    citation: str
    quote: str
    agrees: bool
    why: str
    dated: datetime | None = None


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a chunk from `start` on; `follows_subject`: a pronoun at its beginning is the claim's subject.

    `last_name`: so is the last word of its name.
    """

    chunk: StoredChunk
    start: int
    text: str
    follows_subject: bool
    last_name: bool = False


def stated_in_text(snapshot: Snapshot, sentence: str) -> list[Stated]:
    """The stored sentences that state what a sentence claims, or the opposite, the most relevant first.

    Of a sentence of any form the same words state it; other words only where it is a plain claim of one subject, in at
    most `MAX_SENTENCES` sentences with the name of that.
    """
    claim = parse_claim(sentence)
    forms = list(passive_forms(claim)) if claim else []
    same = _words_of(sentence)
    found: dict[tuple[str, str], Stated] = {}
    count = 0
    for candidate in _candidates(snapshot, sentence, claim):
        stated: Stated | None = None
        if claim and count < MAX_SENTENCES and _may_be_about(candidate, forms):
            count += 1
            stated = _judged(candidate, claim, forms)
        if stated is None and same and _words_of(candidate.text) == same:
            stated = _stated(candidate, agrees=True, why="states it word for word")
        if stated is not None:
            found.setdefault((candidate.chunk.document.uri, candidate.text), stated)
    return list(found.values())


def _words_of(sentence: str) -> list[str]:
    """The words of a statement, to be compared with those of others; [] for a question, and if it names no subject."""
    words = sentence.casefold().rstrip(" .!").split()
    unnamed = sentence.rstrip().endswith("?") or _UNNAMED.match(sentence)
    return [] if unnamed or len(words) < MIN_WORDS else words


def _may_be_about(candidate: _Sentence, forms: Sequence[ClaimParts]) -> bool:
    """Whether a sentence has the name of a claim's subject, or a pronoun for it."""
    names = [form.subject[-1].lower for form in forms]
    return candidate.follows_subject or any(name in candidate.text.lower() or "." in name for name in names)


def _judged(candidate: _Sentence, claim: ClaimParts, forms: Sequence[ClaimParts]) -> Stated | None:
    """Whether a sentence states a claim or its opposite, None if that is not certain."""
    verdicts = [
        verdict
        for form in [*forms, *([replace(claim, subject=claim.subject[-1:])] if candidate.last_name else [])]
        for clause in clauses_about(
            form, _LINK.sub(r"\1", candidate.text), subject_before=candidate.follows_subject and form is claim
        )
        if (verdict := judge(form, clause))
    ]
    if len({verdict.agrees for verdict in verdicts}) != 1:
        return None
    return _stated(candidate, agrees=verdicts[0].agrees, why=verdicts[0].why)


def _stated(candidate: _Sentence, *, agrees: bool, why: str) -> Stated:
    said = document_date(candidate.chunk.document.metadata)
    why = f"{why}, in a document of {said:%Y-%m-%d}" if said else why
    return Stated(_citation(candidate), candidate.text, agrees, why, said)


def _citation(sentence: _Sentence) -> str:
    start = sentence.chunk.start + sentence.start
    end = start + len(sentence.text)
    return cite(sentence.chunk.document.uri, start, end, text_hash(sentence.text))


def _candidates(snapshot: Snapshot, sentence: str, claim: ClaimParts | None) -> Iterator[_Sentence]:
    """The sentences of the chunks that share most words with a sentence, with what they say of its claim's subject."""
    ids = [chunk_id for chunk_id, _ in snapshot.keywords.search(text_terms(sentence), limit=MAX_CHUNKS)]
    chunks = chunks_by_id(snapshot.tx, ids)
    for chunk_id in ids:
        if chunk_id in chunks and not _UNASSERTED.search(" / ".join(chunks[chunk_id].headings)):
            yield from (each for each in _sentences(chunks[chunk_id], claim) if len(each.text) <= MAX_LENGTH)


def _sentences(chunk: StoredChunk, claim: ClaimParts | None) -> Iterator[_Sentence]:
    """The sentences of the prose of a chunk."""
    first = claim is not None and chunk.start == 0 and _is_title(chunk.document.title, claim)
    for begin, end in _paragraphs(chunk.text):
        about = first
        start = begin
        for piece in split_sentences(chunk.text[begin:end]):
            text = piece.strip()
            if text and "~~" not in text:
                at = start + len(piece) - len(piece.lstrip())
                pronoun = _PRONOUN.match(text) is not None
                introduced = claim is not None and _is_introduced(claim, chunk, at)
                yield _Sentence(chunk, at, text, pronoun and about, last_name=introduced)
                named = claim is not None and names_subject(claim, text)
                about = ((about and pronoun) or named) and _is_definition(text)
            start += len(piece)
        first = False


def _is_introduced(claim: ClaimParts, chunk: StoredChunk, end: int) -> bool:
    """Whether the last word of the subject's name stands for it alone: the title or the text before has the whole name.

    No other name in the chunk ends with it, and it is no common word.
    """
    *first, last = [token.text for token in claim.subject]
    if not first or not all(token.is_name for token in claim.subject) or last.lower() in WORDS.last_word:
        return False
    if re.search(rf"\b{re.escape(last.lower())}\b", chunk.text):
        return False
    before = {found[1] for found in re.finditer(rf"([A-Z][\w.'’-]*) {re.escape(last)}\b", chunk.text)}
    whole = " ".join([*first, last])
    return before <= {first[-1]} and (whole in chunk.text[:end] or _is_title(chunk.document.title, claim))


def _is_title(title: str, claim: ClaimParts) -> bool:
    """Whether a title is the name of the claim's subject."""
    return [token.lower for token in tokens_of(title)] == [token.lower for token in claim.subject]


def _is_definition(text: str) -> bool:
    """Whether a sentence says what its subject is, so that it introduces nothing else that a pronoun may mean."""
    return re.search(r"\A[^.;]{0,200}?\b(?:is|was|are|were)\s+(?:an?|the|one)\b", text) is not None


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The spans of paragraphs and list items of prose; items of a list with an introduction, "such as:", are none."""
    begin: int | None = None
    at = 0
    fenced = introduced = False
    for line in [*text.splitlines(keepends=True), "\n"]:
        fence = _FENCE.match(line) is not None
        bullet = _BULLET.match(line)
        prose = not (fenced or fence or not line.strip() or (_NO_PROSE.match(line) and not bullet))
        if begin is not None and (not prose or bullet):
            yield begin, min(at, len(text))
            begin = None
        if line.strip() and not bullet:
            introduced = line.rstrip().endswith(":")
        if prose and begin is None and not (bullet and introduced):
            begin = at + (bullet.end() if bullet else 0)
        fenced ^= fence
        at += len(line)
