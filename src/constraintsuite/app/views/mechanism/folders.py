"""Folders of `csuite explain` and `csuite drift` as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, join_folders, refusing_others, show_each
from constraintsuite.app.views.mechanism.drift_sections import drift_sections
from constraintsuite.app.views.mechanism.drift_sections import masthead as drift_masthead
from constraintsuite.app.views.mechanism.explain_sections import ShownAnalysis, circuit_section, explain_sections
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism.attention import AttentionShare, measure_attention
from constraintsuite.mechanism.circuits.search import KIND as CIRCUIT
from constraintsuite.mechanism.circuits.search import read_circuit, read_circuits
from constraintsuite.mechanism.contrasts.selection import choose_contrasts
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.drift.records import load_drift
from constraintsuite.mechanism.explain.folder import Explained, load_explained
from constraintsuite.mechanism.model_loader import load_model

ABOUT = "Every figure comes with its 95 % interval and n; clusters of documents are resampled."
CONTRASTS_OF_ATTENTION = 64
"""Contrasts that attention is measured on."""


@refusing_others
def show_explain(paths: Sequence[Path], options: ShowOptions) -> Display:
    """Analyses with their circuits; of several analyses of one model, attention stands in the first."""
    displays = []
    measured: set[str] = set()
    for path in paths:
        explained = load_explained(path)
        model = explained.model
        circuits = read_circuits(path) if options.circuits else {}
        attention = _measure_attention(explained) if options.attention and model.fingerprint not in measured else ()
        measured.add(model.fingerprint)
        sections = tuple(explain_sections(ShownAnalysis(explained, circuits, attention)))
        displays.append(Display(Masthead(model.name, "mechanism", ABOUT), sections))
    return join_folders(paths, displays)


@show_each
def show_circuit(path: Path) -> Display:
    """The page of one circuit."""
    report = read_circuit(path)
    name = Artifact.open(path, CIRCUIT).manifest.name
    return Display(Masthead(name, "circuit", ABOUT), (circuit_section(path.name, report),))


@show_each
def show_drift(path: Path) -> Display:
    """The page of one drift."""
    drift = load_drift(path)
    return Display(drift_masthead(drift), tuple(drift_sections(drift)))


def _measure_attention(explained: Explained) -> Sequence[AttentionShare]:
    model = load_model(explained.model.name)
    if model.fingerprint != explained.model.fingerprint:
        raise UserError(
            f"{explained.artifact.path}: it is of {model.name} as it was, or with other versions of its libraries. Run "
            "`csuite explain` again, or leave --attention out."
        )
    seed = explained.artifact.manifest.seed
    main = choose_contrasts([one for one in explained.contrasts if not one.control], CONTRASTS_OF_ATTENTION, seed)
    return measure_attention(model, tokenise(main, model.classifier.tokenization).contrasts, seed=seed)
