"""One page of folders of any kind that is shown, as an artifact: `index.html`, and its tables and pictures as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from constraintsuite.errors import UserError
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.records.sections import Section
from constraintsuite.reports.page import PAGE, PLOT_FILES, TABLE_FILES, render_page, write_files, write_plots
from constraintsuite.showing import SHOWN
from constraintsuite.showing.display import Display, ShowOptions, join_heads, mark_section
from constraintsuite.store.artifact import Artifact, ArtifactOrigin, Manifest
from constraintsuite.store.files import sha256_text
from constraintsuite.store.revisions import REVISIONS


def write_shown_report(folders: Sequence[Path], out: Path, options: ShowOptions) -> Path:
    """Write one page of some folders to `out` and give its path; what is there already and the same is kept.

    Folders of one kind are shown together, kinds in the order in which they are named. A kind that has no page is a UserError.
    """
    manifests = {folder: Artifact.open_unverified(folder).manifest for folder in folders}
    display = show_folders(manifests, options)
    inputs = {
        f"{number} {folder.resolve().name}": one.content for number, (folder, one) in enumerate(manifests.items(), 1)
    }
    # A page may show what is no part of the content of a folder: times, and what was put inside it later.
    inputs["page"] = sha256_text(render_page(display.head, display.sections))

    def write(folder: Path) -> OutputCounts:
        tables = write_files(folder, display.head, display.sections)
        write_plots(folder, display.sections)
        return OutputCounts({"sections": len(display.sections), "tables": tables})

    settings = {"kind": display.head.kind, **asdict(options)}
    origin = ArtifactOrigin("report", display.head.title, inputs, settings, 0, REVISIONS["report"])
    return write_once(out, origin, (PAGE, *TABLE_FILES, *PLOT_FILES), write).path / PAGE


def show_folders(manifests: Mapping[Path, Manifest], options: ShowOptions) -> Display:
    """All folders in one display; of several kinds, each section says which kind or folder it is of."""
    kinds: dict[str, list[Path]] = {}
    for folder, manifest in manifests.items():
        if manifest.kind not in SHOWN.names():
            known = ", ".join(SHOWN.names())
            raise UserError(f"{folder}: there is no page of a {manifest.kind}. There are pages of: {known}.")
        kinds.setdefault(manifest.kind, []).append(folder)
    displays = {kind: SHOWN.load(kind)(paths, options) for kind, paths in kinds.items()}
    if len(displays) == 1:
        return displays.popitem()[1]
    sections: list[Section] = []
    for kind, display in displays.items():
        name = kinds[kind][0].resolve().name if len(kinds[kind]) == 1 else ""
        sections += (mark_section(section, f"{kind}-", name) for section in display.sections)
    return Display(join_heads(display.head for display in displays.values()), tuple(sections))
