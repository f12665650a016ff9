"""What has been found in a chunk: candidate triples, aliases and mentions, and the most confident of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.english.spans import Span, strip_span
from mcp_graphrag.extract.draft_triple import POSSESSIVE, PRONOUN, SAME_AS, DraftTriple
from mcp_graphrag.extract.rule_precision import confidence_of
from mcp_graphrag.mentions.find_mentions import DraftMention, in_text_order
from mcp_graphrag.mentions.no_names import are_placeholders, is_balanced
from mcp_graphrag.mentions.title_name import person_of_title
from mcp_graphrag.model import PHRASE, AliasFound, Candidate, CandidateValue, Extraction, Mention

# Between two names of one thing: "the User Database, also known as UserDB".
_DECLARING = (
    " known as ", " called ", " aka ", " a.k.a.", " abbreviated ", " short for ", " stands for ", " nicknamed ",
    " renamed ", " referred to as ", " or simply ",
)  # fmt: skip
_SHORT_FIRST = (" short for ", " stands for ")
_MAX_WORDS = 8  # between them


def as_candidates(
    drafts: Iterable[DraftTriple], text: str, span: Span, values: Mapping[str, str] | None = None
) -> Iterator[Candidate]:
    """The triples with their sentence or line as quote; `values` are other cells of a table row, kept as metadata."""
    start, end = strip_span(text, span)
    for draft in drafts:
        if draft.valid_from is not None and draft.valid_to is not None and draft.valid_from >= draft.valid_to:
            continue  # one of the dates is of something else
        names = draft.subject.name, draft.object.name
        if names[0] != names[1] and not are_placeholders(*names) and all(map(is_balanced, names)):
            yield Candidate(
                subject=draft.subject.name,
                predicate=draft.predicate,
                object=draft.object.name,
                subject_type=draft.subject.type,
                object_type=draft.object.type,
                confidence=confidence_of(draft.rule, draft.certainty),
                surface=draft.surface,
                quote=text[start:end],
                start=start,
                end=end,
                valid_from=draft.valid_from,
                valid_to=draft.valid_to,
                metadata={**(values or {}), **_metadata(draft, text)},
                is_over=draft.is_over,
            )


def _metadata(draft: DraftTriple, text: str) -> dict[str, str]:
    metadata = {"when": draft.when} if draft.when is not None else {}
    for mention in (draft.subject, draft.object):
        if mention.kind in {PRONOUN, POSSESSIVE}:
            metadata["pronoun"] = text[mention.start : mention.end]
    return metadata


def aliases_of_sentence(prose: str, text: str, drafts: Iterable[DraftTriple], quote: Span) -> Iterator[AliasFound]:
    """The aliases among the triples of a sentence: two names with only words such as "also known as" between them."""
    for draft in drafts:
        if draft.predicate != SAME_AS or {draft.subject.kind, draft.object.kind} & {PRONOUN, POSSESSIVE, "role"}:
            continue
        first, last = sorted((draft.subject, draft.object), key=in_text_order)
        between = f" {prose[first.end : last.start].casefold()} "
        if len(between.split()) <= _MAX_WORDS and any(words in between for words in _DECLARING):
            long, short = (last, first) if any(words in between for words in _SHORT_FIRST) else (first, last)
            yield AliasFound(long.name, short.name, text[slice(*quote)], *quote, long.type)


def aliases_of_rows(rows: Iterable[Candidate]) -> Iterator[AliasFound]:
    """The aliases that table columns and labels such as "Also known as" declare."""
    for row in rows:
        if row.predicate == SAME_AS and row.quote is not None and row.start is not None and row.end is not None:
            yield AliasFound(row.subject, row.object, row.quote, row.start, row.end, row.subject_type)


def alias_of_title(title: str, text: str) -> Iterator[AliasFound]:
    """The title of a biography, as a name of the person that it opens with: "Ann Lee" of Ann Mary Lee."""
    if person := person_of_title(title, text):
        name, start, end = person
        yield AliasFound(name, " ".join(title.partition(" (")[0].split()), text[start:end], start, end, "Person")


OVER_ENTITIES = "names over the setting entities_per_chunk, which stay searchable text"
OVER_TRIPLES = "triples over the setting triples_per_chunk"
OVER_ENTITIES_OF_TRIPLES = "triples whose entities are over the setting entities_per_chunk"


@dataclass
class Findings:
    """What has been found in one chunk; `row_triples` and `values` are those of table rows."""

    mentions: list[DraftMention] = field(default_factory=list[DraftMention])
    triples: list[Candidate] = field(default_factory=list[Candidate])
    row_triples: list[Candidate] = field(default_factory=list[Candidate])
    values: list[CandidateValue] = field(default_factory=list[CandidateValue])
    aliases: list[AliasFound] = field(default_factory=list[AliasFound])
    dropped: Counter[str] = field(default_factory=Counter[str])

    @property
    def all_triples(self) -> list[Candidate]:
        """The triples of sentences and labelled lines, then those of rows."""
        return [*self.triples, *self.row_triples]


def top_k(found: Findings, types: Mapping[str, str], max_entities: int, max_triples: int) -> Extraction:
    """The extraction: all that table rows say, other triples by confidence while they fit, phrases last, then names.

    The rows of a table are equally confident, so no limit would choose between them for a reason: the limits count
    other triples, and distinct names that are in no row. What is left out is counted in `dropped`; `types` are the
    types of names.
    """
    kept = _distinct(found.row_triples)
    row_keys = {_key(triple) for triple in kept}
    names = {name for triple in kept for name in _names(triple)} | {value.subject for value in found.values}
    max_entities, max_triples = max_entities + len(names), max_triples + len(kept)
    others = [triple for triple in _distinct(found.triples) if _key(triple) not in row_keys]
    order = {_key(triple): at for at, triple in enumerate(others)}
    for triple in sorted(others, key=lambda triple: (triple.object_type == PHRASE, -triple.confidence)):
        new_names = _names(triple) - names
        if len(kept) >= max_triples:
            found.dropped[OVER_TRIPLES] += 1
        elif len(names) + len(new_names) > max_entities:
            found.dropped[OVER_ENTITIES_OF_TRIPLES] += 1
        else:
            names |= new_names
            kept.append(triple)
    for mention in sorted(found.mentions, key=lambda mention: -mention.confidence):
        if len(names) < max_entities:
            names.add(mention.name)
    over = {mention.name for mention in found.mentions} - names
    if over:
        found.dropped[OVER_ENTITIES] += len(over)
    kept.sort(key=lambda triple: (triple.start or 0, triple.end or 0, order.get(_key(triple), 0)))
    return Extraction(
        mentions=tuple(
            Mention(mention.name, types.get(mention.name), mention.start, mention.end)
            for mention in sorted(found.mentions, key=in_text_order)
            if mention.name in names
        ),
        triples=tuple(
            replace(
                triple,
                subject_type=types.get(triple.subject),
                object_type=PHRASE if triple.object_type == PHRASE else types.get(triple.object),
            )
            for triple in kept
        ),
        dropped=dict(found.dropped),
        aliases=tuple(found.aliases),
        values=tuple(
            value if value.subject_type == (type_ := types.get(value.subject)) else replace(value, subject_type=type_)
            for value in found.values
        ),
    )


def _names(triple: Candidate) -> set[str]:
    return {triple.subject} if triple.object_type == PHRASE else {triple.subject, triple.object}


def _distinct(triples: Sequence[Candidate]) -> list[Candidate]:
    """The triples without repetitions: the most confident of equal ones, at the position of the first."""
    best: dict[tuple[object, ...], Candidate] = {}
    for triple in triples:
        known = best.get(_key(triple))
        if known is None or triple.confidence > known.confidence:
            best[_key(triple)] = triple
    return list(best.values())


def _key(triple: Candidate) -> tuple[object, ...]:
    """What equal triples have in common: subject, predicate, object and the time for which they hold."""
    return triple.subject, triple.predicate, triple.object, triple.valid_from, triple.valid_to
