"""What of an artifact is shown, as sections, and what of it is measured, as an experiment: one line for each kind.

The same lines serve the commands that write pages, compare and gate, the site, and notebooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.experiments.experiment import OpenExperiment
    from constraintsuite.showing.display import Show

SHOWN: Catalogue[Show] = Catalogue(
    "kind to show",
    {
        "suite": "constraintsuite.showing.suites:show_suite",
        "explain": "constraintsuite.showing.mechanism.folders:show_explain",
        "circuit": "constraintsuite.showing.mechanism.folders:show_circuit",
        "drift": "constraintsuite.showing.mechanism.folders:show_drift",
        "memory_run": "constraintsuite.showing.memory.runs:show_memory_run",
        "graph": "constraintsuite.showing.memory.graphs:show_graph",
        "ann": "constraintsuite.showing.ann:show_ann",
        "bundle": "constraintsuite.showing.bundles:show_bundle",
        "ranking": "constraintsuite.showing.rankings:show_ranking",
        "tune": "constraintsuite.showing.trainings:show_training",
    },
)
EXPERIMENTS: Catalogue[OpenExperiment] = Catalogue(
    "kind to compare",
    {
        "run": "constraintsuite.experiments.pair_experiment:open_pairs",
        "ranking": "constraintsuite.experiments.ranking.run:open_ranking",
        "explain": "constraintsuite.mechanism.explain.experiment:open_explain",
        "ann": "constraintsuite.vectors.ann.experiment:open_ann",
        "memory_run": "constraintsuite.memory.runs.experiment:open_memory_run",
    },
)
"""The kinds that `csuite compare` and `csuite gate` take."""
