"""Benchmarks of vector search: chapters as sections of a page, listings as tables, plots as drawings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from constraintsuite.experiments.output import OutputCounts
from constraintsuite.reports.drawings.plot import draw_plot
from constraintsuite.reports.files import write_files, write_plots
from constraintsuite.reports.page import Masthead
from constraintsuite.reports.sections.base import Charts, Remarks, Section, SectionBlock, TableBlock
from constraintsuite.reports.tables import Column, Table
from constraintsuite.showing.display import Display, refusing_others
from constraintsuite.vectors.ann.listings import Listing
from constraintsuite.vectors.ann.outline import Chapter, outline
from constraintsuite.vectors.ann.results import AnnRun, load_ann_run
from constraintsuite.vectors.ann.several import told_apart


def write_page(runs: Sequence[AnnRun], folder: Path) -> OutputCounts:
    """One page of all runs, with its tables and plots as files."""
    sections = ann_sections(runs)
    tables = write_files(folder, masthead(runs), sections)
    write_plots(folder, sections)
    return OutputCounts({"runs": len(runs), "tables": tables})


@refusing_others
def show_ann(path: Path) -> Display:
    """One benchmark."""
    runs = [load_ann_run(path)]
    return Display(masthead(runs), tuple(ann_sections(runs)))


def ann_sections(runs: Sequence[AnnRun]) -> list[Section]:
    """All chapters of some runs."""
    return [_section(chapter) for chapter in outline(runs)]


def masthead(runs: Sequence[AnnRun]) -> Masthead:
    """What stands above all sections."""
    cells, failed, rankings = (sum(map(len, parts)) for parts in zip(*map(_parts, told_apart(runs)), strict=True))
    beside = f" {rankings:,} ranked without vectors." if rankings else ""
    about = f"{cells:,} cells, {failed:,} failed.{beside} Recall comes with its 95 % interval over queries."
    return Masthead(title_of(runs), "vector search", about)


def title_of(runs: Sequence[AnnRun]) -> str:
    """The names of the benchmarks."""
    return ", ".join(dict.fromkeys(run.facts.name for run in runs))


def table_of(listing: Listing) -> Table:
    """As it is printed and written."""
    return Table(listing.name, listing.caption, tuple(Column(*column) for column in listing.columns), listing.rows)


def _parts(run: AnnRun) -> tuple[Sequence[object], ...]:
    return run.cells, (*run.failures, *run.failed_rankings), run.rankings


def _section(chapter: Chapter) -> Section:
    drawn = tuple(draw_plot(replace(plot, note=chapter.source)) for plot in chapter.charts)
    blocks: list[SectionBlock] = [Remarks(chapter.notes)] if chapter.notes else []
    blocks += [Charts(drawn)] if drawn else []
    blocks += [TableBlock(table_of(listing), listing.folded) for listing in chapter.listings]
    return Section(chapter.id, chapter.title, chapter.about, tuple(blocks))
