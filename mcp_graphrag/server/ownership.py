"""What is known of the process that owns a file."""

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ownership:
    """The process that serves a file to all its clients; times in seconds since the process began."""

    pid: int
    lock: str
    started: float = field(default_factory=time.monotonic)
    clients: list[str] = field(default_factory=list[str])  # the kind of each that is connected
    readers: list[str] = field(default_factory=list[str])  # the client of each of them

    @property
    def uptime(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started
