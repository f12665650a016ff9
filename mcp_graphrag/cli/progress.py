"""Progress on stderr: a bar for each step of a command, or now and then a line where nobody looks on."""

import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import click

LINE_SECONDS = 15.0
QUIET_SECONDS = 2.0  # after which a terminal is told that something goes on

Progress = Callable[[float, float | None, str], None]


class ProgressBars:
    """A bar for the present step; the next step has one of its own. Lines of a label before its last stand above it."""

    def __init__(self) -> None:
        self._label = ""
        self._bar: Any = None
        self._stack = ExitStack()
        self._lock = threading.RLock()
        self._begun = self._told = time.monotonic()

    def show_waiting(self, ended: threading.Event) -> None:
        """Until the end show for how long it has been going on, where nothing else was told for a while."""
        while not ended.wait(QUIET_SECONDS / 2):
            with self._lock:
                now = time.monotonic()
                if self._bar is None and now - self._told >= QUIET_SECONDS and not ended.is_set():
                    told = self._told
                    self.show(0, None, f"Working, {now - self._begun:.0f} s")
                    self._told = told

    def show(self, done: float, total: float | None, label: str) -> None:
        """Show how much of a step is done; without a total only its name, and nothing for a total of 0."""
        with self._lock:
            self._told = time.monotonic()
            self._show(done, total, label)

    def _show(self, done: float, total: float | None, label: str) -> None:
        if label != self._label:
            self.close()
            self._label = label
            if total:
                *above, name = label.splitlines()
                for line in above:
                    click.echo(line, err=True)
                self._bar = self._stack.enter_context(
                    click.progressbar(length=int(total), label=name, file=sys.stderr, show_pos=True, show_eta=True)
                )
        if self._bar is not None:
            self._bar.update(max(int(done) - self._bar.pos, 0))
        elif total is None and label:
            click.echo(f"\r{label:60.60}", nl=False, err=True)

    def close(self) -> None:
        """End the present bar."""
        self._stack.close()
        if self._label and self._bar is None:
            click.echo(f"\r{'':60}\r", nl=False, err=True)
        self._label, self._bar = "", None


class ProgressLines:
    """A line on how much of a step is done, every LINE_SECONDS; none for a step that is shorter.

    Lines of a label before its last stand above the first.
    """

    def __init__(self) -> None:
        self._label = ""
        self._above: list[str] = []
        self._next = self._begun = 0.0

    def show(self, done: float, total: float | None, label: str) -> None:
        """Tell how much of a step is done, where it is time to."""
        now = time.monotonic()
        if label != self._label:
            self._label, self._next, self._begun = label, now + LINE_SECONDS, now
            self._above = label.splitlines()[:-1]
        if total and now >= self._next:
            self._next = now + LINE_SECONDS
            name = label.splitlines()[-1]
            left = (now - self._begun) * (total - done) / done if done else None
            then = f", about {left:,.0f} s left" if left is not None else ""
            click.echo("\n".join([*self._above, f"{name}: {int(done):,} of {int(total):,}{then}"]), err=True)
            self._above = []


@contextmanager
def progress_bars(*, shown: bool) -> Generator[Progress]:
    """What takes (done, total, label), for bars in a terminal and lines elsewhere; nothing unless it is shown."""
    if not shown:
        yield lambda _done, _total, _label: None
    elif not sys.stderr.isatty():
        yield ProgressLines().show
    else:
        bars, ended = ProgressBars(), threading.Event()
        waiting = threading.Thread(target=bars.show_waiting, args=(ended,), daemon=True)
        waiting.start()
        try:
            yield bars.show
        finally:
            ended.set()
            waiting.join()
            bars.close()
