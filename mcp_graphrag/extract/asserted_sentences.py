"""The sentences that a document asserts, with their grammar."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcp_graphrag.extract.english.unasserted.headings import past_spans
from mcp_graphrag.extract.relations.sentence_tree import SentenceTree
from mcp_graphrag.extract.whole_document import spans_not_so
from mcp_graphrag.model import Document


@dataclass(frozen=True)
class AssertedSentence:
    """A sentence from `start` on; in its tree pronouns are mentions of what they stand for.

    `is_of_past`: the document tells of the past there, so that the present tense does not speak of today.
    """

    start: int
    text: str
    tree: SentenceTree
    is_of_past: bool = False


def within_document(document: Document, sentences: Iterable[AssertedSentence]) -> list[AssertedSentence]:
    """The sentences without those of which the document says elsewhere that they are not so."""
    not_so, past = spans_not_so(document), past_spans(document)
    return [
        replace(one, is_of_past=any(start <= one.start < end for start, end in past))
        for one in sentences
        if not any(start <= one.start < end for start, end in not_so)
    ]
