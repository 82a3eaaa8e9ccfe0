"""Which command makes which kind of artifact, for messages that say what to do."""

from __future__ import annotations

from collections.abc import Mapping

MADE_BY: Mapping[str, str] = {
    "suite": "csuite build",
    "stage": "csuite build",
    "run": "csuite eval",
    "ranking": "csuite retrieve-eval",
    "report": "csuite report",
    "bundle": "csuite subset",
    "vectors": "csuite embed",
    "truth": "csuite bundle truth",
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
_REFUSED = frozenset({"graph", "training data", "tune", "explain", "circuit", "drift", "snapshot"})
"""Kinds of which the command refuses a damaged one, and makes it only where there is none."""


def made_by(kind: str, settings: Mapping[str, object]) -> str | None:
    """The command that makes such an artifact where there is none; None for a kind that no command makes."""
    if kind == "suite" and "importer" in settings:
        return f"csuite import {settings['importer']}"
    return MADE_BY.get(kind)


def make_again(kind: str, name: str, settings: Mapping[str, object]) -> str:
    """What to do to have a damaged artifact made anew, as the beginning of a sentence."""
    command = made_by(kind, settings)
    options = {"bundle": " --force", "stage": f" --from {name}"}.get(kind, "")
    how = f" with `{command}{options}`" if command else ""
    return f"Move the folder away, then make it again{how}" if kind in _REFUSED else f"Make it again{how}"
