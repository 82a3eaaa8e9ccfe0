"""A suite as a whole: counts, lengths, its audit of itself, its card, and how it was made."""

from __future__ import annotations

import json
from pathlib import Path

from constraintsuite.experiments.load import load_suite
from constraintsuite.records.sections import Section, VerbatimText
from constraintsuite.reports.sections.suite import audit, dataset
from constraintsuite.reports.view import ReportView
from constraintsuite.store.artifact import Artifact, Manifest
from constraintsuite.web.shelf import Shelved

_CARD = "README.md"


def has_pairs(one: Shelved) -> bool:
    """Whether a suite has examples, not only a collection to search in."""
    counts = dict(one.counts)
    return "examples" in counts or "qrels" not in counts


def read_about(path: Path) -> tuple[Section, ...]:
    """The sections of a report that need no run, and the recipe."""
    view = ReportView(load_suite(path), {})
    sections = (dataset(view), audit(view), _made(view.suite.artifact.manifest))
    return tuple(section for section in sections if section is not None)


def read_collection(path: Path) -> tuple[Section, ...]:
    """The same of a suite without pairs."""
    card, manifest = path / _CARD, Artifact.open(path, "suite").manifest
    text = card.read_text(encoding="utf-8", errors="replace") if card.is_file() else "There is no card."
    about = "Documents, queries and judgments to rank by, without pairs: there are no examples to look at."
    return Section("suite", "The collection", about, (VerbatimText(text, "Card"),)), _made(manifest)


def _made(manifest: Manifest) -> Section:
    about = f"Content {manifest.content[:12]}, seed {manifest.seed}. The same inputs and settings give the same bytes."
    settings = {"inputs": manifest.inputs, "settings": manifest.settings, "counts": manifest.counts}
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    return Section("made", "How it was made", about, (VerbatimText(text, "Inputs and settings"),))
