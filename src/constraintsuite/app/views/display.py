"""Pages of finished folders: each kind of folder has a function in `SHOWN` that reads it into a `Display`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import NamedTuple

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
from constraintsuite.core.records.sections import Charts, Section, SectionBlock
from constraintsuite.core.records.tables import Table
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, Manifest
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.output import OutputCounts, write_once


@dataclass(frozen=True)
class Display:
    """The head and the sections of a page."""

    head: Masthead
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class ShowOptions:
    """Choices of the person who asks for a page."""

    attention: bool = False
    """Whether to measure where heads attend from the cue and to it, which loads the model."""
    circuits: bool = True
    """Whether to show the circuits inside the folder of an analysis."""


Show = Callable[[Sequence[Path], ShowOptions], Display]
"""Reads folders of one kind into one display. Raises UserError if a folder is damaged or not finished."""


def show_together(show: Show) -> Show:
    """Wrap a function that shows several folders in common sections: a folder of another version becomes a UserError."""

    @wraps(show)
    def read(paths: Sequence[Path], options: ShowOptions) -> Display:
        try:
            return show(paths, options)
        except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise UserError(
                f"{', '.join(map(str, paths))}: something that the page shows is missing ({type(error).__name__}: {error}). "
                "Was the folder edited, or written by another version?"
            ) from error

    return read


def show_each(show: Callable[[Path, ShowOptions], Display]) -> Show:
    """Wrap a function that shows one folder: several folders get one set of sections each."""
    show_one = show_together(lambda paths, options: show(paths[0], options))

    @wraps(show)
    def read(paths: Sequence[Path], options: ShowOptions) -> Display:
        parts = [
            _Part(f"{number}-", path.resolve().name, show_one([path], options)) for number, path in enumerate(paths, 1)
        ]
        return _join(parts)

    return read


class _Part(NamedTuple):
    """A display that becomes part of a larger one."""

    prefix: str
    """Put before the ids of its sections, tables and pictures, so that no two on a page are the same."""
    name: str
    """Added to the titles of its sections; empty for none."""
    display: Display


def _join(parts: Sequence[_Part]) -> Display:
    if len(parts) == 1:
        return parts[0].display
    sections = (_renamed(section, part) for part in parts for section in part.display.sections)
    titles, kinds, abouts = (dict.fromkeys(words) for words in zip(*(part.display.head for part in parts), strict=True))
    return Display(Masthead(", ".join(titles), ", ".join(kinds), " ".join(abouts)), tuple(sections))


def _renamed(section: Section, part: _Part) -> Section:
    return replace(
        section,
        id=f"{part.prefix}{section.id}",
        title=f"{section.title}: {part.name}" if part.name else section.title,
        blocks=tuple(_renamed_block(block, part.prefix) for block in section.blocks),
        files=tuple(replace(table, name=f"{part.prefix}{table.name}") for table in section.files),
    )


def _renamed_block(block: SectionBlock, prefix: str) -> SectionBlock:
    if isinstance(block, Charts):
        return Charts(tuple(replace(drawing, name=f"{prefix}{drawing.name}") for drawing in block.drawings))
    return replace(block, name=f"{prefix}{block.name}") if isinstance(block, Table) else block


def write_shown_report(folders: Sequence[Path], out: Path, options: ShowOptions) -> Path:
    """Write one page about these folders to `out` and return its path; a page that is up to date is kept.

    Folders of one kind are shown together; the kinds follow in the order in which they are first named. Raises
    UserError for a kind without a page.
    """
    manifests = {folder: Artifact.open_unverified(folder).manifest for folder in folders}
    display = _show_folders(manifests, options)
    inputs = {
        f"{number} {folder.resolve().name}": one.content for number, (folder, one) in enumerate(manifests.items(), 1)
    }
    # A page may show facts outside the hashed content of a folder, such as times, or circuits that were added later.
    inputs["page"] = sha256_text(render_page(display.head, display.sections))

    def write(folder: Path) -> OutputCounts:
        tables = write_files(folder, display.head, display.sections)
        write_plots(folder, display.sections)
        return OutputCounts({"sections": len(display.sections), "tables": tables})

    settings = {"kind": display.head.kind, **asdict(options)}
    origin = ArtifactOrigin("report", display.head.title, inputs, settings, 0, REVISIONS["report"])
    return write_once(out, origin, (PAGE, *TABLE_FILES, *PLOT_FILES), write).path / PAGE


def _show_folders(manifests: Mapping[Path, Manifest], options: ShowOptions) -> Display:
    """All folders in one display. If they are of several kinds, the titles of sections name the folder."""
    kinds: dict[str, list[Path]] = {}
    for folder, manifest in manifests.items():
        if manifest.kind not in SHOWN.names():
            known = ", ".join(SHOWN.names())
            raise UserError(f"{folder}: there is no page for a {manifest.kind}. There are pages for: {known}.")
        kinds.setdefault(manifest.kind, []).append(folder)
    return _join(
        [
            _Part(f"{kind}-", paths[0].resolve().name if len(paths) == 1 else "", SHOWN.load(kind)(paths, options))
            for kind, paths in kinds.items()
        ]
    )
