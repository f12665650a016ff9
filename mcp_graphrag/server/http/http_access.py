"""Where HTTP is served and to whom: the listening socket, the hosts and origins it answers, and the bearer tokens."""

import errno
import hashlib
import hmac
import ipaddress
import re
import socket
import sys
from dataclasses import dataclass
from typing import Any, Literal

from mcp.server.transport_security import TransportSecuritySettings

from mcp_graphrag.errors import BadInput
from mcp_graphrag.settings import Settings

Access = Literal["read-write", "read-only"]
PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
UNGUARDED = ("127.0.0.1", "::1")  # served without a token
MIN_TOKEN = 16
TOKEN = re.compile(r"[!-~]+")  # what an HTTP header takes: ASCII without spaces
NEW_TOKEN = """Make one: python -c "import secrets; print(secrets.token_urlsafe())"."""  # noqa: S105  (how to make one)


@dataclass(frozen=True)
class Tokens:
    """The bearer tokens by what they allow, "" where there is none. Without any, every client may read and write."""

    read_write: str = ""
    read_only: str = ""

    @property
    def required(self) -> bool:
        """Whether a client needs one."""
        return bool(self.read_write or self.read_only)

    def access(self, authorization: str) -> Access | None:
        """What an Authorization header allows, in the same time for every wrong token; None: nothing."""
        if not self.required:
            return "read-write"
        scheme, _, token = authorization.partition(" ")
        is_read_write, is_read_only = _same(token, self.read_write), _same(token, self.read_only)
        if scheme.lower() != "bearer":
            return None
        return "read-write" if is_read_write else "read-only" if is_read_only else None


@dataclass(frozen=True)
class Listener:
    """A socket that is bound and does not listen yet, the address of its server, and who may use it."""

    socket: socket.socket
    url: str
    security: TransportSecuritySettings
    tokens: Tokens
    max_bytes: int


def listen(settings: Settings, tokens: Tokens | None = None) -> Listener:
    """The listener of these settings, with these tokens or else those of the settings.

    Raises BadInput where the address cannot be had, a token is weak, or an address but those UNGUARDED is to be served
    without a token, or without the names by which clients reach it.
    """
    tokens = tokens or checked_tokens(settings.http_token, settings.http_read_token)
    family, address = _resolved(settings.host, settings.port)
    # An IPv6 address may carry its interface behind a percent sign.
    numbers = str(address[0]).partition("%")[0]
    is_loopback = ipaddress.ip_address(numbers).is_loopback
    if is_loopback:
        # Who binds another one mostly has it forwarded, so that others reach it.
        if not tokens.required and numbers not in UNGUARDED and settings.host not in settings.allowed_hosts:
            raise BadInput(
                f"{settings.host} is served with a token: of the loopback addresses, 127.0.0.1 and ::1 go without.",
                "Choose one of them, set http_token or http_read_token, or say that it goes without too: "
                f"--allowed-host {settings.host}.",
            )
    else:
        if not tokens.required:
            raise BadInput(
                f"Other machines reach {settings.host}, and no token protects the graph.",
                f"Set http_token or http_read_token in the environment or the settings file. {NEW_TOKEN}",
            )
        if not settings.allowed_hosts:
            raise BadInput(
                f"Other machines reach {settings.host}, and no host name is allowed.",
                "Name with --allowed-host, repeated, each name or address that clients have in their URL.",
            )
    bound = _bound(family, address, settings)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    names = [name.lower() for name in (*LOOPBACK, *settings.allowed_hosts, *([shown] if is_loopback else []))]
    hosts = [each for name in names for each in (name, f"{name}:*")]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
    url = f"http://{shown}:{bound.getsockname()[1]}{PATH}"
    return Listener(bound, url, security, tokens, int(settings.max_request_mb * 1_000_000))


def _same(given: str, token: str) -> bool:
    digests = (hashlib.sha256(each.encode(errors="surrogateescape")).digest() for each in (given, token))
    return hmac.compare_digest(*digests) and bool(token)


def checked_tokens(read_write: str, read_only: str) -> Tokens:
    """Tokens of these texts, "" for none. Raises BadInput for one that is weak, or two that are the same."""
    tokens = Tokens(read_write, read_only)
    for name, token in (("http_token", tokens.read_write), ("http_read_token", tokens.read_only)):
        if token and (len(token) < MIN_TOKEN or not TOKEN.fullmatch(token)):
            raise BadInput(f"The setting {name} is not {MIN_TOKEN} or more ASCII characters without spaces.", NEW_TOKEN)
    if tokens.required and tokens.read_write == tokens.read_only:
        raise BadInput("The settings http_token and http_read_token are the same.", "Leave one out, or change one.")
    return tokens


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise BadInput(f"No address of this machine is named '{host}'.", "Choose one with --host.") from error
    return family, address


def _bound(family: socket.AddressFamily, address: Any, settings: Settings) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    # Windows lets a second process take a port with SO_REUSEADDR, which elsewhere only skips the wait after a restart.
    option = socket.SO_EXCLUSIVEADDRUSE if sys.platform == "win32" else socket.SO_REUSEADDR
    made.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        made.bind(address)
        made.listen()
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise BadInput(
                f"Port {settings.port} of {settings.host} is in use.",
                "Choose another with --port, or stop what uses it.",
            ) from error
        raise BadInput(
            f"Port {settings.port} of {settings.host} cannot be used: {error.strerror}.", "See --host and --port."
        ) from error
    return made
