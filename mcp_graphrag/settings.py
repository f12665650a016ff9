"""Every setting, with its one name: flag over environment over project over file over default.

A field of `Settings` named `embed_url` is the flag `--embed-url`, the variable `MCP_GRAPHRAG_EMBED_URL` and the key
`embed_url` of the TOML file. Settings are built once, at the edge; lower layers get their values.
"""

import contextlib
import math
import os
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast, get_origin, get_type_hints

import platformdirs

from mcp_graphrag.clean_input import check_range, local_path
from mcp_graphrag.database_url import SCHEMES, path_for
from mcp_graphrag.errors import BadInput
from mcp_graphrag.project import Project, find_project, projects_above

PREFIX = "MCP_GRAPHRAG_"
TRUE = ("1", "true", "yes", "on")
TRUTH = {word: word in TRUE for word in (*TRUE, "0", "false", "no", "off", "")}
VECTOR_INDEXES = ("auto", "matrix", "coded", "codes", "hnsw", "sql")
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"  # in which a host names the folder that it works in
AUTO, NO_PROJECT = "auto", "none"
# What the shared settings file of a project may set: how texts are read and searched, and nothing about keys,
# addresses, other folders or processes.
SHAREABLE = (
    "embedder", "toolsets", "min_confidence", "answer_tokens", "context_tokens", "chunk_target", "max_chunk_tokens",
    "chunk_children", "edge_min_weight", "max_edges_per_chunk", "edge_similarity", "edge_pairs", "discover_edges",
    "ontology", "strict", "source_precedence", "entities_per_chunk", "triples_per_chunk",
)  # fmt: skip
DEFAULT_DB = platformdirs.user_data_path("mcp-graphrag") / "graph.duckdb"
ONTOLOGIES = ("memory", "documents", "code", "services")
SHARES = r"(0?\.\d+|[01](\.0*)?)(\s*,\s*(0?\.\d+|[01](\.0*)?))*"  # numbers from 0 to 1
WEIGHT = r"(keyword|vector|pagerank|graph|edges)\s*=\s*\d*\.?\d+"
HOST = r"[a-z0-9._-]+|\[[0-9a-f:.]+\]"  # IPv6 in brackets
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def setting(default: Any, about: str, **limits: Any) -> Any:
    """A field with its default, its description and its limits: `minimum`, `maximum`, `choices`, `pattern`, `secret`.

    `fallback` is another program's environment variable, read where none of ours is set.
    """
    return field(default=default, repr=not limits.get("secret"), metadata={"about": about, **limits})


@dataclass(frozen=True)
class Settings:
    """All settings. `origins` says where each value comes from: flag, environment, project, file or default.

    Where they were loaded it has three names more: `config` is the user's settings file, `start` the folder from which
    a project was looked for, and `no_project` why none was taken, if so.
    """

    db: Path = setting(DEFAULT_DB, "the DuckDB file, or the URL of a PostgreSQL database")
    postgres: str = setting(
        "", "URL of a PostgreSQL database that has the graph in place of a file; db takes it too", secret=True
    )
    project: str = setting(
        AUTO, "project whose graph is used where no db is given: auto, none (the user's graph) or a folder"
    )
    embedder: str = setting("auto", "model of embeddings", choices=("auto", "wordllama", "minilm", "e5", "openai"))
    embed_url: str = setting("", "endpoint of the openai embedder, as in http://localhost:11434/v1")
    embed_model: str = setting("", "model of the openai embedder")
    embed_key: str = setting("", "API key of the openai embedder", secret=True)
    claude_key: str = setting("", "Anthropic API key; enables Claude", secret=True, fallback="ANTHROPIC_API_KEY")
    claude_model: str = setting("claude-haiku-5-5", "model that answers questions, summarizes communities and extracts")
    claude_chunks: int = setting(5, "chunks in a request of the extractor claude", minimum=1, maximum=50)
    claude_overlap: int = setting(1, "chunks before those of a request that it shows as context", minimum=0, maximum=10)
    claude_workers: int = setting(3, "requests of the extractor claude at the same time", minimum=1, maximum=32)
    claude_batches: bool = setting(
        default=False, about="make the requests of the extractor claude by message batches: within a day, at half price"
    )
    claude_edges: bool = setting(
        default=False, about="after an ingest by claude, ask it how similar chunks of other documents relate"
    )
    max_dollars: float = setting(
        0.0, "dollars that an ingest may spend on a model; 0: no limit", minimum=0, maximum=1_000_000
    )
    max_tokens_spent: int = setting(0, "tokens that an ingest may spend on a model; 0: no limit", minimum=0)
    claude_url: str = setting("", "address of the Anthropic API, if not the default", fallback="ANTHROPIC_BASE_URL")
    roots: tuple[str, ...] = setting((), "folders that tools may read files from; none: no files over MCP")
    watch: tuple[str, ...] = setting((), "folders below the roots that the server keeps in step while it runs")
    watch_interval: float = setting(2.0, "seconds between two looks at watched folders", minimum=0.1, maximum=3600)
    read_only: bool = setting(default=False, about="refuse every write and open the file for reading only")
    toolsets: str = setting("default", "tools to offer: default, all, or names separated by commas")
    structured: bool = setting(
        default=False, about="answer tools with structured content too, and publish the schemas of answers"
    )
    min_confidence: float = setting(
        0.0, "minimum confidence of a triple that answers show and communities are built from", minimum=0, maximum=1
    )
    answer_tokens: int = setting(6000, "maximum tokens of a tool's answer, estimated", minimum=500, maximum=20_000)
    context_tokens: int = setting(
        4000, "tokens of the context assembled for a question, estimated", minimum=200, maximum=100_000
    )
    rrf_k: int = setting(60, "k of reciprocal rank fusion, with fusion=rrf", minimum=1, maximum=1000)
    fusion: str = setting(
        "gated",
        "how retrievers are fused: gated by how specific the question is, or plain rrf",
        choices=("gated", "rrf"),
    )
    arm_weights: tuple[str, ...] = setting(
        (), "weights of retrievers in the fusion, as in keyword=2; 1 if not given", pattern=WEIGHT
    )
    gate: float = setting(
        0.25, "seed specificity at which the graph gets full weight; 0: always", minimum=0, maximum=100
    )
    expand_hits: int = setting(
        5, "top vector hits whose entities are further seeds of mode graph", minimum=0, maximum=100
    )
    expand_hops: int = setting(2, "hops that mode graph walks", minimum=1, maximum=4)
    max_expanded: int = setting(10, "maximum entities that mode graph adds", minimum=1, maximum=100)
    expand_predicates: tuple[str, ...] = setting(
        ("related_to", "resolved_by", "caused_by", "similar_to"),
        "predicates that mode graph walks, besides the ontology's dependency predicates",
    )
    walk_seeds: int = setting(10, "chunks that a walk over chunk edges starts from", minimum=1, maximum=100)
    walk_hops: int = setting(2, "hops of that walk", minimum=0, maximum=4)
    walk_vector_weight: float = setting(0.7, "weight of a seed's relevance in its score", minimum=0, maximum=1)
    walk_graph_weight: float = setting(0.3, "weight of the edges in the score", minimum=0, maximum=1)
    walk_decay: str = setting("1,0.7,0.5", "factor of an edge's weight at hop 0, 1, 2 and beyond", pattern=SHARES)
    walk_bidirectional: bool = setting(default=False, about="walk from target to source too")
    walk_min_weight: float = setting(0.0, "minimum weight of an edge that is walked", minimum=0, maximum=1)
    walk_keyword_share: float = setting(
        0.0, "share of keyword search in seeds; 0: those of mode auto", minimum=0, maximum=1
    )
    vector_index: str = setting(
        "auto", "how vectors are searched: auto, matrix, coded, codes, hnsw or sql", choices=VECTOR_INDEXES
    )
    max_matrix_vectors: int = setting(
        200_000, "number of vectors up to which auto keeps the matrix in memory", minimum=0
    )
    max_community_triples: int = setting(
        100_000, "number of triples up to which communities are built while a call waits", minimum=0
    )
    chunk_target: int = setting(240, "target size of a chunk in tokens, estimated", minimum=20, maximum=4000)
    max_chunk_tokens: int = setting(400, "tokens above which a paragraph is split", minimum=20, maximum=8000)
    chunk_children: int = setting(
        0, "size in tokens of child chunks that are searched in place of their chunk; 0: none", minimum=0
    )
    edge_min_weight: float = setting(0.0, "minimum weight of a stored chunk edge", minimum=0, maximum=1)
    max_edges_per_chunk: int = setting(
        0, "maximum chunk edges stored from one chunk, the strongest first; 0: all", minimum=0, maximum=10_000
    )
    edge_similarity: float = setting(
        0.5, "minimum similarity of chunks of two documents for a similar_to edge", minimum=0, maximum=1
    )
    edge_pairs: int = setting(3, "maximum similar_to edges that a chunk gets", minimum=1, maximum=100)
    discover_edges: bool = setting(default=False, about="look for similar chunks of other documents during ingest")
    git: bool = setting(default=False, about="ingest the history of the Git repository of ingested folders too")
    git_commits: int = setting(
        500, "maximum commits of a repository that are read, the newest", minimum=1, maximum=100_000
    )
    git_days: int = setting(
        0, "days after which commits are too old to be read; 0: none is", minimum=0, maximum=100_000
    )
    ontology: tuple[str, ...] = setting(ONTOLOGIES, "ontologies in force; by default also those added to the file")
    strict: bool = setting(default=False, about="refuse triples outside the ontologies in force")
    source_precedence: tuple[str, ...] = setting((), "sources, or uris or titles of documents, the most trusted first")
    entities_per_chunk: int = setting(30, "maximum entities taken from a chunk", minimum=1, maximum=1000)
    triples_per_chunk: int = setting(40, "maximum triples taken from a chunk", minimum=1, maximum=1000)
    success_boost: float = setting(
        0.1, "confidence that a success adds to the triples of its fix", minimum=0, maximum=1
    )
    success_spread: float = setting(0.3, "share of that for fixes of similar errors", minimum=0, maximum=1)
    error_similarity: float = setting(0.5, "minimum similarity of two errors for similar_to", minimum=0, maximum=1)
    document_seconds: float = setting(
        10.0,
        "processor seconds to extract from a document, and as many again per 100,000 characters",
        minimum=0.001,
    )
    max_file_mb: float = setting(10.0, "maximum size of a file or text in megabytes", minimum=0.001)
    keep_retired: str = setting(
        "all", "days that compact keeps what was retired, or all", pattern=r"all|\d{1,6}(\.\d+)?"
    )
    job_after: float = setting(30.0, "seconds after which ingest returns and continues as a job", minimum=0, maximum=40)
    lock_wait: float = setting(5.0, "seconds to wait for a file that another process holds", minimum=0, maximum=60)
    extraction_lease: float = setting(
        600.0, "seconds for which chunks that a client took to extract are kept from others", minimum=0, maximum=86_400
    )
    idle_release: float = setting(0.5, "idle seconds after which the server releases the file", minimum=0)
    no_daemon: bool = setting(
        default=False, about="serve from this process alone: a second process waits until the file is released"
    )
    linger: float = setting(
        10.0, "seconds that the process which serves a file stays after its last client", minimum=0, maximum=3600
    )
    host: str = setting("127.0.0.1", "address that serve --http listens on")
    port: int = setting(8765, "port that serve --http listens on; 0: any free one", minimum=0, maximum=65_535)
    http_token: str = setting("", "bearer token of HTTP clients that may read and write", secret=True)
    http_read_token: str = setting("", "bearer token of HTTP clients that may only read", secret=True)
    allowed_hosts: tuple[str, ...] = setting(
        (), "names without port by which HTTP clients may reach the server, besides loopback ones", pattern=HOST
    )
    max_request_mb: float = setting(16.0, "maximum size of an HTTP request in megabytes", minimum=0.001, maximum=1000)
    memory_limit: str = setting("2GB", "memory limit of DuckDB", pattern=r"\d+(\.\d+)?\s?([KMGT]i?B)")
    threads: int = setting(1, "threads of DuckDB; more help only scans of large files", minimum=1, maximum=256)
    log_level: str = setting("WARNING", "lowest level that is logged to stderr", choices=LOG_LEVELS)
    origins: Mapping[str, str] = field(default_factory=dict[str, str], metadata={"derived": True})

    @property
    def has_graph(self) -> bool:
        """Whether there is a file, or else a database, in which a graph may be."""
        return bool(self.postgres) or self.db.exists()

    def shown(self) -> dict[str, dict[str, Any]]:
        """Every setting's value and origin; of a secret only whether it is set."""
        return {
            item.name: {
                "value": _shown(getattr(self, item.name), secret=item.secret),
                "origin": self.origins.get(item.name, "default"),
            }
            for item in SETTINGS
        }


@dataclass(frozen=True)
class Setting:
    """One setting as users see it."""

    name: str
    type: Any
    default: Any
    about: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False
    pattern: str = ""
    fallback: str = ""

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + self.name.upper()

    @property
    def flag(self) -> str:
        """Its command-line flag. A list is repeated in the singular: --root A --root B."""
        name = self.name.removesuffix("s") if self.is_list else self.name
        return "--" + name.replace("_", "-")

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return get_origin(self.type) is tuple

    def parse(self, given: Any, origin: str) -> Any:
        """The value from a string or a TOML value. Raises BadInput, naming its origin."""
        try:
            value = self._convert(given)
        except (TypeError, ValueError, OverflowError, KeyError) as error:
            wanted = "a list of strings" if self.is_list else f"of type {self.type.__name__}"
            raise BadInput(f"The setting {self.name} ({origin}) is {given!r}, which is not {wanted}.") from error
        if self.choices and value not in self.choices:
            raise BadInput(
                f"The setting {self.name} ({origin}) is '{value}'.", f"It is one of {', '.join(self.choices)}."
            )
        for item in value if self.is_list else (value,):
            if self.pattern and not re.fullmatch(self.pattern, item, re.IGNORECASE):
                raise BadInput(f"The setting {self.name} ({origin}) is '{item}'.", f"It is {self.about}.")
        if self.minimum is not None:
            check_range(f"The setting {self.name} ({origin})", value, self.minimum, self.maximum)
        return value

    def _convert(self, given: Any) -> Any:
        if self.is_list:
            items = given.split(os.pathsep) if isinstance(given, str) and given else given or ()
            if not isinstance(items, list | tuple):
                raise TypeError(items)
            return tuple(str(item) for item in cast("list[Any]", items))
        if self.type is bool:
            return TRUTH[str(given).lower()]
        if isinstance(given, bool) or (self.type is str and not isinstance(given, str | int | float)):
            raise TypeError(given)
        if self.type is Path:
            text = os.fspath(cast("str | os.PathLike[str]", given))
            return Path(text) if text.startswith(SCHEMES) else local_path(text)
        value = self.type(given)
        if isinstance(value, int | float) and not (math.isfinite(value) and value == float(given)):
            raise ValueError(given)
        return value


def _shown(value: Any, *, secret: bool) -> Any:
    if secret:
        return "set" if value else ""
    if isinstance(value, tuple):
        return list(cast("tuple[str, ...]", value))
    return str(value) if isinstance(value, Path) else value


_TYPES = get_type_hints(Settings)
SETTINGS = tuple(
    Setting(item.name, _TYPES[item.name], item.default, **item.metadata)
    for item in fields(Settings)
    if "derived" not in item.metadata
)
_BY_NAME = {item.name: item for item in SETTINGS}
_NAMES = f"Settings: {', '.join(sorted(_BY_NAME))}."


def load_settings(flags: Mapping[str, Any], environ: Mapping[str, str], config: Path | None = None) -> Settings:
    """The settings in effect. `flags` holds only those given; an empty environment variable counts as not set.

    Without `config`, the file config.toml in the user's configuration folder is read if it exists. Where neither flag
    nor variable names the file, the project is looked for that the folder of the host, or the working one, belongs to.
    Raises BadInput for an unknown key, a value out of range, or a file that cannot be read.
    """
    file = config or platformdirs.user_config_path("mcp-graphrag") / "config.toml"
    in_file = _read_config(file, _BY_NAME) if config is not None or file.is_file() else {}
    starts = [Path(environ[PROJECT_VARIABLE])] if environ.get(PROJECT_VARIABLE) else []
    with contextlib.suppress(OSError):  # the working folder may be gone
        starts.append(Path.cwd())
    origins = {"config": str(file), "start": str(starts[0]) if starts else ""}
    choice = flags.get("project") or environ.get(_BY_NAME["project"].variable) or in_file.get("project") or AUTO
    names_file = flags.get("db") or environ.get(_BY_NAME["db"].variable)
    project = None if names_file else _chosen_project(str(choice), starts, origins)
    found, shared = _given_by(project) if project else ({}, {})
    values: dict[str, Any] = {}
    for item in SETTINGS:
        sources = (
            (flags.get(item.name), "flag"),
            (environ.get(item.variable) or None, "environment"),
            (found.get(item.name), "project"),
            (shared.get(item.name), f"project {project and project.config}"),
            (in_file.get(item.name), f"file {file}"),
            (environ.get(item.fallback) or None, f"environment {item.fallback}"),
        )
        for given, origin in sources:
            if given is not None and given != ():
                values[item.name], origins[item.name] = item.parse(given, origin), origin
                break
    return _checked(_with_database(Settings(**values, origins=origins)))


def _chosen_project(choice: str, starts: Sequence[Path], origins: dict[str, str]) -> Project | None:
    """The project that a choice names: auto, none, or a folder in or below it; None for the user's own graph.

    Why there is none goes to `origins`. Raises BadInput for a folder that belongs to no project.
    """
    if choice == NO_PROJECT:
        return None
    places = starts if choice == AUTO else [Path(*starts[-1:], local_path(choice))]
    for place in places:
        if (project := find_project(place)) is not None:
            return project
    foreign = next((each.folder for place in places for each in projects_above(place)), None)
    above = f"no project found above {places[0]}" if places else "no project found"
    why = f"{foreign} is not this user's own folder" if foreign else above
    if choice != AUTO:
        raise BadInput(
            f"The project {choice} cannot be used: {why}.", "`mcp-graphrag init DIR` makes a project of DIR."
        )
    origins["no_project"] = why
    return None


def settings_of_graph(settings: Settings, choice: str) -> Settings:
    """The settings for another graph, chosen as by the setting `project`, for a client that was started with these.

    What it was started with holds there too, but for the file and the watched folders. Raises BadInput where a folder
    belongs to no project.
    """
    given = {
        name: getattr(settings, name)
        for name in _BY_NAME.keys() - {"db", "watch", "project"}
        if settings.origins.get(name, "").startswith(("flag", "environment"))
    }
    start, config = settings.origins.get("start", ""), Path(settings.origins.get("config", ""))
    chosen = choice if choice == NO_PROJECT else str(Path(start, local_path(choice)))
    return load_settings({**given, "project": chosen}, {}, config if config.is_file() else None)


def _given_by(project: Project) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings that follow from where a project is, and those of its file. Raises BadInput for one of neither."""
    found = {"db": str(project.graph), "roots": tuple(map(str, project.roots))}
    return found, _read_config(project.config, SHAREABLE) if project.config.is_file() else {}


def make_settings(**given: Any) -> Settings:
    """The settings with these values and defaults for the rest; neither environment nor settings file is read.

    Raises BadInput for an unknown name or a value out of range.
    """
    if unknown := sorted(given.keys() - _BY_NAME.keys()):
        raise BadInput(f"No setting named '{unknown[0]}'.", _NAMES)
    values = {name: _BY_NAME[name].parse(value, "argument") for name, value in given.items()}
    return _checked(_with_database(Settings(**values, origins=dict.fromkeys(values, "argument"))))


def _with_database(settings: Settings) -> Settings:
    """The settings with the name of a database, given as `db` or as `postgres`, in place of that of a file."""
    given = re.sub(r"\A(postgres(?:ql)?:)[/\\]+", r"\1//", str(settings.db))  # a path has single slashes
    url = given if given.startswith(SCHEMES) else settings.postgres
    return replace(settings, db=path_for(url), postgres=url) if url else settings


def _checked(settings: Settings) -> Settings:
    if settings.max_chunk_tokens < settings.chunk_target:
        raise BadInput("The setting max_chunk_tokens is below chunk_target.", "Raise it, or lower chunk_target.")
    if settings.chunk_children >= settings.chunk_target:
        raise BadInput("The setting chunk_children is not below chunk_target.", "Lower it, or raise chunk_target.")
    return settings


def _read_config(file: Path, names: Collection[str]) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The settings file {file} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"The settings file {file} is not TOML: {error}.") from error
    if unknown := sorted(found.keys() - set(names)):
        if unknown[0] in _BY_NAME:
            raise BadInput(f"The settings file of a project, {file}, may not set {unknown[0]}.", "Set it in your own.")
        raise BadInput(f"Unknown settings in {file}: {', '.join(unknown)}.", f"Settings: {', '.join(sorted(names))}.")
    return found
