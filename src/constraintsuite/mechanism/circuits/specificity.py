"""Does the circuit carry what it was found for, or anything that differs between two inputs?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from constraintsuite.mechanism.circuits.judging import Jury
from constraintsuite.mechanism.circuits.ranking import cluster_numbers
from constraintsuite.mechanism.circuits.records import ControlEffect
from constraintsuite.mechanism.circuits.running import Circuit
from constraintsuite.mechanism.contrasts.records import ControlKind
from constraintsuite.mechanism.effects.records import FloatArray
from constraintsuite.metrics.resampling import estimate_statistic
from constraintsuite.records.scores import Interval


def compare_controls(circuit: Circuit, main: Jury, controls: Mapping[ControlKind, Jury]) -> list[ControlEffect]:
    """What the circuit does to the contrasts that are studied, and then to each kind of controls."""
    studied = _carried(circuit, main)
    found = [_effect("", main, studied, main, studied)]
    found += [_effect(kind, jury, _carried(circuit, jury), main, studied) for kind, jury in sorted(controls.items())]
    return found


def _effect(kind: ControlKind, jury: Jury, carried: FloatArray, main: Jury, studied: FloatArray) -> ControlEffect:
    difference, both = _difference(np.abs(studied), np.abs(carried), (main, jury), jury.seed)
    return ControlEffect(
        kind,
        len(carried),
        len(np.unique(jury.clusters)),
        total=jury.mean(jury.scale),
        carried=jury.mean(carried),
        size=jury.mean(np.abs(carried)),
        difference=difference if kind else Interval(0.0, 0.0, 0.0, len(carried)),
        paired_clusters=both,
    )


def _carried(circuit: Circuit, jury: Jury) -> FloatArray:
    difference: FloatArray = jury.margins([circuit])[0] - jury.empty
    return difference


def _difference(one: FloatArray, other: FloatArray, juries: Sequence[Jury], seed: int) -> tuple[Interval, int]:
    """The difference of two means; a cluster is drawn with all its contrasts of both groups."""
    clusters = cluster_numbers([each.contrast for jury in juries for each in jury.contrasts])
    first = np.arange(len(clusters)) < len(one)
    values = np.concatenate([one, other])
    columns = np.stack([np.where(first, values, 0), first, np.where(first, 0, values), ~first], axis=1)

    def statistic(sums: FloatArray) -> FloatArray:
        return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]

    found = estimate_statistic(columns.astype(np.float64), statistic, clusters, rng=np.random.default_rng(seed))
    return found, len(np.intersect1d(clusters[first], clusters[~first]))
