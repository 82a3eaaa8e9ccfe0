"""The page of a bundle: what it holds, and where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.core.records.sections import Remarks, Section, VerbatimText
from constraintsuite.core.records.tables import Table, count_table
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, zero_vectors

SUBSET = "A subset makes retrieval look easier: compare rel.* only between results on this very bundle."
_ABOUT_TEXTS = "Documents, queries and judgments, and how they were chosen."
_PARTS = {
    files.VECTORS: ("Vectors", "Vectors of the same texts, by encoder; csuite embed adds them."),
    files.TRUTH: (
        "Truths",
        "What a search should find: judged documents, or exact neighbours of an encoder's vectors.",
    ),
}


@show_each
def show_bundle(path: Path, _: ShowOptions) -> Display:
    """The page of one bundle, from its manifests alone."""
    bundle = Bundle.open_unverified(path)
    source = bundle.texts.manifest.settings["source"]
    about = f"From {source['name']} ({source['format']}), licence {source.get('licence') or 'not known'}. Id {bundle.id[:12]}."
    return Display(Masthead(bundle.texts.manifest.name, "bundle", about), tuple(_sections(bundle)))


def _sections(bundle: Bundle) -> Iterator[Section]:
    manifest = bundle.texts.manifest
    rejects = [_counts("left_out", "Rows that were left out, by reason.", manifest.rejects)] if manifest.rejects else []
    remarks = Remarks((*zero_vectors(bundle), *([SUBSET] if is_subset(bundle) else [])))
    settings = VerbatimText(json.dumps(manifest.settings, indent=2, ensure_ascii=False), "All settings")
    texts = _counts("texts", "What the bundle holds.", manifest.counts)
    yield Section("texts", "Texts", _ABOUT_TEXTS, (texts, *rejects, remarks, settings))
    for folder, (title, about) in _PARTS.items():
        counted = tuple(
            _counts(f"{folder}_{number}", f"{part.manifest.name}, in {folder}/{part.path.name}.", part.manifest.counts)
            for number, part in enumerate(bundle.parts(folder), 1)
        )
        if counted:
            yield Section(folder, title, about, counted)


def is_subset(bundle: Bundle) -> bool:
    """Whether the source of the bundle holds more documents than the bundle."""
    counts = bundle.texts.manifest.counts
    return counts.get("population", 0) > counts["documents"]


def _counts(name: str, caption: str, counts: Mapping[str, int]) -> Table:
    return count_table(name, caption, {key.replace("_", " "): count for key, count in counts.items()})
