"""Which step a search is at, and how much of it is left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from constraintsuite.execution.progress import Reporter, Silent


class Watch:
    """Passes on what is counted to the step that is under way; outside of steps nobody listens."""

    def __init__(self, reporter: Reporter | None = None) -> None:
        self._reporter = reporter or Silent()
        self._advance = _ignore

    @contextmanager
    def step(self, title: str, total: int) -> Iterator[None]:
        """Count until the block ends."""
        with self._reporter.track(title, total) as advance:
            self._advance = advance
            try:
                yield
            finally:
                self._advance = _ignore

    def count(self, items: int) -> None:
        """So many more are done."""
        self._advance(items)


def _ignore(items: int = 1) -> None:
    """Nobody watches."""
