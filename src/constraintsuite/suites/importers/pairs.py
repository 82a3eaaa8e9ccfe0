"""Two texts and one or two queries as an example of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constraintsuite.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    Example,
    ExampleDocument,
    ExampleSource,
    Spans,
    Split,
)
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.suites.tags import tags_of_texts
from constraintsuite.text.matching import BoundedMatcher

_TOKEN = re.compile(r"\S+")


def make_pair(
    identity: str,
    slice_name: str,
    *,
    query: str,
    opposite: str | None = None,
    documents: tuple[ExampleDocument, ExampleDocument],
    split: Split,
    clusters: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> Example:
    """An example in which `query` wants the satisfying document and `opposite`, if there is one, the violating one.

    What the source does not say stays unsaid: there is no constraint, no topic and no difficulty.
    """
    return Example(
        id=identity,
        slice=slice_name,
        constraint=None,
        query=query,
        opposite=opposite,
        topic=None,
        restated=None,
        documents=documents,
        preferences=(QUERY_PREFERENCE,) if opposite is None else (QUERY_PREFERENCE, OPPOSITE_PREFERENCE),
        source=ExampleSource(slice_name, identity),
        split=split,
        couple="",
        clusters=clusters,
        template="GIVEN",
        template_family="given",
        tags=tags_of_texts(documents[0].text, documents[1].text, TagSettings()),
        notes=notes,
    )


def find_changes(first: str, second: str) -> tuple[Spans, Spans]:
    """Where each of two texts differs from the other, in whole words; more coarsely where long texts repeat themselves."""
    one, other = list(_TOKEN.finditer(first)), list(_TOKEN.finditer(second))
    matcher = BoundedMatcher([t[0] for t in one], [t[0] for t in other])
    changes = [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    return (
        tuple(_spans(one, ((a, b) for a, b, _, _ in changes))),
        tuple(_spans(other, ((c, d) for _, _, c, d in changes))),
    )


def _spans(tokens: list[re.Match[str]], ranges: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    yield from ((tokens[start].start(), tokens[end - 1].end()) for start, end in ranges if end > start)
