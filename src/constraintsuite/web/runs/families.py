"""What belongs to a suite: runs and reports name its content, so that it may have been moved or copied since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from constraintsuite.experiments.headline import is_chance
from constraintsuite.store.artifact import read_manifest
from constraintsuite.web.faults import fault_of
from constraintsuite.web.origins import noted_place, suite_with
from constraintsuite.web.shelf import Shelved, WebShelf

SUITE, RUN, REPORT = "suite", "run", "report"


@dataclass(frozen=True)
class SuiteFamily:
    """A suite with all that was made from it; without a suite where that is not on the shelf."""

    content: str
    name: str
    suites: tuple[Shelved, ...] = ()
    """More than one where it was copied; that which the most of its runs were made from comes first."""
    runs: tuple[Shelved, ...] = ()
    reports: tuple[Shelved, ...] = ()

    def __contains__(self, one: Shelved) -> bool:
        return one in self.suites or one in self.runs

    def labels(self) -> dict[str, str]:
        """The runs' names by place; with the place where two have the same."""
        names = [one.name for one in self.runs]
        return {one.place: one.name if names.count(one.name) == 1 else f"{one.name} ({one.place})" for one in self.runs}

    def rivals(self) -> dict[str, str]:
        """The names of the runs that can be compared: all but those of the model that guesses."""
        guesses = {one.place for one in self.runs if is_chance(one.name)}
        return {place: label for place, label in self.labels().items() if place not in guesses}


def families(shelf: WebShelf) -> list[SuiteFamily]:
    """All suites and runs; suites that are here first."""
    found: dict[str, SuiteFamily] = {}
    for one, content, name in _members(shelf):
        family = found.get(content, SuiteFamily(content, name))
        if one.kind == SUITE:
            family = replace(family, name=name, suites=(*family.suites, one))
        elif one.kind == RUN:
            family = replace(family, runs=(*family.runs, one))
        else:
            family = replace(family, reports=(*family.reports, one))
        found[content] = family
    known = [_in_order(shelf, family) for family in found.values() if family.suites or family.runs]
    return sorted(known, key=lambda family: (not family.suites, family.name, family.content))


def family_of(shelf: WebShelf, one: Shelved) -> SuiteFamily:
    """That of a suite or a run on the shelf."""
    return next(family for family in families(shelf) if one in family)


def suite_of_run(shelf: WebShelf, family: SuiteFamily, run: Shelved) -> Shelved | None:
    """The suite that a run of a family was made from, or an unchanged copy of it; None where it is not here."""
    return suite_with(shelf, family.content, noted_place(run.path), family.suites)


def _in_order(shelf: WebShelf, family: SuiteFamily) -> SuiteFamily:
    if len(family.suites) < 2:
        return family
    made_from = Counter(noted_place(run.path) for run in family.runs)
    ranked = sorted(family.suites, key=lambda one: (bool(fault_of(shelf, one)), -made_from[one.path], one.place))
    return replace(family, name=ranked[0].name, suites=tuple(ranked))


def _members(shelf: WebShelf) -> Iterator[tuple[Shelved, str, str]]:
    """Each with the content of its suite, and what that is called."""
    for one in shelf.of_kind(SUITE, RUN, REPORT):
        manifest = read_manifest(one.path)
        if manifest is None:
            continue  # taken away this very moment
        if one.kind == SUITE:
            yield one, manifest.content, one.name
        elif one.kind == RUN or SUITE in manifest.inputs:
            content = manifest.inputs.get(SUITE, "")
            yield one, content, str(manifest.settings.get(SUITE) or content[:12])
