"""Progress on stderr: a bar for each step of a command."""

import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import click


class ProgressBars:
    """A bar for the present step; the next step has one of its own."""

    def __init__(self) -> None:
        self._label = ""
        self._bar: Any = None
        self._stack = ExitStack()

    def show(self, done: float, total: float | None, label: str) -> None:
        """Show how much of a step is done; without a total only its name, and nothing for a total of 0."""
        if label != self._label:
            self.close()
            self._label = label
            if total:
                self._bar = self._stack.enter_context(
                    click.progressbar(length=int(total), label=label, file=sys.stderr, show_pos=True, show_eta=True)
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


@contextmanager
def progress_bars(*, shown: bool) -> Generator[Callable[[float, float | None, str], None]]:
    """What takes (done, total, label); nothing comes of it unless it is shown."""
    bars = ProgressBars()

    def show(done: float, total: float | None, label: str) -> None:
        if shown:
            bars.show(done, total, label)

    try:
        yield show
    finally:
        if shown:
            bars.close()
