"""Questions about what the graph holds: search, look-ups, communities."""

from collections.abc import Callable
from datetime import datetime

from mcp_graphrag.communities.list_communities import CommunityPage, list_communities, rank_communities
from mcp_graphrag.lookup.describe_graph import Description, Status, describe_graph, status
from mcp_graphrag.lookup.find_entities import FoundEntity, find_entities
from mcp_graphrag.lookup.history import Difference, History, diff, history
from mcp_graphrag.lookup.neighbourhood import Neighbourhood, NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.lookup.query_triples import TriplePage, TripleQuery, query_triples
from mcp_graphrag.model import NOW, When
from mcp_graphrag.search.ask import AskQuery, GroundedAnswer, answer_from, gather_context, search_query
from mcp_graphrag.search.query import SearchAnswer, SearchQuery, with_settings
from mcp_graphrag.search.search import search
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.citations import CitedText, resolve_citation


class ReadApi(GraphFile):
    """Methods that search and look up."""

    def search(self, query: SearchQuery | str, when: When = NOW) -> SearchAnswer:
        """The best chunks for a question, with citations; the settings decide how retrievers are fused.

        Raises BadInput for an empty or overlong question, UnknownName for a filter that names what is not stored.
        """
        query = SearchQuery(query) if isinstance(query, str) else query
        with self.reading(when) as snapshot:
            return search(snapshot, with_settings(query, self.settings))

    def ask(self, query: AskQuery | str, *, stream: Callable[[str], None] = lambda _: None) -> GroundedAnswer:
        """The answer to a question with citations: by Claude where there is a key, else the context to answer from.

        `stream` gets the answer piece by piece as it comes.
        """
        query = AskQuery(query, tokens=self.settings.context_tokens) if isinstance(query, str) else query
        with self.reading() as snapshot:
            context = gather_context(snapshot, query, with_settings(search_query(query), self.settings))
        return answer_from(context, self.claude, stream)

    def list_communities(
        self, *, level: int | None = None, inside: int | None = None, limit: int = 20, after: int = 0
    ) -> CommunityPage:
        """The communities of a level (0, the broadest, by default), or those inside one.

        Raises UnknownName for a community that is not there, BadInput for a level that is not.
        """
        with self.reading() as snapshot:
            limits = {"limit": limit, "after": after, "max_triples": self.settings.max_community_triples}
            return list_communities(snapshot, level=level, parent=inside, **limits)

    def rank_communities(self, query: str, *, level: int | None = None, limit: int = 10) -> CommunityPage:
        """The communities that a question is about, best first."""
        with self.reading() as snapshot:
            most = self.settings.max_community_triples
            return rank_communities(snapshot, query, level=level, limit=limit, max_triples=most)

    def describe(self, when: When = NOW, *, documents: int = 20) -> Description:
        """What the graph holds: counts by type and predicate, its newest documents, its embedder."""
        with self.reading(when) as snapshot:
            return describe_graph(snapshot, documents=documents)

    def status(self) -> Status:
        """The state of the file. An embedder other than that of the settings is shown, not refused."""
        with self.store.reading() as tx:
            return status(self.snapshot_of(tx), self.store.path)

    def find_entities(
        self, query: str = "", *, type: str | None = None, limit: int = 10, when: When = NOW
    ) -> list[FoundEntity]:
        """Entities by name, alias, spelling or meaning, best first; without a query the best connected."""
        with self.reading(when) as snapshot:
            return find_entities(snapshot, query, type=type, by_meaning=True, limit=limit)

    def query_triples(self, query: TripleQuery, when: When = NOW) -> TriplePage:
        """Triples by subject, predicate, object and their types, and what follows from them."""
        with self.reading(when) as snapshot:
            return query_triples(snapshot, query)

    def neighbourhood(self, query: NeighbourhoodQuery | str, when: When = NOW) -> Neighbourhood:
        """The triples around an entity, hop by hop. Raises UnknownName for an entity that is not stored."""
        query = NeighbourhoodQuery(query) if isinstance(query, str) else query
        with self.reading(when) as snapshot:
            return get_neighbourhood(snapshot, query)

    def source(self, citation: str) -> CitedText:
        """The text behind a citation, or a whole document by its uri, even if it was replaced since."""
        with self.reading() as snapshot:
            return resolve_citation(snapshot.tx, citation)

    def history(self, name: str, *, limit: int = 50, after: int = 0) -> History:
        """What happened to an entity, the newest first. Raises UnknownName."""
        with self.reading() as snapshot:
            return history(snapshot, name, limit=limit, after=after)

    def diff(self, since: datetime, until: datetime | None = None, *, limit: int = 50) -> Difference:
        """What was learned and given up between two moments (naive UTC); until now by default."""
        with self.reading() as snapshot:
            return diff(snapshot, since=since, until=until, limit=limit)
