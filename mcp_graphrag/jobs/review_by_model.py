"""Review by Claude: suggested merges and conflicts are decided where the evidence decides them, as one operation.

What it is unsure of stays open, and is asked about again when the evidence has changed.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.jobs.ask_model import StoredResults
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Chunk, Entity, Extraction, Origin, Triple
from mcp_graphrag.model_extraction.ask_questions import Asking
from mcp_graphrag.model_extraction.claude_extractor import ClaudeExtractor
from mcp_graphrag.model_extraction.results import Result
from mcp_graphrag.model_extraction.review_question import (
    OF_ENTITIES,
    OF_TRIPLES,
    SAME,
    UNSURE,
    VERSION,
    Asked,
    Decision,
    ReviewQuestion,
)
from mcp_graphrag.model_extraction.spending import Spending
from mcp_graphrag.resolve.list_conflicts import Conflict
from mcp_graphrag.resolve.merge_entities import keep_apart, merge
from mcp_graphrag.resolve.resolve_conflict import Keep, resolve_conflict
from mcp_graphrag.resolve.review import ReviewItem, ReviewKind, ReviewQuery, review
from mcp_graphrag.resolve.suggest_merges import Suggestion
from mcp_graphrag.snapshot import GraphFile, Snapshot, Write
from mcp_graphrag.store.rows.model_result_rows import ResultOf
from mcp_graphrag.store.rows.triple_rows import TriplePattern, match_pattern

KEPT_AS = "claude review"
MAX_TRIPLES = 8  # shown of an entity
MAX_EVIDENCE = 3  # shown of a triple


@dataclass(frozen=True)
class ModelReview:
    """What is reviewed: at most `limit` items of a kind, about one entity if `about` names one.

    With `dry_run` nothing is sent or decided, and the cost is estimated.
    """

    kind: ReviewKind = "all"
    about: str | None = None
    limit: int = 50
    min_confidence: float = 0.8
    dry_run: bool = False


EVERYTHING_OPEN = ModelReview()


@dataclass
class ReviewReport:
    """What was decided: `decided` counts verdicts, and `decisions` says them in words.

    `unsure` counts the items that stay open because the model is unsure, `known` of them without asking again; `left`
    those that got no answer, `why` says why, "" if there is none.
    """

    decided: Counter[str] = field(default_factory=Counter[str])
    decisions: list[str] = field(default_factory=list[str])
    unsure: int = 0
    known: int = 0
    left: int = 0
    why: str = ""
    dropped: Counter[str] = field(default_factory=Counter[str])
    spending: Spending | None = None


def review_by_model(
    graph: GraphFile,
    model: ClaudeExtractor,
    asked: ModelReview,
    origin: Origin,
    stop: Callable[[], bool] = lambda: False,
) -> ReviewReport:
    """Decide what Claude is sure of; each request's decisions are stored when it is answered."""
    model.spending.factor = 1.0  # these requests are made one by one
    results = StoredResults(graph, ResultOf(KEPT_AS, VERSION, model.claude.model))
    items, shown, unsure = _open_items(graph, asked, results)
    if asked.dry_run:
        plan = ReviewReport(unsure=unsure, known=unsure, left=len(shown))
        questions = _Run(graph, origin, model, items, results, plan).questions(shown, asked.min_confidence)
        plan.spending = model.spending.planned(question.tokens for question in questions)
        return plan
    with graph.operation(origin) as one:
        run = _Run(graph, one, model, items, results, ReviewReport(unsure=unsure, known=unsure))
        asking: Asking[ReviewQuestion] = Asking(model.claude, model.spending, model.sizes.workers, stop)
        asking.ask(run.questions(shown, asked.min_confidence))
    report, cause = run.report, asking.ends_job or asking.failure
    report.left = len(shown) - (report.unsure - report.known) - report.decided.total()
    report.why = str(cause) if cause and report.left else ""
    report.spending = model.spending
    return report


def _open_items(
    graph: GraphFile, asked: ModelReview, results: StoredResults
) -> tuple[dict[int, ReviewItem], list[Asked], int]:
    """The items to ask about by number, what is shown of them, and how many were left out as known to be unsure."""
    items: dict[int, ReviewItem] = {}
    shown: list[Asked] = []
    known, after, more = 0, 0, True
    while more and len(shown) < asked.limit:
        with graph.reading() as snapshot:
            page = review(snapshot, ReviewQuery(asked.kind, asked.about, asked.limit, after))
            found = [_asked(snapshot, len(items) + at, item) for at, item in enumerate(page.items)]
        items |= dict(enumerate(page.items, start=len(items)))
        unsure = results.find([_key(each) for each in found])
        shown += [each for each in found if _key(each) not in unsure]
        known += sum(_key(each) in unsure for each in found)
        more, after = page.more, page.items[-1].place if page.items else 0
    return items, shown[: asked.limit], known


@dataclass
class _Run:
    """A review in progress. `merged` are the entities that it has merged: what else is about them waits."""

    graph: GraphFile
    origin: Origin
    model: ClaudeExtractor
    items: dict[int, ReviewItem]
    results: StoredResults
    report: ReviewReport = field(default_factory=ReviewReport)
    merged: set[int] = field(default_factory=set[int])

    def questions(self, asked: Sequence[Asked], min_confidence: float) -> Iterator[ReviewQuestion]:
        """Questions of some items each."""
        size = self.model.sizes.chunks
        for start in range(0, len(asked), size):
            some = asked[start : start + size]
            yield ReviewQuestion(some, min_confidence, self.take, self.report.dropped)

    def take(self, asked: Asked, decision: Decision) -> None:
        """Store a decision, or that the model is unsure."""
        if decision.verdict == UNSURE:
            self.report.unsure += 1
            chunk = Chunk(0, 0, 0, "")
            self.results.keep({_key(asked): (chunk, Result(Extraction()))})
            return
        item = self.items[asked.number]
        if item.suggestion and self.merged & {item.suggestion.keep.id, item.suggestion.merge.id}:
            return
        reason = f'{self.model.claude.model}: "{decision.quote}"'
        try:
            with self.graph.writing(self.origin) as write:
                done = _decide(write, item, decision.verdict, reason)
        except (BadInput, UnknownName):
            self.report.dropped["changed since it was shown"] += 1
            return
        if item.suggestion and decision.verdict == SAME:
            self.merged |= {item.suggestion.keep.id, item.suggestion.merge.id}
        self.report.decided[decision.verdict] += 1
        self.report.decisions.append(f"{done} ({decision.quote})")


def _decide(write: Write, item: ReviewItem, verdict: str, reason: str) -> str:
    """Store a decision; what it says in words."""
    if item.conflict is not None:
        keep: Keep = "first" if verdict == "first" else "second" if verdict == "second" else "both"
        resolve_conflict(write, item.conflict.id, keep, reason)
        return f"{item.conflict.detail}: kept {keep}"
    if verdict == SAME:
        merge(write, item.keep, item.merge, reason=reason)
        return f"{item.merge} is {item.keep}"
    keep_apart(write, item.keep, item.merge, reason=reason)
    return f"{item.merge} is not {item.keep}"


def _asked(snapshot: Snapshot, number: int, item: ReviewItem) -> Asked:
    if item.conflict is not None:
        return Asked(number, _conflict_shown(item.conflict), OF_TRIPLES)
    assert item.suggestion is not None  # noqa: S101  # it is the one or the other
    return Asked(number, _suggestion_shown(snapshot, item.suggestion), OF_ENTITIES)


def _conflict_shown(conflict: Conflict) -> str:
    lines = [conflict.detail]
    for name, triple in (("first", conflict.triple), ("second", conflict.other)):
        lines += [f"{name}: {_triple(triple)}", *_evidence(triple)] if triple else []
    return "\n".join(lines)


def _suggestion_shown(snapshot: Snapshot, suggestion: Suggestion) -> str:
    lines = ["Two entities?"]
    for entity in sorted((suggestion.keep, suggestion.merge), key=lambda each: each.id):
        also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
        lines.append(f"entity: {entity.name} ({entity.type or 'no type'}){also}")
        lines += [f"  {entity.description}"] if entity.description else []
        for triple in _triples(snapshot, entity):
            lines += [f"  {_triple(triple)}", *_evidence(triple)]
    return "\n".join(lines)


def _triples(snapshot: Snapshot, entity: Entity) -> list[Triple]:
    patterns = [TriplePattern(subjects=[entity.id]), TriplePattern(objects=[entity.id])]
    ids = [each for one in patterns for each in match_pattern(snapshot.tx, one, after=0, limit=MAX_TRIPLES).tolist()]
    return list(fetch_triples(snapshot, ids[:MAX_TRIPLES]).values())


def _triple(triple: Triple) -> str:
    times = [f"from {triple.valid_from:%Y-%m-%d}" if triple.valid_from else ""]
    times += [f"until {triple.valid_to:%Y-%m-%d}" if triple.valid_to else ""]
    return " ".join(part for part in (triple.subject, triple.predicate, triple.object, *times) if part)


def _evidence(triple: Triple) -> list[str]:
    return [f'    {each.source}: "{each.quote}"' for each in triple.evidence[:MAX_EVIDENCE] if each.quote]


def _key(asked: Asked) -> str:
    return hashlib.sha256(asked.shown.encode("utf-8", "replace")).hexdigest()
