"""Which command makes which kind of artifact, for messages that say what to do."""

from __future__ import annotations

from collections.abc import Mapping

MADE_BY: Mapping[str, str] = {
    "suite": "csuite build",
    "stage": "csuite build --from documents",
    "run": "csuite eval",
    "ranking": "csuite retrieve-eval",
    "report": "csuite report",
    "bundle": "csuite subset build --force",
    "vectors": "csuite embed",
    "truth": "csuite truth",
    "ann": "csuite ann run",
    "graph": "csuite memory ingest",
    "memory_run": "csuite memory bench",
    "training data": "csuite tune",
    "tune": "csuite tune",
    "explain": "csuite explain",
    "circuit": "csuite explain circuit",
    "drift": "csuite drift",
    "snapshot": "csuite memory private freeze",
}
