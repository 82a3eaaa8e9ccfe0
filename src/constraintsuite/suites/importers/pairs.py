"""Two texts and one or two queries as an example of a suite."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constraintsuite.records.examples import (
    Constraint,
    DocumentPair,
    Edit,
    Example,
    ExampleQuery,
    ImportedSlice,
    Labels,
    Provenance,
    Retrieval,
    Split,
    Tags,
)
from constraintsuite.suites.recipe import TagSettings
from constraintsuite.suites.tags import length_bin, overlap_bin
from constraintsuite.text.matching import BoundedMatcher
from constraintsuite.text.neardup import jaccard
from constraintsuite.text.terms import words

_TOKEN = re.compile(r"\S+")


def make_pair(
    identity: str,
    slice_name: ImportedSlice,
    *,
    queries: tuple[str, str],
    docs: DocumentPair,
    split: Split,
    clusters: tuple[str, ...],
    edit: Edit | None = None,
    notes: tuple[str, ...] = (),
) -> Example:
    """The first query wants `docs.pos`; the second, unless empty, `docs.neg`. What the source does not say stays unsaid."""
    query, opposite = queries
    return Example(
        id=identity,
        suite=slice_name,
        source=Provenance(slice_name, identity, docs.pos.id, docs.neg.id, Retrieval("none", "none", 0, None, None)),
        query=ExampleQuery(base=opposite, neg=query, template="GIVEN", topic="", template_family="given"),
        constraint=Constraint("none", "", "", ()),
        docs=docs,
        labels=Labels(pairwise_preference_for_query_base="neg_over_pos" if opposite else "none"),
        tags=_tags(docs, edited=edit is not None),
        domain="",
        relation="",
        split=split,
        couple="",
        clusters=clusters,
        analyser="none",
        edit=edit,
        notes=notes,
    )


def describe_edit(operator: str, original: str, edited: str) -> Edit:
    """Where two texts differ, in whole words; more coarsely where long texts say the same words again and again."""
    first, second = list(_TOKEN.finditer(original)), list(_TOKEN.finditer(edited))
    matcher = BoundedMatcher([t[0] for t in first], [t[0] for t in second])
    changes = [(a, b, c, d) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    return Edit(
        operator=operator,
        document="neg",
        spans_pos=tuple(_spans(first, ((a, b) for a, b, _, _ in changes))),
        spans_neg=tuple(_spans(second, ((c, d) for _, _, c, d in changes))),
        token_count_preserved=len(first) == len(second),
    )


def _spans(tokens: list[re.Match[str]], ranges: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    yield from ((tokens[start].start(), tokens[end - 1].end()) for start, end in ranges if end > start)


def _tags(docs: DocumentPair, *, edited: bool) -> Tags:
    first, second = words(docs.pos.text), words(docs.neg.text)
    overlap = jaccard(set(first), set(second))
    settings = TagSettings()
    return Tags(
        difficulty="unknown",
        doc_pos_mentions_y=False,
        doc_neg_mentions_y=False,
        y_negated_in_doc_pos=False,
        lexical_overlap_bin=overlap_bin(overlap, settings),
        doc_length_bin=length_bin((len(first) + len(second)) / 2, settings),
        negation_explicitness="unknown",
        edited=edited,
        jaccard=round(overlap, 4),
    )
