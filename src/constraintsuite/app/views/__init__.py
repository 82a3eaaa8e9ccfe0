"""The kinds of folders that have a page, and those that can be compared: one line for each kind.

The commands `report`, `compare` and `gate`, the site and notebooks all use these two catalogues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.app.views.display import Show
    from constraintsuite.experiments.experiment import OpenExperiment

SHOWN: Catalogue[Show] = Catalogue(
    "kind to show",
    {
        "suite": "constraintsuite.app.views.suites:show_suite",
        "explain": "constraintsuite.app.views.mechanism.explain_sections:show_explain",
        "circuit": "constraintsuite.app.views.mechanism.explain_sections:show_circuit",
        "drift": "constraintsuite.app.views.mechanism.drift_sections:show_drift",
        "memory_run": "constraintsuite.app.views.memory.runs:show_memory_run",
        "graph": "constraintsuite.app.views.memory.graphs:show_graph",
        "ann": "constraintsuite.app.views.ann:show_ann",
        "bundle": "constraintsuite.app.views.bundles:show_bundle",
        "ranking": "constraintsuite.app.views.rankings:show_ranking",
        "tune": "constraintsuite.app.views.trainings:show_training",
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
