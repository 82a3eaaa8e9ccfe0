"""Contrasts from a finished suite: query swaps, exchanged texts, and controls; what gives none is counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.evaluate.load import Suite, load_suite
from constraintsuite.mechanism.contrasts.asides import Asides
from constraintsuite.mechanism.contrasts.controls import entity_contrasts, idiom_contrast, nonflip_contrast
from constraintsuite.mechanism.contrasts.halves import clusters_of, halve
from constraintsuite.mechanism.contrasts.making import Bench, Made, main_contrasts
from constraintsuite.mechanism.contrasts.records import Contrast
from constraintsuite.mechanism.contrasts.selection import apart
from constraintsuite.mechanism.contrasts.texts import Reader
from constraintsuite.mechanism.contrasts.tokens import Rejected
from constraintsuite.records.examples import SPLITS, Example, Split


@dataclass(frozen=True)
class Contrasts:
    """What a suite gives."""

    contrasts: tuple[Contrast, ...]
    rejected: tuple[Rejected, ...]
    analyser: str
    """What the marks in the texts come from; another than the suite's own where that is not at hand."""

    @property
    def rejects(self) -> dict[str, int]:
        """How many were not made, by kind and reason."""
        return dict(sorted(Counter(f"{one.id.rpartition('/')[2]}: {one.reason}" for one in self.rejected).items()))


def read_suite(
    folder: Path, *, seed: int = 0, splits: Collection[Split] = SPLITS, independent: bool = False
) -> Contrasts:
    """The contrasts of the suite in a folder; a model that was trained on it should be asked those of `test` alone."""
    return make_contrasts(load_suite(folder), seed=seed, splits=splits, independent=independent)


def make_contrasts(
    suite: Suite, *, seed: int = 0, splits: Collection[Split] = SPLITS, independent: bool = False
) -> Contrasts:
    """The contrasts of a suite, in the order of its examples: main ones first, then idioms, non-flips and entities.

    Independent ones come from examples of which no two share a document: fewer, yet each is a sample of its own.
    """
    examples = [example for example in suite.examples if example.split in splits]
    controls = [control for control in suite.controls if control.split in splits]
    originals = {example.id: example for example in examples}
    crowded: list[Rejected] = []
    if independent:
        (examples, more), (controls, others) = _apart(examples, seed), _apart(controls, seed)
        crowded = [*more, *others]
    readers = {name: Reader(name) for name in dict.fromkeys(one.analyser for one in [*examples, *controls])}
    halves = halve([*examples, *controls], seed)
    asides = Asides(examples, halves, seed)
    benches = {
        example.id: Bench(readers[example.analyser], asides, half)
        for example in [*examples, *controls]
        if (half := halves[example.id]) is not None
    }
    made = list(_make(examples, controls, originals, benches))
    torn = [Rejected(f"{name}/any", "clusters_in_both_halves") for name, half in halves.items() if half is None]
    found, repeated = _distinct([one for one in made if isinstance(one, Contrast)])
    rejected = [one for one in made if isinstance(one, Rejected)]
    names = ", ".join(sorted({reader.name for reader in readers.values()}))
    return Contrasts(tuple(found), (*rejected, *repeated, *torn, *crowded), names)


def _apart(examples: Sequence[Example], seed: int) -> tuple[list[Example], list[Rejected]]:
    """The examples of which no two share a document, and those that were left out for it."""
    chosen = apart({example.id: clusters_of(example) for example in examples}, seed)
    left = [Rejected(f"{example.id}/any", "shares_a_document") for example in examples if example.id not in chosen]
    return [example for example in examples if example.id in chosen], left


def _make(
    examples: Sequence[Example],
    controls: Sequence[Example],
    originals: Mapping[str, Example],
    benches: Mapping[str, Bench],
) -> Iterator[Made]:
    for example in examples:
        if example.id in benches:
            yield from main_contrasts(example, benches[example.id])
    for control in controls:
        if control.id not in benches or control.control is None:
            continue
        if control.suite == "controls_adversarial":
            yield idiom_contrast(control, benches[control.id])
        else:
            yield nonflip_contrast(control, originals.get(control.control.of), benches[control.id])
    yield from entity_contrasts(examples, benches)


def _distinct(contrasts: Sequence[Contrast]) -> tuple[list[Contrast], list[Rejected]]:
    """The contrasts without those that ask a model what another has asked already."""
    seen: set[tuple[object, ...]] = set()
    kept: list[Contrast] = []
    repeated: list[Rejected] = []
    for contrast in contrasts:
        content = (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt)
        if content in seen:
            repeated.append(Rejected(contrast.id, "repeated"))
        else:
            seen.add(content)
            kept.append(contrast)
    return kept, repeated
