"""Folders as they are shown: what stands above, the sections below, and the page that is written of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path

from constraintsuite.app.pages.page import (
    PAGE,
    PLOT_FILES,
    TABLE_FILES,
    Masthead,
    render_page,
    write_files,
    write_plots,
)
from constraintsuite.app.views import SHOWN
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.sections import Charts, Section, SectionBlock, TableBlock
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, Manifest
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.output import OutputCounts, write_once


@dataclass(frozen=True)
class Display:
    """All that a page needs."""

    head: Masthead
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class ShowOptions:
    """What a page shows beyond what the folders say."""

    attention: bool = False
    """Where heads look from the cue and to it; loads the model."""
    circuits: bool = True
    """The circuits inside the folder of an analysis."""


Show = Callable[[Sequence[Path], ShowOptions], Display]
"""Reads folders of one kind into one display; a folder that is damaged or not finished is a UserError."""


def refusing_others(show: Show) -> Show:
    """The same; a folder that lacks what this version writes is told, not stumbled over."""

    @wraps(show)
    def read(paths: Sequence[Path], options: ShowOptions) -> Display:
        try:
            return show(paths, options)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise UserError(
                f"{', '.join(map(str, paths))}: it lacks something that is shown ({type(error).__name__}: {error}). Was it edited, "
                "or written by another version?"
            ) from error

    return read


def show_each(show: Callable[[Path], Display]) -> Show:
    """Show folders one after the other; `show` reads one of them."""
    one = refusing_others(lambda paths, _: show(paths[0]))

    @wraps(show)
    def read(paths: Sequence[Path], options: ShowOptions) -> Display:
        return join_folders(paths, [one([path], options) for path in paths])

    return read


def join_folders(paths: Sequence[Path], displays: Sequence[Display]) -> Display:
    """The displays of some folders as one; of several folders, each section says which it is of."""
    if len(displays) == 1:
        return displays[0]
    sections = (
        mark_section(section, f"{number}-", path.resolve().name)
        for number, (path, display) in enumerate(zip(paths, displays, strict=True), 1)
        for section in display.sections
    )
    return Display(join_heads(display.head for display in displays), tuple(sections))


def join_heads(heads: Iterable[Masthead]) -> Masthead:
    """What stands above the sections of several displays: what they share is said once."""
    titles, kinds, abouts = (dict.fromkeys(parts) for parts in zip(*heads, strict=True))
    return Masthead(", ".join(titles), ", ".join(kinds), " ".join(abouts))


def mark_section(section: Section, mark: str, name: str = "") -> Section:
    """A section of one of several displays: no two on a page share an id, a table or a picture.

    `name` is added to the title, if there is one.
    """
    return replace(
        section,
        id=f"{mark}{section.id}",
        title=f"{section.title}: {name}" if name else section.title,
        blocks=tuple(_mark_block(block, mark) for block in section.blocks),
        files=tuple(replace(table, name=f"{mark}{table.name}") for table in section.files),
    )


def _mark_block(block: SectionBlock, mark: str) -> SectionBlock:
    if isinstance(block, Charts):
        return Charts(tuple(replace(one, name=f"{mark}{one.name}") for one in block.drawings))
    if isinstance(block, TableBlock):
        return replace(block, table=replace(block.table, name=f"{mark}{block.table.name}"))
    return block


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
