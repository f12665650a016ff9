"""What to read beside a verdict: the passages that name what a claim is about, with those later than its evidence."""

from collections.abc import Sequence
from datetime import datetime

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.model import Hit
from mcp_graphrag.ontology.readings import implied_readings, stating_predicates
from mcp_graphrag.reason.check_claim import CheckedClaim
from mcp_graphrag.reason.claim_evidence import IS_A, document_days
from mcp_graphrag.search.passages import Passage, Sought, find_passages
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import names_of_entities


def passages_of_claim(
    snapshot: Snapshot, lexicon: Lexicon, checked: CheckedClaim, text: str = "", hits: Sequence[Hit] | None = None
) -> list[Passage]:
    """The passages for a claim that was read: sentences with both ends, with one and a word of its predicate, the best.

    `text` is the sentence that the claim was read from, by default its three parts; `hits` are of a search for it.
    """
    claim = checked.claim
    parts = [claim.subject, *([] if claim.predicate == IS_A else [claim.predicate.replace("_", " ")]), claim.object]
    ends = [names_of(snapshot, name) for name in (claim.subject, claim.object)]
    words = words_of_predicate(snapshot, lexicon, claim.predicate)
    sought = Sought(text or " ".join(parts), ends, words, _evidence_date(snapshot, checked))
    return find_passages(snapshot, sought, hits=hits)


def passages_of_sentence(snapshot: Snapshot, sentence: str, names: Sequence[str]) -> list[Passage]:
    """The passages for a sentence that was not read, by the names in it and its other words."""
    others = set(text_terms(sentence)).difference(*(text_terms(name) for name in names))
    return find_passages(snapshot, Sought(sentence, [names_of(snapshot, name) for name in names], frozenset(others)))


def names_of(snapshot: Snapshot, name: str) -> list[str]:
    """A name with those that the entities so called have besides."""
    try:
        heads = link_name(snapshot, name).entities
    except UnknownName:
        return [name]
    return list(dict.fromkeys([name, *names_of_entities(snapshot.tx, [head.id for head in heads])]))


def words_of_predicate(snapshot: Snapshot, lexicon: Lexicon, predicate: str) -> frozenset[str]:
    """The terms by which a text may speak of a predicate: its name and words, and those of the ones that state it."""
    ontology = snapshot.ontology
    names = {predicate, *stating_predicates(ontology, predicate)}
    names |= {name for name, _ in implied_readings(ontology, predicate)}
    cues = (cue for each in lexicon.cues.values() for cue in each if cue.predicate in names)
    said = [name.replace("_", " ") for name in names] + [word for cue in cues for word in cue.words]
    return frozenset(text_terms(" ".join(said)))


def _evidence_date(snapshot: Snapshot, checked: CheckedClaim) -> datetime | None:
    """The latest date of the documents of the triples which decide, or speak for the claim; None for none."""
    reasons = checked.contradicting if checked.verdict == "contradicted" else checked.supporting
    days = document_days(snapshot, [premise for reason in reasons for premise in reason.premises], by_file=True)
    return max(days.values(), default=None)
