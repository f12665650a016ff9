"""Questions that take reasoning: paths, impact, claims, plans, review."""

from dataclasses import replace

from mcp_graphrag.brief import Brief, make_brief
from mcp_graphrag.model import NOW, When
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.find_paths import PathQuery, Paths, find_paths
from mcp_graphrag.reason.judge_passages import Judge, judge_passages
from mcp_graphrag.reason.parse_claims import CheckedText, check_single, check_text
from mcp_graphrag.reason.plan_question import Plan, PlanQuery, plan_question
from mcp_graphrag.reason.trace_impact import Impact, ImpactQuery, trace_impact
from mcp_graphrag.resolve.review import ReviewPage, ReviewQuery, review
from mcp_graphrag.search.passages import showing_unread_names
from mcp_graphrag.search.query import SearchQuery, with_settings
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.engine.transaction import now


class ReasonApi(GraphFile):
    """Methods that reason over the triples."""

    def find_paths(self, query: PathQuery, when: When = NOW) -> Paths:
        """How two entities are connected: the shortest chains of triples between them."""
        with self.reading(when) as snapshot, showing_unread_names(snapshot):
            return find_paths(snapshot, query)

    def trace_impact(self, query: ImpactQuery | str, when: When = NOW) -> Impact:
        """What depends on an entity, directly or not; today unless `when` says otherwise."""
        query = ImpactQuery(query) if isinstance(query, str) else query
        with self.reading(_at_present(when)) as snapshot, showing_unread_names(snapshot):
            return trace_impact(snapshot, query)

    def check_claim(self, claim: Claim | str, when: When = NOW, *, judge: Judge = "triples") -> CheckedText:
        """Whether the graph supports or contradicts a statement, with the triples for and against, and passages.

        With the judge "claude", Claude judges the passages besides. Raises PartMissing without a key or the package.
        """
        precedence = self.settings.source_precedence
        with self.reading(when) as snapshot:
            if isinstance(claim, str):
                found = check_text(snapshot, claim, precedence=precedence)
            else:
                found = check_single(snapshot, claim, precedence=precedence)
        if judge == "triples":
            return found
        statement = claim if isinstance(claim, str) else claim.in_words()
        judgements, notes = judge_passages(found.passages, [statement], self.claude)
        return replace(found, judgements=judgements, notes=[*found.notes, *notes])

    def brief(self, query: SearchQuery | str, when: When = NOW) -> Brief:
        """What the graph has on a question: what it asserts, the triples around and between its names, and passages."""
        query = SearchQuery(query) if isinstance(query, str) else query
        with self.reading(_at_present(when)) as snapshot:
            return make_brief(snapshot, with_settings(query, self.settings), precedence=self.settings.source_precedence)

    def plan_question(self, query: PlanQuery | str, when: When = NOW) -> Plan:
        """The answer to a question that takes several facts, or what is missing for one."""
        query = PlanQuery(query) if isinstance(query, str) else query
        with self.reading(_at_present(when)) as snapshot:
            return plan_question(snapshot, query, precedence=self.settings.source_precedence)

    def review(self, query: ReviewQuery | None = None, when: When = NOW) -> ReviewPage:
        """What needs a decision: conflicts between triples, and entities that may be one thing."""
        with self.reading(when) as snapshot:
            return review(snapshot, query or ReviewQuery(), precedence=self.settings.source_precedence)


def _at_present(when: When) -> When:
    """The time asked about, the present where none is given."""
    return when if when.as_of else replace(when, as_of=when.known_at or now())
