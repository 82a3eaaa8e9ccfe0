"""Folders of `csuite explain` and `csuite drift` as they are shown one by one."""

from __future__ import annotations

from pathlib import Path

from constraintsuite.mechanism.circuits.finding import KIND as CIRCUIT
from constraintsuite.mechanism.circuits.finding import read_circuit
from constraintsuite.mechanism.drift.folder import load_drift
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.reports.page import Masthead
from constraintsuite.showing.display import Display, refusing_others
from constraintsuite.showing.mechanism.drift_sections import drift_sections
from constraintsuite.showing.mechanism.drift_sections import masthead as drift_masthead
from constraintsuite.showing.mechanism.explain_sections import ShownAnalysis, circuit_section, explain_sections
from constraintsuite.store.artifact import Artifact

ABOUT = "Every figure comes with its 95 % interval and n; clusters of documents are resampled."


@refusing_others
def show_explain(path: Path) -> Display:
    """One analysis; the circuits inside its folder are folders of their own."""
    explained = load_explained(path)
    return Display(
        Masthead(explained.subject.name, "mechanism", ABOUT), tuple(explain_sections(ShownAnalysis(explained)))
    )


@refusing_others
def show_circuit(path: Path) -> Display:
    """One circuit."""
    report = read_circuit(path)
    name = Artifact.open(path, CIRCUIT).manifest.name
    return Display(Masthead(name, "circuit", ABOUT), (circuit_section(path.name, report),))


@refusing_others
def show_drift(path: Path) -> Display:
    """One drift."""
    drift = load_drift(path)
    return Display(drift_masthead(drift), tuple(drift_sections(drift)))
