"""The first line of a connection to an owner, and its answer: one JSON object each."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from mcp_graphrag.settings import SETTINGS, Settings, make_settings

PROTOCOL = 1  # both sides must speak the same; versions of the package may differ
# The owner's last line where it ends in order: every request that it has read is answered.
GOODBYE = b'{"jsonrpc":"2.0","method":"notifications/goodbye"}\n'
Role = Literal["mcp", "cli", "edits", "status", "successor"]
# One process serves all clients of a file, so these hold for all of them: those of the client that started it.
SHARED = (
    "memory_limit",
    "threads",
    "lock_wait",
    "idle_release",
    "vector_index",
    "max_matrix_vectors",
    "linger",
    "watch",
)


@dataclass(frozen=True)
class Sent:
    """A request whose answer was lost: its id as text, and the UTC time before which it was not sent."""

    request: str
    since: str


@dataclass(frozen=True)
class Hello:
    """Who connects: as what, with which settings. `client` stays the same when it connects again.

    `lost` are calls that a former owner has not answered, of which it may have stored something.
    """

    token: str
    role: Role
    client: str = ""
    version: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])
    lost: Sequence[Sent] = ()
    protocol: int = PROTOCOL


@dataclass(frozen=True)
class Welcome:
    """The owner's answer. Where it refuses, `error` and `hint` say why.

    Where calls were lost, `reads` names the tools that may be called again, and `landed` has for each what was stored,
    "" for nothing. `notes` says where the client's settings do not hold.
    """

    error: str = ""
    hint: str = ""
    pid: int = 0
    version: str = ""
    reads: Sequence[str] = ()
    landed: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: Sequence[str] = ()
    status: Mapping[str, Any] = field(default_factory=dict[str, Any])


def to_line(record: Hello | Welcome) -> bytes:
    """A record as a line of JSON."""
    return json.dumps(asdict(record), ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"


def hello_of(fields: Any) -> Hello:
    """The hello in JSON; what another version added is left out. Raises ValueError or TypeError if it is none."""
    given = _known(Hello, fields)
    lost = [Sent(str(each["request"]), str(each["since"])) for each in given.pop("lost", ())]
    return Hello(**given, lost=lost)


def welcome_of(line: bytes) -> Welcome:
    """The welcome in a line. Raises ValueError or TypeError if it is none."""
    return Welcome(**_known(Welcome, json.loads(line)))


def _known(kind: type[Hello] | type[Welcome], given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise TypeError(given)
    names = {each.name for each in fields(kind)}
    return {str(name): value for name, value in given.items() if name in names}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def settings_as_json(settings: Settings) -> dict[str, Any]:
    """The settings that are not defaults, paths made absolute: the owner has another working folder."""
    values: dict[str, Any] = {}
    for item in SETTINGS:
        value = getattr(settings, item.name)
        if item.name in {"roots", "watch"}:
            value = tuple(os.path.abspath(os.path.expanduser(folder)) for folder in value)  # noqa: PTH100, PTH111
        if value != item.default:
            values[item.name] = str(value) if isinstance(value, Path) else value
    return {**values, "db": os.path.realpath(settings.db.expanduser().absolute())}


def settings_from_json(values: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    """The settings in a hello; those of another version that are unknown here are left out. Raises BadInput."""
    known = {item.name for item in SETTINGS}
    settings = make_settings(**{name: value for name, value in values.items() if name in known})
    return replace(settings, origins=dict(origins))
