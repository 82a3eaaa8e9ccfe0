"""The contrasts of a finished suite; what gives none is counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.experiments.load import Suite, load_suite
from constraintsuite.mechanism.contrasts import from_example
from constraintsuite.mechanism.contrasts.records import HALVES, MarkedContrast
from constraintsuite.mechanism.contrasts.selection import TORN, halve
from constraintsuite.mechanism.contrasts.texts import AnalysisReader
from constraintsuite.mechanism.contrasts.tokens import RejectedContrast
from constraintsuite.mechanism.contrasts.unrelated_pairs import UnrelatedPairs
from constraintsuite.records.examples import ADVERSARIAL, SPLITS, Example, Split


@dataclass(frozen=True)
class Contrasts:
    """The contrasts that a suite gives, and those that it does not, by reason."""

    contrasts: tuple[MarkedContrast, ...]
    torn: tuple[MarkedContrast, ...]
    """Those whose documents fell to both halves: only `keep_apart`, which deals halves anew, can take them."""
    rejected: tuple[RejectedContrast, ...]
    analyser: str
    """What the marks in the texts come from; another than the suite's own where that is not at hand."""

    @property
    def rejects(self) -> dict[str, int]:
        """How many were not made, or are torn, by kind and reason."""
        return count_rejected([*self.rejected, *(RejectedContrast(one.id, TORN) for one in self.torn)])


def count_rejected(rejected: Iterable[RejectedContrast]) -> dict[str, int]:
    """How many there are by kind and reason."""
    return dict(sorted(Counter(f"{one.id.rpartition('/')[2]}: {one.reason}" for one in rejected).items()))


def read_suite(folder: Path, *, seed: int = 0, splits: Collection[Split] = SPLITS) -> Contrasts:
    """The contrasts of the suite in a folder; a model that was trained on it should be asked those of `test` alone."""
    return make_contrasts(load_suite(folder), seed=seed, splits=splits)


def make_contrasts(suite: Suite, *, seed: int = 0, splits: Collection[Split] = SPLITS) -> Contrasts:
    """The contrasts of a suite, in the order of its examples: main ones first, then idioms, non-flips and entities."""
    examples = [example for example in suite.examples if example.split in splits]
    controls = [control for control in suite.controls if control.split in splits]
    readers = {name: AnalysisReader(name) for name in dict.fromkeys(one.analyser for one in [*examples, *controls])}
    halves = halve([*examples, *controls], seed)
    unrelated = UnrelatedPairs(examples, halves, seed)
    contexts = {
        example.id: from_example.ContrastContext(readers[example.analyser], unrelated, halves[example.id] or HALVES[0])
        for example in [*examples, *controls]
    }
    made = list(_make(examples, controls, contexts))
    found, repeated = drop_repeated([one for one in made if isinstance(one, MarkedContrast)])
    rejected = [one for one in made if isinstance(one, RejectedContrast)]
    return Contrasts(
        tuple(one for one in found if halves[one.example] is not None),
        tuple(one for one in found if halves[one.example] is None),
        (*rejected, *repeated),
        ", ".join(sorted({reader.name for reader in readers.values()})),
    )


def _make(
    examples: Sequence[Example], controls: Sequence[Example], contexts: Mapping[str, from_example.ContrastContext]
) -> Iterator[from_example.ContrastOrRejected]:
    originals = {example.id: example for example in examples}
    for example in examples:
        yield from_example.query_contrast(example, contexts[example.id])
        yield from_example.document_contrast(example, contexts[example.id])
    for control in controls:
        if control.control is None:
            continue
        if control.slice == ADVERSARIAL:
            yield from_example.idiom_contrast(control, contexts[control.id])
        else:
            yield from_example.nonflip_contrast(control, originals.get(control.control.original), contexts[control.id])
    yield from from_example.entity_contrasts(examples, contexts)


def drop_repeated(contrasts: Iterable[MarkedContrast]) -> tuple[list[MarkedContrast], list[RejectedContrast]]:
    """The contrasts without those that ask a model what another has asked already, and those."""
    found: dict[tuple[object, ...], MarkedContrast] = {}
    repeated: list[RejectedContrast] = []
    for contrast in contrasts:
        content = (contrast.better, contrast.worse, contrast.better_corrupt, contrast.worse_corrupt)
        if found.setdefault(content, contrast) is not contrast:
            repeated.append(RejectedContrast(contrast.id, "repeated"))
    return list(found.values()), repeated
