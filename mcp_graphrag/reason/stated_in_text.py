"""Sentences of the stored text that state a claim, or its opposite.

A sentence is read whole or not at all: where a word of it, what stands around it or its document may mean that it is
not so, not yet or no longer, it states nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from unicodedata import normalize

from mcp_graphrag.english.dates import document_date
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract.english.set_apart import words_set_apart
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.reason.clauses.clause_about import SubjectForms, clauses_about, names_subject, plain_text
from mcp_graphrag.reason.clauses.clause_words import COUNTRY_OF, tokens_of
from mcp_graphrag.reason.clauses.compare_clauses import judge, passive_forms
from mcp_graphrag.reason.clauses.parse_clause import ClaimParts, Date, parse_claim
from mcp_graphrag.reason.doubts.denied_triples import NEGATION
from mcp_graphrag.reason.parsed.parsed_sentences import GrammarReader
from mcp_graphrag.reason.stated_sentences import (
    StatedSentence,
    is_asserted,
    is_in_force,
    nearest_date,
    stated_sentences,
)
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.document_rows import chunks_by_id, openings_of_documents, text_hash

MAX_CHUNKS, MAX_SENTENCES, MAX_LENGTH = 20, 20, 800
MAX_KEPT = 5_000  # chunks, with their sentences
MAX_VALUE = 5  # words of who or what something is
MIN_WORDS = 3  # of a sentence that is found again word for word
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_PRONOUN = re.compile(r"(?:He|She|It|They)\b")
_UNNAMED = re.compile(
    r"(?:he|she|it|they|we|you|i)\b|(?:the|this|that|these|those|our|its|his|her|their)\s+(?-i:[a-z])", re.IGNORECASE
)
_POINTING = re.compile(r"\b(?:it|him|them|this|these|those|here|there)\b")  # of another sentence: "Nobody owns it"


@dataclass(frozen=True)
class Stated:
    """A stored sentence on a claim. `agrees`: it states the claim, else its negation or what excludes it.

    `citation` is that of the sentence, and `why` says how it was read: "states it", "gives another date: 1993".
    `dated` is the first moment of the date of its section or document, None if these have none.
    """

    citation: str
    quote: str
    agrees: bool
    why: str
    dated: datetime | None = None


def stated_in_text(snapshot: Snapshot, sentence: str, names: Sequence[str]) -> list[Stated]:
    """The stored sentences that state what a sentence claims, or the opposite, the most relevant first.

    Of a sentence of any form the same words state it; other words only where it is a plain claim of one subject, in at
    most `MAX_SENTENCES` sentences with the name of that, and where none is found, those with the same verb and nouns by
    their grammar. `names` are the stored names in the sentence.
    """
    claim = parse_claim(sentence)
    ids = [chunk_id for chunk_id, _ in snapshot.keywords.search(text_terms(sentence), limit=MAX_CHUNKS)]
    found: dict[tuple[str, str], Stated] = {}
    others: list[Stated] = []
    read = [
        (chunk, [one for one in sentences if not _is_of_another(chunk, one.start, one.text, names)])
        for chunk, sentences in _read_chunks(snapshot, ids)
    ]
    for chunk, sentences in read:
        for stated in _stated_in(chunk, sentences, sentence, claim):
            found.setdefault((chunk.document.uri, stated.quote), stated)
        others += _other_values(chunk, sentences, sentence)
    if not found:
        reader = GrammarReader(snapshot, sentence, names)
        for chunk, _ in read:
            for one in reader.stating(chunk):
                if _is_of_another(chunk, one.start - chunk.start, one.text, names):
                    continue
                dated = nearest_date(_headings_above(chunk)) or document_date(chunk.document.metadata)
                stated = StatedSentence(one.start - chunk.start, one.text)
                found[chunk.document.uri, one.text] = _stated(chunk, stated, dated, agrees=True, why="states it")
    said = [stated.dated for stated in found.values() if stated.agrees and stated.dated]
    for other in others if said else ():
        if other.dated and other.dated > max(said):
            found.setdefault((other.citation, other.quote), other)
    return list(found.values())


def _is_of_another(chunk: StoredChunk, start: int, text: str, names: Sequence[str]) -> bool:
    """Whether a sentence has a name of a claim only as that of another thing: "Ann Lee the younger"."""
    for name in names:
        found = [one.span() for one in re.finditer(rf"\b{re.escape(name)}\b", text)]
        spans = [(start + first, start + last) for first, last in found]
        if spans and all(words_set_apart(chunk.text, *span) for span in spans):
            return True
    return False


def _other_values(chunk: StoredChunk, sentences: Sequence[StatedSentence], sentence: str) -> Iterator[Stated]:
    """The dated sentences of a chunk that state another value in the same words: "The editor of A is B", "A costs 12".

    They tell of a change where they are the later ones; of the same time both may hold.
    """
    words = _lower_words(sentence)
    for each in sentences:
        dated = each.dated or nearest_date(chunk.headings) or document_date(chunk.document.metadata)
        value = _other_value(words, _lower_words(each.text)) if dated else ""
        if value and plain_text(each.text, _today()):
            yield _stated(chunk, each, dated, agrees=False, why=f"says what it is: {value}")


def _other_value(words: Sequence[str], others: Sequence[str]) -> str:
    """Where two statements differ in a number alone, or in who or what "the R of A is": that of the second, else ""."""
    at = next((at for at, (one, other) in enumerate(zip(words, others, strict=False)) if one != other), 0)
    if at < MIN_WORDS - 1:
        return ""
    is_number = words[at][:1].isdigit() and others[at][:1].isdigit() and words[at + 1 :] == others[at + 1 :]
    is_holder = words[at - 1] == "is" and (
        (words[0] == "the" and "of" in words[1 : at - 2]) or words[at - 3].endswith(("'s", "’s"))
    )
    rest = others[at:]
    if not is_number and not (is_holder and len(rest) <= MAX_VALUE and NEGATION.search(" ".join(rest)) is None):
        return ""
    return others[at] if is_number else " ".join(rest)


class _ReadChunks:
    """The chunks that were read in one generation, by id, with what they state."""

    def __init__(self) -> None:
        self.in_force: dict[int, bool] = {}  # by document
        self.by_id: dict[int, tuple[StoredChunk, Sequence[StatedSentence]]] = {}


def _read_chunks(snapshot: Snapshot, ids: Sequence[int]) -> Iterator[tuple[StoredChunk, Sequence[StatedSentence]]]:
    """The chunks with the sentences that they state, in order; without those of documents that are not in force."""
    kept = snapshot.indexes.of_generation(snapshot.tx, _ReadChunks)
    if len(kept.by_id) > MAX_KEPT:
        kept.by_id.clear()
    known = {chunk_id: found for chunk_id in ids if (found := kept.by_id.get(chunk_id))}
    new = chunks_by_id(snapshot.tx, [chunk_id for chunk_id in ids if chunk_id not in known])
    unknown = {one.document.id: one.document for one in new.values() if one.document.id not in kept.in_force}
    openings = openings_of_documents(snapshot.tx, unknown)
    for number, document in unknown.items():
        kept.in_force[number] = is_in_force(openings.get(number, ""), str(document.metadata.get("status", "")))
    known |= {chunk_id: (chunk, tuple(stated_sentences(chunk))) for chunk_id, chunk in new.items()}
    kept.by_id.update({chunk_id: known[chunk_id] for chunk_id in new})
    for chunk, sentences in (known[chunk_id] for chunk_id in ids if chunk_id in known):
        if kept.in_force[chunk.document.id]:
            yield chunk, sentences


def stated_in_chunk(chunk: StoredChunk, sentence: str) -> list[Stated]:
    """The sentences of one chunk that state what a sentence claims, or the opposite, in order."""
    return _stated_in(chunk, list(stated_sentences(chunk)), sentence, parse_claim(sentence))


def _stated_in(
    chunk: StoredChunk, sentences: Sequence[StatedSentence], sentence: str, claim: ClaimParts | None
) -> list[Stated]:
    if not _is_asserted_under(chunk, claim):
        return []
    titled = claim is not None and _is_title(chunk.document.title, claim)
    same = _words_of(sentence)
    reader = _Reader(chunk, claim, titled=titled) if claim else None
    above = nearest_date(_headings_above(chunk))
    found: list[Stated] = []
    for each in sentences:
        sides = reader.sides(each) if reader else {}
        word_for_word = same and _words_of(each.text) == same and plain_text(each.text, _today())
        denied = same and not word_for_word and _is_denied(same, each.text) and plain_text(each.text, _today())
        if len(sides) == 1 or ((word_for_word or denied) and not sides):
            other = (False, "denies it word for word") if denied else (True, "states it word for word")
            agrees, why = next(iter(sides.items()), other)
            dated = each.dated or above or document_date(chunk.document.metadata)
            found.append(_stated(chunk, each, dated, agrees=agrees, why=why))
    return found


def _is_asserted_under(chunk: StoredChunk, claim: ClaimParts | None) -> bool:
    """Whether what a chunk says is asserted under its headings and title, which may be the claim's subject."""
    title = chunk.document.title
    opening = title.rstrip("…")  # a first sentence may be taken for the title, and cut off
    is_subject = claim is not None and _is_title(title, claim)
    own = [] if is_subject or opening in " ".join(chunk.text.split()) else [title]
    return is_asserted(" / ".join([*_headings_above(chunk), *own])) and is_in_force(chunk.text)


def _headings_above(chunk: StoredChunk) -> list[str]:
    """The headings of a chunk that do not stand in it."""
    inside = {line.lstrip("# ").strip() for line in chunk.text.splitlines() if line.lstrip().startswith("#")}
    return [heading for heading in chunk.headings if heading not in inside]


def _words_of(sentence: str) -> list[str]:
    """The words of a statement, to be compared with those of others; [] for a question, and if it names no subject."""
    words = _lower_words(sentence)
    unnamed = sentence.rstrip().endswith("?") or _UNNAMED.match(sentence) or _POINTING.search(sentence)
    return [] if unnamed or len(words) < MIN_WORDS else words


def _lower_words(sentence: str) -> list[str]:
    return sentence.casefold().rstrip(" .!").split()


def _is_denied(words: Sequence[str], sentence: str) -> bool:
    """Whether a sentence has these words and a negation: "A does not run on B" of "A runs on B"."""
    without = NEGATION.sub("", sentence)
    return without != sentence and _bare(_words_of(without)) == _bare(words)


def _bare(words: Sequence[str]) -> list[str]:
    """The words without "does" and the endings that it takes away."""
    return [word.removesuffix("s") for word in words if word not in {"does", "do"}]


def _stated(chunk: StoredChunk, sentence: StatedSentence, said: datetime | None, *, agrees: bool, why: str) -> Stated:
    why = f"{why}, in a document of {said:%Y-%m-%d}" if said else why
    start = chunk.start + sentence.start
    citation = cite(chunk.document.uri, start, start + len(sentence.text), text_hash(sentence.text))
    return Stated(citation, sentence.text, agrees, why, said)


class _Reader:
    """Reads the sentences of a chunk in order for one claim."""

    def __init__(self, chunk: StoredChunk, claim: ClaimParts, *, titled: bool) -> None:
        self._chunk, self._claim = chunk, claim
        self._forms = list(passive_forms(claim))
        self._names = {form.subject[at].lower for form in self._forms for at in (0, -1)}
        self._titled, self._about = titled, False
        self._left = MAX_SENTENCES
        self._today = _today()

    def sides(self, sentence: StatedSentence) -> dict[bool, str]:
        """Why a sentence states the claim, by True, and why it states the opposite, by False."""
        text = _LINK.sub(r"\1", normalize("NFC", sentence.text))
        pronoun = _PRONOUN.match(text) is not None
        about = pronoun and ((sentence.opens and self._titled) or (self._about and bool(sentence.previous)))
        self._about = (about or names_subject(self._claim, text)) and _is_definition(text)
        forms: list[ClaimParts] = [*self._forms]
        if self._is_introduced(sentence.start):
            forms.append(replace(self._claim, subject=self._claim.subject[-1:]))
        known = about or any(name in text.lower() for name in self._names)
        if not known or len(text) > MAX_LENGTH or self._left <= 0:
            return {}
        self._left -= 1
        return {
            found.agrees: found.why
            for form in forms
            for clause in clauses_about(form, text, self._today, self._subject_forms(form, sentence, pronoun=about))
            if (found := judge(form, clause))
        }

    def _subject_forms(self, form: ClaimParts, sentence: StatedSentence, *, pronoun: bool) -> SubjectForms:
        own = form is self._claim
        return SubjectForms(pronoun and own, own and sentence.opens and (self._titled or self._is_never_named()))

    def _is_never_named(self) -> bool:
        """Whether text and title lack the name of the subject: beside it a fuller one may be another person's."""
        names = r"\s+".join(re.escape(token.text) for token in self._claim.subject)
        if self._chunk.document.title.rstrip("…") not in " ".join(self._chunk.text.split()):
            return False  # the title is another name
        before = (self._chunk.text[: found.start()] for found in re.finditer(rf"\b{names}\b", self._chunk.text))
        return all(re.search(r"\b[A-Z][\w.’'-]* \Z", text) for text in before)  # of the fuller name itself

    def _is_introduced(self, end: int) -> bool:
        """Whether the last word of the subject's name stands for it alone: the text before or the title has it whole.

        No other name in the chunk ends with it, and it is no common word.
        """
        *first, last = [token.text for token in self._claim.subject]
        if not first or not all(token.is_name for token in self._claim.subject) or last.lower() in WORDS.last_word:
            return False
        text = self._chunk.text
        if re.search(rf"\b{re.escape(last.lower())}\b", text):
            return False
        before = {found[1] for found in re.finditer(rf"([A-Z][\w.'’-]*) {re.escape(last)}\b", text)}
        return before <= {first[-1]} and (" ".join([*first, last]) in text[:end] or self._titled)


def _today() -> Date:
    moment = now()
    return Date((moment.year, moment.year), moment.month, moment.day)


def _is_title(title: str, claim: ClaimParts) -> bool:
    """Whether a title is the name of the claim's subject."""
    return [token.lower for token in tokens_of(title)] == [token.lower for token in claim.subject]


def _is_definition(text: str) -> bool:
    """Whether a sentence says what its subject is and names nothing else that a pronoun may mean."""
    found = re.search(r"\A[^.;]{0,200}?\b(?:is|was|are|were)\s+(?:an?|the|one)\b([^;]*)\Z", text)
    return found is not None and not any(
        token.is_name and token.lower not in COUNTRY_OF for token in tokens_of(found[1])
    )
