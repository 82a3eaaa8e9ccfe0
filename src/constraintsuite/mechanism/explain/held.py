"""The question that this process works on, with its model: loaded once, and kept from one shard to the next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from constraintsuite.mechanism.explain.questions import Begun, ExplainQuestion

_held: list[tuple[ExplainQuestion, Begun]] = []  # one at most; a worker has no other way to keep it between two shards


def begun_here(question: ExplainQuestion) -> Begun:
    """The question with its model in memory."""
    if not (_held and _held[0][0] == question):
        _held.clear()  # before the next one is loaded: one model is in memory
        _held.append((question, question.begin()))
    return _held[0][1]


@contextmanager
def letting_go() -> Iterator[None]:
    """When the block ends, this process keeps no model."""
    try:
        yield
    finally:
        _held.clear()
