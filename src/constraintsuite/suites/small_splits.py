"""Splits that are too small to learn or to conclude from: a build announces them, and commands refuse to use them unasked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS, Example, Split
from constraintsuite.core.records.figures import percent
from constraintsuite.core.store.artifact import Artifact, read_manifest
from constraintsuite.suites.examples import read_examples

LEAST, LEAST_SHARE = 30, 0.1
"""What a split must have of every slice: this many examples, and this share of them."""
ALLOW = "--allow-small-split"


@dataclass(frozen=True, slots=True)
class SmallSplit:
    """A split, or several used together, and the slices of which it has too little."""

    name: str
    slices: tuple[tuple[str, int, int], ...]
    """Name of the slice, examples in the split, and examples in the suite."""

    def in_words(self) -> str:
        """One sentence that says what there is and what is needed."""
        found = ", ".join(f"{own:,} of {all_:,} examples in {name}" for name, own, all_ in self.slices)
        return (
            f"The split {self.name} is too small: it has {found}; figures from less than {LEAST} examples or "
            f"{percent(LEAST_SHARE)} of a slice say little."
        )


def find_small_splits(examples: Sequence[Example], splits: Iterable[Split] = SPLITS) -> Iterator[SmallSplit]:
    """The splits, each by itself, that have too little of a slice."""
    for split in splits:
        small = _measure(examples, (split,))
        if small is not None:
            yield small


def refuse_small_splits(folder: Path, splits: Collection[str], *, slices: Collection[str] = ()) -> None:
    """Raise UserError if these splits of a suite have together too little of a slice, of all slices or only the named ones.

    All splits together are the suite, which is never refused; neither is a folder or file that is no suite. A suite that was
    changed since it was built is an error.
    """
    if not splits or set(splits) == set(SPLITS) or not _is_suite_of_pairs(folder):
        return
    suite = Artifact.open(folder, "suite").path
    examples = [one for one in read_examples(suite) if not slices or one.slice in slices]
    small = _measure(examples, splits)
    if small is not None:
        raise UserError(
            f"{folder}: {small.in_words()} Build the suite from more documents, use another split, or pass {ALLOW}."
        )


def _is_suite_of_pairs(folder: Path) -> bool:
    manifest = read_manifest(folder) if folder.is_dir() else None
    return manifest is not None and manifest.kind == "suite" and "examples.jsonl" in manifest.files


def _measure(examples: Sequence[Example], splits: Collection[str]) -> SmallSplit | None:
    totals = Counter(example.slice for example in examples)
    own = Counter(example.slice for example in examples if example.split in splits)
    small = [(name, own[name], n) for name, n in totals.items() if own[name] < max(LEAST, LEAST_SHARE * n)]
    return SmallSplit(" and ".join(one for one in SPLITS if one in splits), tuple(sorted(small))) if small else None
