"""NevIR (Weller et al. 2024): two paragraphs that differ in a negation, and two queries that each want one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import Example, Split
from constraintsuite.core.records.text import Document
from constraintsuite.corpora.fields import FileRecord
from constraintsuite.suites.importers.base import ImportedSuite, find_changes, hash_rows, make_pair, read_rows, text_of

HUB = "orionweller/NevIR"
_EDITS = {"2": "scope", "3": "affirmative"}  # CondaQA's codes, the second half of an id
_SPLITS: Mapping[str, Split] = {"train": "train", "validation": "dev", "dev": "dev", "test": "test"}
"""Our split for each name of a split in the source."""
_ABOUT = (
    "NevIR: pairs of a Wikipedia paragraph with a negation (doc1, the satisfying document) and its edited version (doc2, the "
    "violating document), with a query for each, written so that it is answered by that one only. q1 is the query, q2 its "
    "opposite, so paired accuracy is the paper's measure and chance is 25 %. Two pairs may share their "
    "paragraph: intervals are resampled by paragraph. MIT licence; passages from CondaQA, Apache-2.0. Its test split is for "
    "evaluation only."
)


def read(source: str, split: str | None) -> ImportedSuite:
    """A file with the columns id, q1, q2, doc1, doc2 (and WorkerId), or the dataset on the hub."""
    named = _chosen_split(source, split)
    rows = read_rows(source, split, HUB)
    examples = tuple(_example(row, _SPLITS[named]) for row in rows)
    if not examples:
        raise UserError(f"{source}: holds no pair.")
    same = sum(e.query.strip().lower() == (e.opposite or "").strip().lower() for e in examples)
    ceiling = (
        f" {same} of {len(examples):,} pairs {'has' if same == 1 else 'have'} the same two queries and cannot be won."
        if same
        else ""
    )
    return ImportedSuite("nevir", _ABOUT + ceiling, hash_rows(rows), named, examples)


def _example(row: FileRecord, split: Split) -> Example:
    identity = text_of(row, "id")
    passage, _, code = identity.partition("-")
    first, second = text_of(row, "doc1"), text_of(row, "doc2")
    annotator = row.values.get("WorkerId")
    pair = make_pair(
        f"nevir_{identity}",
        "nevir",
        query=text_of(row, "q1"),
        opposite=text_of(row, "q2"),
        documents=(Document(f"{identity}_doc1", first), Document(f"{identity}_doc2", second)),
        split=split,
        clusters=(f"condaqa_{passage}",),
        notes=(f"annotator: {annotator}",) if annotator is not None else (),
    )
    here, there = find_changes(first, second)
    edited = replace(pair.violating, edit=_EDITS.get(code, "unknown"), changed=there)
    return replace(pair, documents=(replace(pair.satisfying, changed=here), edited))


def _chosen_split(source: str, split: str | None) -> str:
    """The split that the user or the name of the file states, by default test.

    Raises UserError if the two disagree: test pairs taken for training data would spoil every later figure.
    """
    if split is not None and split not in _SPLITS:
        raise UserError(f"--split {split}: NevIR has train, validation and test.")
    named = _named_splits(source)
    if split is None and len(named) > 1:
        raise UserError(f"{source}: its name says {' and '.join(named)}. Say which it is with --split.")
    if split is not None and named and _SPLITS[split] not in {_SPLITS[name] for name in named}:
        raise UserError(
            f"--split {split}: the name of {source} says {' and '.join(named)}. Leave --split out, or rename the file if "
            "its name is wrong."
        )
    return split or (named[0] if named else "test")


def _named_splits(source: str) -> list[str]:
    """The splits that are words in the name of the file."""
    words = re.split("[^a-z]+", Path(source).name.lower()) if Path(source).is_file() else []
    return [name for name in _SPLITS if name in words]
