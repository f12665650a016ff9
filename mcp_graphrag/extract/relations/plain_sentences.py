"""Sentences of a name, a verb and names, which need no parse: "`Client` implements `Transport`."."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import MASK, Span
from mcp_graphrag.extract.english.draft_triple import DraftTriple, predicate_of, with_type
from mcp_graphrag.extract.relations.names.named import fits
from mcp_graphrag.mentions.find_mentions import DraftMention

_LEAD = re.compile(rf"[\s{MASK}`*+-]*(?:[Tt]he\s)?[\s{MASK}`]*")
_JOIN = re.compile(rf"[\s{MASK}`]*,?\s*(?:and\s)?(?:the\s)?[\s{MASK}`]*")
_END = re.compile(rf"[\s{MASK}`]*[.;]?\Z")
_WORD = re.compile(r"[a-z]+")


def plain_triples(prose: str, span: Span, mentions: Sequence[DraftMention], lexicon: Lexicon) -> Iterator[DraftTriple]:
    """The triples of a sentence that is nothing but a name, a verb of the lexicon in the present, and names.

    A parser that takes the verb for a noun, as in short lines of software documents, misses these.
    """
    if len(mentions) < 2 or "date" in {mention.kind for mention in mentions}:
        return
    subject, *objects = mentions
    verb = prose[subject.end : objects[0].start].replace(MASK, " ").replace("`", " ").removesuffix(" the ").split()
    if not verb or not verb[0].endswith("s") or not all(map(_WORD.fullmatch, verb)):
        return
    joined = all(_JOIN.fullmatch(prose, left.end, right.start) for left, right in pairwise(objects))
    if (
        not joined
        or not _LEAD.fullmatch(prose, span[0], subject.start)
        or not _END.match(prose[objects[-1].end : span[1]])
    ):
        return
    cue = lexicon.find(verb, 0)
    if cue is None or cue.form != "verb" or len(cue.words) != len(verb):
        return
    for other in objects:
        first, second = (other, subject) if cue.swap else (subject, other)
        predicate = predicate_of(cue.place or cue.predicate, first, second)
        fitting = fits(first, cue.subject, of_person=False) and fits(second, cue.object, of_person=False)
        if predicate is not None and fitting and subject.name != other.name:
            yield DraftTriple(
                with_type(first, cue.subject), predicate, with_type(second, cue.object), " ".join(verb), "verb"
            )
