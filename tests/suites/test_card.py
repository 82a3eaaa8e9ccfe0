"""The card of a suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.suites.audit.results import Audit, Conclusion
from constraintsuite.suites.card import write_card
from constraintsuite.suites.criteria.criteria import guide_criteria
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.recipe import Recipe
from suites.build_factory import make_example

RECIPE = Recipe(name="tiny", corpus=SourceSettings(source="sample"))
COVERAGE = CorpusCoverage(10, 10, 1.0, 1, (), 10, 1.0, (), (), (), 1, (), 0, 5, True, "This corpus can be built from.")
AUDIT = Audit(0, (), (), (), Conclusion("trust", "Trust it."))


def test_the_card_has_every_criterion_of_the_guide_with_its_verdict(tmp_path: Path) -> None:
    write_card(tmp_path / "README.md", RECIPE, [], COVERAGE, {}, AUDIT, [], [])
    rows = [line.split("|") for line in (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()]
    shown = {row[1].strip(): row[-2].strip() for row in rows if len(row) == 6}
    for one in guide_criteria([], AUDIT, []):
        assert shown[one.name] == one.in_words


@pytest.mark.parametrize(("slice_name", "shown"), [("explicit", False), ("open_omission", True)])
def test_the_card_speaks_of_open_omission_only_where_there_is_some(
    tmp_path: Path, slice_name: str, shown: bool
) -> None:
    write_card(tmp_path / "README.md", RECIPE, [make_example(slice=slice_name)], COVERAGE, {}, AUDIT, [], [])
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert ("| OpenOmission | 1 |" in card) is shown
    assert ("In OpenOmission a text that does not mention" in card) is shown
