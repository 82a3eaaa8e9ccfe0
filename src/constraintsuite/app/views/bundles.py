"""What a bundle holds, and where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.counts import count_table
from constraintsuite.app.views.display import Display, show_each
from constraintsuite.core.records.sections import Remarks, Section, SectionBlock, TableBlock, VerbatimText
from constraintsuite.vectors import files
from constraintsuite.vectors.bundle import Bundle, zero_vectors

SUBSET = "A subset makes retrieval look easier: compare rel.* only between results on this very bundle."
_ABOUT_TEXTS = "Documents, queries and judgments, and how they were chosen."
_ABOUT_VECTORS = "Of the same texts, by encoder; csuite embed adds them."
_ABOUT_TRUTHS = "What a search should find: judged documents, or exact neighbours of an encoder's vectors."


@show_each
def show_bundle(path: Path) -> Display:
    """One bundle; only what stands in its manifests is read."""
    bundle = Bundle.open_unverified(path)
    source = bundle.texts.manifest.settings["source"]
    about = f"From {source['name']} ({source['format']}), licence {source.get('licence') or 'not known'}. Id {bundle.id[:12]}."
    return Display(Masthead(bundle.texts.manifest.name, "bundle", about), tuple(_sections(bundle)))


def _sections(bundle: Bundle) -> Iterator[Section]:
    manifest = bundle.texts.manifest
    texts: list[SectionBlock] = [TableBlock(count_table("texts", "What it holds.", _in_words(manifest.counts)))]
    if manifest.rejects:
        texts.append(
            TableBlock(count_table("left_out", "Rows that were left out, and why.", _in_words(manifest.rejects)))
        )
    said = [*zero_vectors(bundle), *([SUBSET] if is_subset(bundle) else [])]
    if said:
        texts.append(Remarks(tuple(said)))
    settings = json.dumps(manifest.settings, indent=2, ensure_ascii=False)
    texts.append(VerbatimText(settings, "All settings that it was made with"))
    yield Section("texts", "Texts", _ABOUT_TEXTS, tuple(texts))
    for folder, title, about in ((files.VECTORS, "Vectors", _ABOUT_VECTORS), (files.TRUTH, "Truths", _ABOUT_TRUTHS)):
        counted = tuple(
            TableBlock(
                count_table(
                    f"{folder}_{number}",
                    f"{part.manifest.name}, in {folder}/{part.path.name}.",
                    _in_words(part.manifest.counts),
                )
            )
            for number, part in enumerate(bundle.parts(folder), 1)
        )
        if counted:
            yield Section(folder, title, about, counted)


def is_subset(bundle: Bundle) -> bool:
    """Whether its source holds more documents."""
    counts = bundle.texts.manifest.counts
    return counts.get("population", 0) > counts["documents"]


def _in_words(counts: Mapping[str, int]) -> dict[str, int]:
    return {name.replace("_", " "): count for name, count in counts.items()}
