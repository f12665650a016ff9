"""Every setting, with its one name: flag over environment over file over default.

A field of `Settings` named `embed_url` is the flag `--embed-url`, the variable `MCP_GRAPHRAG_EMBED_URL` and the key
`embed_url` of the TOML file. Settings are built once, at the edge; the rooms get their values.
"""

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast, get_origin, get_type_hints

import platformdirs

from mcp_graphrag.errors import BadInput

PREFIX = "MCP_GRAPHRAG_"
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})
VECTOR_INDEXES = ("auto", "matrix", "coded", "codes", "hnsw", "sql")
DEFAULT_DB = platformdirs.user_data_path("mcp-graphrag") / "graph.duckdb"
ONTOLOGIES = ("memory", "documents", "code", "services")
SHARES = r"(0?\.\d+|[01](\.0*)?)(\s*,\s*(0?\.\d+|[01](\.0*)?))*"  # numbers from 0 to 1
WEIGHT = r"(keyword|vector|pagerank|graph|edges)\s*=\s*\d*\.?\d+"
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def setting(default: Any, about: str, **limits: Any) -> Any:
    """A field with its default, its sentence for people and its limits: `least`, `most`, `choices`, `secret`.

    `fallback` is another program's environment variable that counts where nothing of ours is set.
    """
    return field(default=default, repr=not limits.get("secret"), metadata={"about": about, **limits})


@dataclass(frozen=True)
class Settings:
    """What can be set. `origins` says where each value comes from: flag, environment, file or default."""

    db: Path = setting(DEFAULT_DB, "the DuckDB file")
    embedder: str = setting("wordllama", "where embeddings come from", choices=("wordllama", "minilm", "openai"))
    embed_url: str = setting("", "endpoint of the embedder openai, as in http://localhost:11434/v1")
    embed_model: str = setting("", "model of the embedder openai")
    embed_key: str = setting("", "key of the embedder openai", secret=True)
    claude_key: str = setting("", "key of Claude; set, it is asked", secret=True, fallback="ANTHROPIC_API_KEY")
    claude_model: str = setting("claude-haiku-5-5", "model that answers and summarises")
    claude_url: str = setting("", "address of Claude's API, if not Anthropic's own", fallback="ANTHROPIC_BASE_URL")
    roots: tuple[str, ...] = setting((), "folders that tools may read files from; none: no files over MCP")
    read_only: bool = setting(default=False, about="refuse every write, open the file for reading")
    toolsets: str = setting("default", "which tools to offer: default, all, or names separated by commas")
    answer_tokens: int = setting(6000, "most tokens of a tool's answer, estimated", least=500, most=20_000)
    context_tokens: int = setting(
        4000, "tokens of the context that a question gets, estimated", least=200, most=100_000
    )
    rrf_k: int = setting(60, "k of reciprocal rank fusion, with fusion=rrf; in mode graph for ties", least=1, most=1000)
    fusion: str = setting(
        "gated", "how arms are fused: gated by how specific a question is, or plain rrf", choices=("gated", "rrf")
    )
    arm_weights: tuple[str, ...] = setting((), "weights of arms in a fusion, as in keyword=2; else 1", pattern=WEIGHT)
    gate: float = setting(0.5, "sum of specificities from which the graph counts in full; 0: always", least=0, most=100)
    synonyms: float = setting(
        0.0, "cosine of names from which entities called alike are walked from too; 0: never", least=0, most=1
    )
    expand_hits: int = setting(5, "best vector hits whose entities mode graph starts from too", least=0, most=100)
    expand_hops: int = setting(2, "how far it walks", least=1, most=4)
    expand_most: int = setting(10, "most entities that it adds", least=1, most=100)
    expand_predicates: tuple[str, ...] = setting(
        ("related_to", "resolved_by", "caused_by", "similar_to"),
        "predicates that it walks, besides the ontology's dependency predicates",
    )
    walk_seeds: int = setting(10, "chunks that a walk over chunk edges starts from", least=1, most=100)
    walk_hops: int = setting(2, "how far it walks", least=0, most=4)
    walk_vector_weight: float = setting(0.7, "weight of a seed's cosine in its score", least=0, most=1)
    walk_graph_weight: float = setting(0.3, "weight of the edges in the score", least=0, most=1)
    walk_decay: str = setting("1,0.7,0.5", "what an edge's weight counts at hop 0, 1, 2 and beyond", pattern=SHARES)
    walk_bidirectional: bool = setting(default=False, about="walk from target to source too")
    walk_min_weight: float = setting(0.0, "weight of an edge below which it is not walked", least=0, most=1)
    walk_keyword_share: float = setting(0.0, "share of keyword search in the choice of seeds", least=0, most=1)
    vector_index: str = setting(
        "auto", "how vectors are searched: auto, matrix, coded, codes, hnsw or sql", choices=VECTOR_INDEXES
    )
    matrix_most: int = setting(200_000, "vectors up to which auto keeps the matrix in memory", least=0)
    community_most_triples: int = setting(
        100_000, "triples up to which communities are built while a call waits", least=0
    )
    chunk_target: int = setting(240, "tokens a chunk should have, estimated", least=20, most=4000)
    chunk_most: int = setting(400, "tokens above which a paragraph is split", least=20, most=8000)
    chunk_children: int = setting(
        0,
        "tokens of a chunk's parts, searched in its place, of what is ingested from then on; 0: none",
        least=0,
    )
    edge_min_weight: float = setting(0.0, "weight below which a chunk edge is not stored", least=0, most=1)
    edge_most: int = setting(0, "most chunk edges stored from one chunk, the strongest; 0: all", least=0, most=10_000)
    edge_similarity: float = setting(
        0.5, "similarity from which chunks of two documents are similar_to", least=0, most=1
    )
    edge_pairs: int = setting(3, "most such pairs of a chunk", least=1, most=100)
    discover_edges: bool = setting(default=False, about="look for similar chunks of other documents during ingest")
    ontology: tuple[str, ...] = setting(ONTOLOGIES, "ontologies in force; by default those that the file adds too")
    strict: bool = setting(default=False, about="refuse triples outside the ontologies in force")
    source_precedence: tuple[str, ...] = setting((), "sources, uris or titles of documents, the most trusted first")
    entities_per_chunk: int = setting(15, "most entities taken from a chunk", least=1, most=1000)
    triples_per_chunk: int = setting(20, "most triples taken from a chunk", least=1, most=1000)
    success_boost: float = setting(0.1, "what a success adds to the confidence of its fix", least=0, most=1)
    success_spread: float = setting(0.3, "share of that for fixes of similar errors", least=0, most=1)
    error_likeness: float = setting(0.5, "similarity from which two errors are similar_to each other", least=0, most=1)
    max_file_mb: float = setting(10.0, "size in megabytes above which a file or text is refused", least=0.001)
    job_after: float = setting(30.0, "seconds after which ingest answers and goes on as a job", least=0, most=40)
    lock_wait: float = setting(5.0, "seconds to wait for a file that another process holds", least=0, most=60)
    idle_release: float = setting(0.5, "seconds without a call after which the server releases the file", least=0)
    memory_limit: str = setting("2GB", "most memory of DuckDB", pattern=r"\d+(\.\d+)?\s?([KMGT]i?B)")
    threads: int = setting(1, "threads of DuckDB; more help only with scans of large files", least=1, most=256)
    log_level: str = setting("WARNING", "what goes to stderr", choices=LOG_LEVELS)
    origins: Mapping[str, str] = field(default_factory=dict[str, str], metadata={"derived": True})

    def shown(self) -> dict[str, dict[str, Any]]:
        """Every setting's value and origin; secrets only as set or not."""
        return {
            each.name: {
                "value": _shown(getattr(self, each.name), secret=each.secret),
                "origin": self.origins.get(each.name, "default"),
            }
            for each in SETTINGS
        }


@dataclass(frozen=True)
class Setting:
    """One setting as people see it."""

    name: str
    type: Any
    default: Any
    about: str
    least: float | None = None
    most: float | None = None
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
        """The value from a string, or from what TOML gives. Raises BadInput, saying where it came from."""
        try:
            value = self._convert(given)
        except (TypeError, ValueError, OverflowError) as error:
            wanted = "a list of strings" if self.is_list else f"of type {self.type.__name__}"
            raise BadInput(f"The setting {self.name} ({origin}) is {given!r}, which is not {wanted}.") from error
        if self.choices and value not in self.choices:
            raise BadInput(
                f"The setting {self.name} ({origin}) is '{value}'.", f"It is one of {', '.join(self.choices)}."
            )
        for each in value if self.is_list else (value,):
            if self.pattern and not re.fullmatch(self.pattern, each, re.IGNORECASE):
                raise BadInput(f"The setting {self.name} ({origin}) is '{each}'.", f"It is {self.about}.")
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            limits = f"from {self.least} to {self.most}" if self.most is not None else f"at least {self.least}"
            raise BadInput(f"The setting {self.name} ({origin}) is {value}.", f"It is {limits}.")
        return value

    def _convert(self, given: Any) -> Any:
        if self.is_list:
            return tuple(given.split(os.pathsep)) if isinstance(given, str) and given else _strings(given or ())
        if self.type is bool:
            return given if isinstance(given, bool) else _truth(str(given))
        if isinstance(given, bool):
            raise TypeError(given)
        if self.type is Path:
            return Path(given).expanduser()
        if self.type is str:
            return _string(given)
        return _number(self.type, given)


def _strings(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list | tuple):
        raise TypeError(given)
    return tuple(str(each) for each in cast("list[Any]", given))


def _string(given: Any) -> str:
    if not isinstance(given, str | int | float):
        raise TypeError(given)
    return str(given)


def _number(type_: type[int | float], given: Any) -> int | float:
    value = type_(given)
    if not math.isfinite(value) or (isinstance(given, float) and value != given):
        raise ValueError(given)
    return value


def _truth(word: str) -> bool:
    if word.lower() not in TRUE | FALSE:
        raise ValueError(word)
    return word.lower() in TRUE


def _shown(value: Any, *, secret: bool) -> Any:
    if secret:
        return "set" if value else ""
    if isinstance(value, tuple):
        return list(cast("tuple[str, ...]", value))
    return str(value) if isinstance(value, Path) else value


def _settings() -> tuple[Setting, ...]:
    types = get_type_hints(Settings)
    return tuple(
        Setting(each.name, types[each.name], each.default, **each.metadata)
        for each in fields(Settings)
        if "derived" not in each.metadata
    )


SETTINGS = _settings()


def load_settings(flags: Mapping[str, Any], environ: Mapping[str, str], config: Path | None = None) -> Settings:
    """The settings in force. `flags` holds only what was given; an empty variable counts as not set.

    Without `config`, the file config.toml in the user's configuration folder is read if it is there.
    Raises BadInput for an unknown key, a value out of its limits, or a file that cannot be read.
    """
    file = config or platformdirs.user_config_path("mcp-graphrag") / "config.toml"
    in_file = _read_config(file) if config is not None or file.is_file() else {}
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for each in SETTINGS:
        given = flags.get(each.name)
        if given is not None and given != ():
            values[each.name], origins[each.name] = each.parse(given, "flag"), "flag"
        elif environ.get(each.variable):
            values[each.name], origins[each.name] = each.parse(environ[each.variable], "environment"), "environment"
        elif each.name in in_file:
            values[each.name], origins[each.name] = each.parse(in_file[each.name], f"file {file}"), f"file {file}"
        elif each.fallback and environ.get(each.fallback):
            origin = f"environment {each.fallback}"
            values[each.name], origins[each.name] = each.parse(environ[each.fallback], origin), origin
    settings = Settings(**values, origins=origins)
    if settings.chunk_most < settings.chunk_target:
        raise BadInput("The setting chunk_most is below chunk_target.", "Raise the one or lower the other.")
    if settings.chunk_children >= settings.chunk_target:
        raise BadInput("The setting chunk_children is not below chunk_target.", "Lower the one or raise the other.")
    return settings


def _read_config(file: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The settings file {file} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"The settings file {file} is not TOML: {error}.") from error
    known = {each.name for each in SETTINGS}
    if unknown := sorted(found.keys() - known):
        raise BadInput(
            f"{file} sets {', '.join(unknown)}, which nothing reads.", f"Settings: {', '.join(sorted(known))}."
        )
    return found
