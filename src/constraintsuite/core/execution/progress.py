"""Progress of a command with the time left, on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from constraintsuite.core.store.mirror import with_urls


class Advance(Protocol):
    """Reports finished items."""

    def __call__(self, items: int = 1) -> None:
        """Count `items` more items as done."""


class Reporter(Protocol):
    """Shows the progress of a command to its user."""

    def note(self, text: str) -> None:
        """Show one line of text."""

    def track(self, title: str, total: int | None) -> AbstractContextManager[Advance]:
        """Count items of a step until the block ends."""


class Silent:
    """A reporter that shows nothing, for tests and library calls."""

    def note(self, text: str) -> None:
        """Drop the line."""

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        """Run the block without counting."""
        yield _ignore


def _ignore(items: int = 1) -> None:
    """Drop the count."""


class Terminal:
    """Shows a bar with the time left on a terminal, and elsewhere one line every ten seconds at most."""

    every_seconds = 10.0

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)

    def note(self, text: str) -> None:
        """Print one line on stderr."""
        self.console.print(with_urls(text), markup=False, soft_wrap=True)

    @contextmanager
    def track(self, title: str, total: int | None) -> Iterator[Advance]:
        """Show progress while the block runs."""
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description:<12}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
            )
            with Progress(*columns, console=self.console, transient=True) as bars:
                task = bars.add_task(title, total=total)

                def advance(items: int = 1) -> None:
                    bars.advance(task, items)

                yield advance
        else:
            yield self._lines(title, total)

    def _lines(self, title: str, total: int | None) -> Advance:
        start = last = time.monotonic()
        done = 0

        def advance(items: int = 1) -> None:
            nonlocal last, done
            done += items
            now = time.monotonic()
            if now - last >= self.every_seconds and total and 0 < done < total:
                last = now
                left = (now - start) / done * (total - done)
                self.note(f"{title}: {done} of {total}, about {left:.0f} s left")

        return advance
