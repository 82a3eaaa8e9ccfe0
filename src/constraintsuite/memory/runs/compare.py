"""Two runs, or the modes of one: how far apart they are on the same items, and whether that could be chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from constraintsuite.errors import UserError
from constraintsuite.experiments.figures import round_off, rounded
from constraintsuite.memory.outcomes import ItemResult
from constraintsuite.memory.public.summary import OVERALL, ModeDifference, contrasts_of
from constraintsuite.memory.runs.making import is_model
from constraintsuite.memory.runs.record import MemoryRun
from constraintsuite.memory.runs.summary import case_outcomes
from constraintsuite.metrics.significance import holm

ALPHA = 0.05
"""Below it a corrected p counts."""
_MAY_DIFFER = frozenset({"modes", "options", "budgets", "draws"})
"""Settings that decide which figures there are, and what is compared."""
_BEFORE, _AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class ModeChange:
    """How far a mode moved from one run to another."""

    mode: str
    budget: int
    metric: str
    contrast: ModeDifference
    """The later run less the earlier one, paired; `holm` is over all changes of the comparison."""


def compare_modes(
    run: MemoryRun, metrics: Sequence[str], *, baseline: str = "lexical_baseline", seed: int = 0
) -> list[ModeDifference]:
    """Every mode of a run against one of them, at equal budgets; Holm's correction is over all of it."""
    return [
        tidy(contrast) for contrast in contrasts_of(with_cases(run.outcomes), metrics, baseline=baseline, seed=seed)
    ]


def compare(before: MemoryRun, after: MemoryRun, metrics: Sequence[str], *, seed: int = 0) -> list[ModeChange]:
    """Every mode and budget that both runs have, in each metric that both have; runs of other data are a UserError."""
    refuse_unlike(before, after)
    cells = [cell for cell in cells_of(before.outcomes) if cell in cells_of(after.outcomes)]
    if not cells:
        raise UserError(f"{before.artifact.path} and {after.artifact.path} have no mode and budget in common.")
    found = [ModeChange(mode, budget, test.metric, test) for mode, budget in cells for test in _tests(
        of_cell(before.outcomes, mode, budget), of_cell(after.outcomes, mode, budget), metrics, seed
    )]  # fmt: skip
    corrected = holm([change.contrast.p for change in found])
    return [
        replace(change, contrast=tidy(replace(change.contrast, holm=p)))
        for change, p in zip(found, corrected, strict=True)
    ]


def refuse_unlike(before: MemoryRun, after: MemoryRun) -> None:
    """Differences mean something only on the same questions over the same documents, asked under the same conditions."""
    for name in sorted(before.inputs.keys() | after.inputs.keys()):
        if not is_model(name) and before.inputs.get(name) != after.inputs.get(name):
            raise UserError(
                f"{before.artifact.path} and {after.artifact.path} are not of the same data: {name} differs. Run both on "
                "the same benchmark file and documents."
            )
    told = [
        {k: v for k, v in run.artifact.manifest.settings.items() if k not in _MAY_DIFFER} for run in (before, after)
    ]
    for name in sorted(told[0].keys() | told[1].keys()):
        first, second = (settings.get(name) for settings in told)
        if first != second:
            raise UserError(
                f"{before.artifact.path} was run with {name} {first}, {after.artifact.path} with {second}: their figures "
                "cannot be compared. Run both alike."
            )
    old, new = ({outcome.item for outcome in run.outcomes} for run in (before, after))
    if old != new:
        raise UserError(
            f"{after.artifact.path}: {len(old - new)} items of {before.artifact.path} are missing, and {len(new - old)} "
            "are new. Run both on the same items."
        )


def made_otherwise(before: MemoryRun, after: MemoryRun) -> Iterator[str]:
    """What may differ between runs that are compared, and does: options of modes that both have, and models."""
    for name in sorted(before.inputs.keys() | after.inputs.keys()):
        if is_model(name) and before.inputs.get(name) != after.inputs.get(name):
            yield f"The {name} is not the same in both runs."
    old, new = (_options(run) for run in (before, after))
    for mode in (mode for mode in old if mode in new):
        for key in sorted(old[mode].keys() | new[mode].keys()):
            first, second = old[mode].get(key), new[mode].get(key)
            if first != second:
                yield f"{mode}: {key} was {first}, and is {second}."


def _options(run: MemoryRun) -> Mapping[str, Mapping[str, object]]:
    options: Mapping[str, Mapping[str, object]] = run.artifact.manifest.settings.get("options", {})
    return options


def cells_of(outcomes: Iterable[ItemResult]) -> list[tuple[str, int]]:
    """The modes and budgets that there are."""
    return list(dict.fromkeys((outcome.mode, outcome.budget) for outcome in outcomes))


def of_cell(outcomes: Iterable[ItemResult], mode: str, budget: int) -> list[ItemResult]:
    """The outcomes of one mode at one budget."""
    return [outcome for outcome in outcomes if (outcome.mode, outcome.budget) == (mode, budget)]


def of_fixture(outcomes: Iterable[ItemResult], fixture: str) -> list[ItemResult]:
    """The outcomes of one dataset, or all."""
    return [outcome for outcome in outcomes if fixture in (OVERALL, outcome.groups.get("fixture", ""))]


def with_cases(outcomes: Sequence[ItemResult]) -> list[ItemResult]:
    """Each outcome, with the verdict on its whole case (by majority) at the first wording of it."""
    verdicts = {(case.mode, case.budget, case.item): case.values for case in case_outcomes(outcomes)}
    given: set[tuple[str, int, str]] = set()
    joined = []
    for outcome in outcomes:
        key = (outcome.mode, outcome.budget, outcome.cluster)
        values = verdicts[key] if key not in given else dict.fromkeys(verdicts[key])
        given.add(key)
        joined.append(replace(outcome, values={**outcome.values, **values}))
    return joined


def paired_test(
    after: Sequence[ItemResult], before: Sequence[ItemResult], metric: str, *, seed: int = 0
) -> ModeDifference | None:
    """One paired test of two lists of outcomes over the same items; None where no item has both values."""
    tests = _tests(before, after, [metric], seed)
    return tidy(tests[0]) if tests else None


def tidy(contrast: ModeDifference) -> ModeDifference:
    """With nine digits, so that a file is the same on every machine."""
    p, corrected = round_off(contrast.p), round_off(contrast.holm)
    assert p is not None
    assert corrected is not None
    return replace(contrast, difference=rounded(contrast.difference), p=p, holm=corrected)


def _tests(
    before: Sequence[ItemResult], after: Sequence[ItemResult], metrics: Sequence[str], seed: int
) -> list[ModeDifference]:
    first, second = (
        [replace(outcome, mode=name) for outcome in with_cases(rows)]
        for name, rows in ((_BEFORE, before), (_AFTER, after))
    )
    known = [metric for metric in metrics if metric in first[0].values and metric in second[0].values]
    if not known:
        raise UserError(f"Neither run has a metric of {', '.join(metrics)}. There are: {', '.join(first[0].values)}.")
    tests = contrasts_of([*first, *second], known, baseline=_BEFORE, seed=seed)
    return [test for test in tests if test.difference.value is not None]
