"""Which command makes which kind of artifact, for messages that say what to do."""

from __future__ import annotations

from collections.abc import Mapping

MADE_BY: Mapping[str, str] = {
    "suite": "csuite build",
    "stage": "csuite build",
    "run": "csuite eval",
    "ranking": "csuite retrieve-eval",
    "report": "csuite report",
    "bundle": "csuite subset build",
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
_TO_REPLACE = {"bundle": " --force", "stage": " --from documents"}
"""Options without which the command leaves a finished one as it is."""


def made_again_by(kind: str, settings: Mapping[str, object]) -> str | None:
    """The command that makes such an artifact in place of a damaged one; None for a kind that no command makes."""
    if kind == "suite" and "importer" in settings:
        return f"csuite import {settings['importer']}"
    return f"{MADE_BY[kind]}{_TO_REPLACE.get(kind, '')}" if kind in MADE_BY else None
