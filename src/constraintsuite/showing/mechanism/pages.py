"""A page of sections as an artifact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.records.sections import Charts, Section, SectionBlock, TableBlock
from constraintsuite.reports.files import PAGE, PLOT_FILES, TABLE_FILES, write_files, write_plots
from constraintsuite.reports.page import Masthead
from constraintsuite.store.artifact import ArtifactOrigin
from constraintsuite.store.revisions import REVISIONS


def write_page(out: Path, head: Masthead, inputs: Mapping[str, str], sections: Callable[[], Iterable[Section]]) -> Path:
    """The page with its tables and pictures as files; gives its path. It is made only if it is not there yet."""

    def write(folder: Path) -> OutputCounts:
        made = list(sections())
        tables = write_files(folder, head, made)
        write_plots(folder, made)
        return OutputCounts({"sections": len(made), "tables": tables})

    origin = ArtifactOrigin("report", head.title, inputs, {"kind": head.kind}, 0, REVISIONS["report"])
    return write_once(out, origin, (PAGE, *TABLE_FILES, *PLOT_FILES), write).path / PAGE


def marked(section: Section, mark: str, name: str) -> Section:
    """The section of one of several folders: no two on a page share a place, a table or a picture."""
    return replace(
        section,
        id=f"{mark}{section.id}",
        title=f"{section.title}: {name}",
        blocks=tuple(_marked(block, mark) for block in section.blocks),
        files=tuple(replace(table, name=f"{mark}{table.name}") for table in section.files),
    )


def _marked(block: SectionBlock, mark: str) -> SectionBlock:
    if isinstance(block, Charts):
        return Charts(tuple(replace(one, name=f"{mark}{one.name}") for one in block.drawings))
    if isinstance(block, TableBlock):
        return replace(block, table=replace(block.table, name=f"{mark}{block.table.name}"))
    return block
