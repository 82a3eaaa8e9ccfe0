"""The contrasts of a finished suite; examples without a contrast are counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.records.examples import ADVERSARIAL, SPLITS, Example, Split
from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.mechanism.contrasts import from_example
from constraintsuite.mechanism.contrasts.records import HALVES, MarkedContrast
from constraintsuite.mechanism.contrasts.role_marks import AnalysisReader, type_of
from constraintsuite.mechanism.contrasts.selection import IN_BOTH_HALVES, halve
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast
from constraintsuite.mechanism.contrasts.unrelated_pairs import UnrelatedPairs


@dataclass(frozen=True)
class Contrasts:
    """The contrasts of a suite, and those that are left out, with reasons."""

    contrasts: tuple[MarkedContrast, ...]
    in_both_halves: tuple[MarkedContrast, ...]
    """Contrasts whose documents are in both halves; usable only if `keep_independent` draws the halves again."""
    rejected: tuple[RejectedContrast, ...]
    analyser: str
    """The analyser that marked the texts; another one than the suite's if that is not installed."""

    def usable(self, *, redrawn: bool) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
        """The contrasts that can be used, and those that cannot; those in both halves can if halves are drawn again."""
        if redrawn:
            return [*self.contrasts, *self.in_both_halves], list(self.rejected)
        unusable = (RejectedContrast(one.id, IN_BOTH_HALVES) for one in self.in_both_halves)
        return list(self.contrasts), [*self.rejected, *unusable]


def count_rejected(rejected: Iterable[RejectedContrast]) -> dict[str, int]:
    """The number of contrasts by kind and reason."""
    return dict(sorted(Counter(f"{one.id.rpartition('/')[2]}: {one.reason}" for one in rejected).items()))


def read_suite(
    folder: Path, *, seed: int = 0, splits: Collection[Split] = SPLITS, constraints: Collection[str] = ()
) -> Contrasts:
    """The contrasts of the suite in a folder; for a model that was trained on it, use the split `test` alone."""
    return make_contrasts(load_suite(folder), seed=seed, splits=splits, constraints=constraints)


def make_contrasts(
    suite: Suite, *, seed: int = 0, splits: Collection[Split] = SPLITS, constraints: Collection[str] = ()
) -> Contrasts:
    """The contrasts of a suite, in the order of its examples: main ones first, then idioms, non-flips and entities.

    `constraints` selects constraint types; if empty, all are used.
    """
    examples, controls = (
        [one for one in part if one.split in splits and (not constraints or type_of(one) in constraints)]
        for part in (suite.examples, suite.controls)
    )
    readers = {name: AnalysisReader(name) for name in dict.fromkeys(one.analyser for one in [*examples, *controls])}
    halves = halve([*examples, *controls], seed)
    unrelated = UnrelatedPairs(examples, halves, seed)
    contexts = {
        example.id: from_example.ContrastContext(readers[example.analyser], unrelated, halves[example.id] or HALVES[0])
        for example in [*examples, *controls]
    }
    made = list(_make(examples, controls, contexts))
    found, repeated = drop_repeated(one for _, one in made if not isinstance(one, str))
    rejected = [RejectedContrast(name, reason) for name, reason in made if isinstance(reason, str)]
    return Contrasts(
        tuple(one for one in found if halves[one.example] is not None),
        tuple(one for one in found if halves[one.example] is None),
        (*rejected, *repeated),
        ", ".join(sorted({reader.name for reader in readers.values()})),
    )


def _make(
    examples: Sequence[Example], controls: Sequence[Example], contexts: Mapping[str, from_example.ContrastContext]
) -> Iterator[tuple[str, from_example.ContrastOrReason]]:
    """The id of every possible contrast, and the contrast, or the reason why there is none."""
    originals = {example.id: example for example in examples}
    for example in examples:
        yield f"{example.id}/query", from_example.query_contrast(example, contexts[example.id])
        yield f"{example.id}/document", from_example.document_contrast(example, contexts[example.id])
    for one in controls:
        if one.control is None:
            continue
        if one.slice == ADVERSARIAL:
            yield f"{one.id}/idiom", from_example.idiom_contrast(one, contexts[one.id])
        else:
            original = originals.get(one.control.original)
            yield f"{one.id}/nonflip", from_example.nonflip_contrast(one, original, contexts[one.id])
    for example, made in from_example.entity_contrasts(examples, contexts):
        yield f"{example.id}/entity", made


def drop_repeated(contrasts: Iterable[MarkedContrast]) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """The contrasts without repeated ones, and the repeated ones."""
    found: dict[tuple[object, ...], MarkedContrast] = {}
    repeated: list[RejectedContrast] = []
    for contrast in contrasts:
        content = (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt)
        if found.setdefault(content, contrast) is not contrast:
            repeated.append(RejectedContrast(contrast.id, "repeated"))
    return list(found.values()), repeated
