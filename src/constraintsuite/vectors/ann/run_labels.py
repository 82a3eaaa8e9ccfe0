"""Several runs on one page: which engines of one name are two, and whose a cell is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from constraintsuite.experiments.load import short_paths
from constraintsuite.vectors.ann.frontier import conditions_of
from constraintsuite.vectors.ann.results import AnnRun, MeasuredCell, RetrieverBaseline

_Place = tuple[tuple[str, ...], str, str]
"""Conditions, content of the data, name of the engine: cells that are alike in these meet in a table."""


def labelled(runs: Sequence[AnnRun]) -> list[tuple[str, AnnRun]]:
    """The runs with what to call them: the folder's name, with as many folders above it as tell it apart from the others."""
    return list(zip(short_paths([run.path for run in runs]), runs, strict=True))


def told_apart(runs: Sequence[AnnRun]) -> list[AnnRun]:
    """The runs, with engines and rankings of one name called by their run too, unless what they hold is the very same.

    That is told once, and belongs to the first run that holds it. Every cell is an object of its own.
    """
    held = _held(runs)
    rankings = [{(one.content, one.retriever): one for one in run.rankings} for run in runs]
    return [
        replace(
            run,
            cells=tuple(_own_cells(number, run, label, held)),
            rankings=tuple(_own_rankings(number, run, label, rankings)),
        )
        for number, (label, run) in enumerate(labelled(runs))
    ]


def owner_of(runs: Sequence[AnnRun], cell: MeasuredCell) -> AnnRun:
    """The one of runs told apart that holds this very cell. A key does not tell: two machines may give the same."""
    return next(run for run in runs if any(one is cell for one in run.cells))


def _held(runs: Sequence[AnnRun]) -> dict[_Place, dict[int, list[MeasuredCell]]]:
    """Where cells meet, the cells of each run by its number."""
    held: dict[_Place, dict[int, list[MeasuredCell]]] = {}
    for number, run in enumerate(runs):
        for cell in run.cells:
            held.setdefault(_place(run, cell), {}).setdefault(number, []).append(cell)
    return held


def _own_cells(
    number: int, run: AnnRun, label: str, held: Mapping[_Place, Mapping[int, Sequence[MeasuredCell]]]
) -> Iterator[MeasuredCell]:
    for cell in run.cells:
        sharing = held[_place(run, cell)]
        if not _one_engine(sharing):
            yield replace(cell, point=replace(cell.point, name=f"{cell.point.name} ({label})"))
        elif not any(cell in cells for other, cells in sharing.items() if other < number):
            yield replace(cell)


def _one_engine(sharing: Mapping[int, Sequence[MeasuredCell]]) -> bool:
    """Whether one run holds everything that the others hold: they are copies, or one went on where another stopped."""
    widest = max(sharing.values(), key=len)
    return all(cell in widest for cells in sharing.values() for cell in cells)


def _own_rankings(
    number: int, run: AnnRun, label: str, rankings: Sequence[Mapping[tuple[str, str], RetrieverBaseline]]
) -> Iterator[RetrieverBaseline]:
    for one in run.rankings:
        place = one.content, one.retriever
        if any(own.get(place, one) != one for own in rankings):
            yield replace(one, retriever=f"{one.retriever} ({label})")
        elif not any(place in own for own in rankings[:number]):
            yield one


def _place(run: AnnRun, cell: MeasuredCell) -> _Place:
    return conditions_of(run), cell.content, cell.point.name
