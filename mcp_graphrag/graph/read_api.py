"""Questions about what the graph holds: search, look-ups, communities; and about the file itself."""

import platform
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mcp_graphrag.communities.community_map import CommunityMap, dated_between, map_communities
from mcp_graphrag.communities.list_communities import CommunityPage, list_communities, rank_communities
from mcp_graphrag.embed import Embedder
from mcp_graphrag.embed.minilm import INSTALL
from mcp_graphrag.errors import DiskFull, EmbedderMismatch, FileLocked, FileTrouble, GraphragError
from mcp_graphrag.extract import LITE, LITE_RULES
from mcp_graphrag.lookup.describe_graph import (
    Description,
    Status,
    chunks_to_embed,
    describe_graph,
    status,
)
from mcp_graphrag.lookup.find_entities import FoundEntity, find_entities, values_in_words
from mcp_graphrag.lookup.find_source import Source, find_source
from mcp_graphrag.lookup.history import Difference, History, diff, history
from mcp_graphrag.lookup.neighbourhood import Neighbourhood, NeighbourhoodQuery, get_neighbourhood
from mcp_graphrag.lookup.query_triples import TriplePage, TripleQuery, query_triples
from mcp_graphrag.lookup.short_forms import NamedType, Place, places, short_names
from mcp_graphrag.model import NOW, When
from mcp_graphrag.query.asked import GraphQuery, GraphRows
from mcp_graphrag.search.ask import AskQuery, GroundedAnswer, answer_from, gather_context, search_query
from mcp_graphrag.search.passages import awaiting_notes, showing_unread_names
from mcp_graphrag.search.query import SearchAnswer, SearchQuery, with_settings
from mcp_graphrag.search.search import search
from mcp_graphrag.snapshot import DERIVED, GraphFile
from mcp_graphrag.store.changes.restate import derived_version
from mcp_graphrag.store.engine.hnsw import extension_state
from mcp_graphrag.store.engine.home import HomeReport
from mcp_graphrag.store.engine.statements import migrations
from mcp_graphrag.store.rows.change_rows import Operation, landed, last_operations
from mcp_graphrag.store.rows.embedding_rows import check_model, stored_model
from mcp_graphrag.store.rows.extraction_rows import read_by_older_rules

PACKAGES = {"mcp-graphrag": "mcp-graphrag", "DuckDB": "duckdb", "vss": "duckdb-extension-vss", "MCP SDK": "mcp"}
FREE_SPACE = "Free some space: the next write tries again."
CHECKPOINT_BYTES = 3_000_000  # that a checkpoint may add to a file besides the bytes of the log
CREATES_FILE = "The first write creates it: `ingest` something."


@dataclass(frozen=True)
class Health:
    """The state of a file and of what it needs; `problems` are what does not work, each with the next step.

    `lock_holder` is another process that has the file open, or is writing to the database; what only an open file tells
    is then None or "". `changes_behind` is that of the indexes in memory.
    """

    path: Path
    exists: bool
    home: HomeReport
    embedder: str
    versions: Mapping[str, str]
    problems: Sequence[GraphragError]
    lock_holder: str = ""
    graph_id: str = ""
    file_model: str = ""
    chunks_awaiting_embedding: int | None = None
    schema_version: int | None = None
    documents_by_older_rules: int | None = None
    changes_behind: int | None = None


OPEN_TO_WRITE = "Open it once without --read-only: names, vectors and predicates are made anew then."


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

    def community_map(self, inside: int | None = None, when: When = NOW) -> CommunityMap:
        """The graph as communities and their links, or what is inside one: smaller ones, or entities and triples.

        Raises UnknownName for a community that is not there.
        """
        with self.reading(when) as snapshot:
            return map_communities(snapshot, inside)

    def dates(self) -> tuple[datetime, datetime] | None:
        """The first and the last moment at which a triple begins or ceases to hold, None where none does."""
        with self.reading() as snapshot:
            return dated_between(snapshot)

    def describe(self, when: When = NOW, *, documents: int = 20) -> Description:
        """What the graph holds: counts by type and predicate, its newest documents, its embedder."""
        with self.reading(when) as snapshot:
            return describe_graph(snapshot, documents=documents)

    def status(self) -> Status:
        """The state of the file."""
        with self.store.reading() as tx:
            return status(self.snapshot_of(tx), self.store)

    def health(self) -> Health:
        """What works and what does not; a file that is missing, locked or no graph is reported, not raised."""
        path, model = self.store.path, self.embedders.model
        found = Health(path, self.store.exists, HomeReport(), "", _versions(), [])
        if not self.store.exists:
            missing = FileTrouble(path, f"There is no file {path}.", CREATES_FILE)
            return self._with_embedders(replace(found, problems=[missing]), model)
        try:
            home = self.store.report()
        except GraphragError as error:  # the server does not answer
            return self._with_embedders(replace(found, problems=[error]), model)
        found = replace(found, home=home, lock_holder=home.writer)
        try:
            found, model = self._inside(found)
        except FileLocked as error:
            found = replace(found, lock_holder=error.holder, problems=[error])
        except GraphragError as error:
            found = replace(found, problems=[error])
        found = self._with_embedders(found, model)
        is_said = any(isinstance(each, DiskFull) for each in found.problems)
        return replace(found, problems=[*found.problems, *self._lack_of_space(is_said=is_said), *self._parts()])

    def documents_by_older_rules(self) -> list[str]:
        """The uris of the documents that the extractor of the core has read by older rules; to be read again."""
        with self.reading() as snapshot:
            return read_by_older_rules(snapshot.tx, LITE, LITE_RULES)

    def find_entities(
        self, query: str = "", *, type: str | None = None, limit: int = 10, when: When = NOW
    ) -> list[FoundEntity]:
        """Entities by name, alias, spelling or meaning, best first; without a query the best connected."""
        with self.reading(when) as snapshot:
            found = find_entities(snapshot, query, type=type, limit=limit)
            stated = values_in_words(snapshot, [each.entity.id for each in found])
            return [replace(each, values=stated.get(each.entity.id, ())) for each in found]

    def query_triples(self, query: TripleQuery, when: When = NOW) -> TriplePage:
        """Triples by subject, predicate, object and their types, and what follows from them."""
        with self.reading(when, min_confidence=query.min_confidence) as snapshot, showing_unread_names(snapshot):
            page = query_triples(snapshot, query)
            named = [] if page.triples else [name for name in (query.subject, query.object) if name]
            return replace(page, notes=[*page.notes, *awaiting_notes(snapshot, named)]) if named else page

    def awaiting_notes(self, *names: str) -> list[str]:
        """For each name that chunks say which await an agent's reading, how many there are and how to read them."""
        with self.reading() as snapshot:
            return awaiting_notes(snapshot, names)

    def neighbourhood(self, query: NeighbourhoodQuery | str, when: When = NOW) -> Neighbourhood:
        """The triples around an entity, hop by hop. Raises UnknownName for an entity that is not stored."""
        query = NeighbourhoodQuery(query) if isinstance(query, str) else query
        with self.reading(when, min_confidence=query.min_confidence) as snapshot, showing_unread_names(snapshot):
            return get_neighbourhood(snapshot, query)

    def short_forms(
        self, named: Collection[NamedType], citations: Collection[str]
    ) -> tuple[dict[NamedType, str], dict[str, Place]]:
        """Names, given with their types, and citations, as short as they can still be looked up."""
        with self.reading() as snapshot:
            return short_names(snapshot, named), places(snapshot, citations)

    def query(self, query: GraphQuery | str, when: When = NOW) -> GraphRows:
        """The rows of a query in a read-only subset of openCypher.

        Raises Refused for a query that is wrong or has what is not supported, BadInput for one that takes too long.
        """
        from mcp_graphrag.query.run_query import query_graph  # noqa: PLC0415  (its parser takes long to load)

        query = GraphQuery(query) if isinstance(query, str) else query
        with self.reading(when) as snapshot:
            return query_graph(snapshot, query)

    def source(self, what: str, lines: str = "", *, outline: bool = False) -> Source:
        """The text behind a citation, path, title, heading or name in code, lines of it, or what it consists of."""
        with self.reading() as snapshot:
            return find_source(snapshot, what, lines, outline=outline)

    def history(self, name: str, *, limit: int = 50, after: int = 0) -> History:
        """What happened to an entity, the newest first. Raises UnknownName."""
        with self.reading() as snapshot:
            return history(snapshot, name, limit=limit, after=after)

    def operations_of(self, client: str, request: str, since: datetime) -> list[tuple[int, str]]:
        """(operation, tool) of what a request of a client has stored since a moment (naive UTC)."""
        with self.reading() as snapshot:
            return landed(snapshot.tx, client, request, since)

    def last_operation(self) -> Operation | None:
        """The last operation that `undo` can take back, if there is one."""
        with self.reading() as snapshot:
            return next(iter(last_operations(snapshot.tx, limit=1)), None)

    def diff(self, since: datetime, until: datetime | None = None, *, limit: int = 50) -> Difference:
        """What was learned and given up between two moments (naive UTC); until now by default."""
        with self.reading() as snapshot:
            return diff(snapshot, since=since, until=until, limit=limit)

    def _inside(self, found: Health) -> tuple[Health, Embedder | None]:
        """What only the open file tells, and its model."""
        with self.store.reading() as tx:
            snapshot = self.snapshot_of(tx)
            model, stored, waiting = snapshot.model, stored_model(tx), chunks_to_embed(snapshot)
            graph_id, behind = tx.graph_id, self.indexes.changes_behind(tx)
            older = len(read_by_older_rules(tx, LITE, LITE_RULES))
            problems: list[GraphragError] = []
            if derived_version(tx) != DERIVED:
                problems.append(GraphragError("The file is of an earlier version, and not current.", OPEN_TO_WRITE))
            try:
                if model:
                    check_model(tx, model.name)
            except EmbedderMismatch as error:
                problems.append(error)
        found = replace(
            found,
            graph_id=graph_id,
            file_model=stored,
            chunks_awaiting_embedding=waiting,
            schema_version=migrations()[-1][0],
            documents_by_older_rules=older,
            changes_behind=behind,
            problems=problems,
        )
        return found, model

    def _with_embedders(self, found: Health, model: Embedder | None) -> Health:
        """The same with the names of the embedders, after each has embedded a word, and with why one has not."""
        problems = [*found.problems]
        if self.embedders.lacking and model is None:
            problems.append(
                GraphragError(
                    f"The model minilm lacks {self.embedders.lacking}: search uses static vectors alone.",
                    f"Install it: {INSTALL}, or set embedder to wordllama.",
                )
            )
        embedders = [self.embedders.static, *([model] if model else [])]
        for embedder in embedders:
            try:
                embedder.embed(["health"])
            except GraphragError as error:
                problems.append(error)
        return replace(found, embedder=" and ".join(each.name for each in embedders), problems=problems)

    def _parts(self) -> Iterator[GraphragError]:
        for name in self.store.quarantined:  # opening the file may have set one aside just now
            yield GraphragError(f"{name} was set aside.", "Ingest what is missing again, then delete it.")
        if self.settings.vector_index == "hnsw" and (state := extension_state()) != "wheel":
            yield GraphragError(f"The extension vss does not load ({state}).", "Set vector_index to auto.")

    def _lack_of_space(self, *, is_said: bool) -> Iterator[GraphragError]:
        path = self.store.path
        if not path.exists():
            return  # the disk of a database is its server's
        if self.store.found_no_space and not is_said:
            yield FileTrouble(path, f"The last write to {path} found no space left.", FREE_SPACE)
        free, needed = shutil.disk_usage(path.parent).free, self.store.report().log_bytes + CHECKPOINT_BYTES
        if free < needed and not self.settings.read_only:
            fact = (
                f"The disk of {path} has {free / 1e6:.1f} MB free, and the next writes may need {needed / 1e6:.1f} MB."
            )
            yield FileTrouble(path, fact, FREE_SPACE)


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name, package in PACKAGES.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = "missing"
    return found
