"""The parts of the page: one file a part, one line here, in the order of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.reports.sections.base import MakeSection

SECTIONS: Catalogue[MakeSection] = Catalogue(
    "section",
    {
        "leaderboard": "constraintsuite.reports.sections.leaderboard:leaderboard",
        "slices": "constraintsuite.reports.sections.slices:slices",
        "errors": "constraintsuite.reports.sections.errors:errors",
        "gaps": "constraintsuite.reports.sections.gaps:gaps",
        "breakdowns": "constraintsuite.reports.sections.breakdowns:breakdowns",
        "hardest": "constraintsuite.reports.sections.hardest:hardest",
        "controls": "constraintsuite.reports.sections.controls:controls",
        "comparison": "constraintsuite.reports.sections.comparison:comparison",
        "reproduction": "constraintsuite.reports.sections.reproduction:reproduction",
        "ties": "constraintsuite.reports.sections.ties:ties",
        "truncation": "constraintsuite.reports.sections.truncation:truncation",
        "likeness": "constraintsuite.reports.sections.likeness:likeness",
        "tokens": "constraintsuite.reports.sections.tokens:tokens",
        "dataset": "constraintsuite.reports.sections.dataset:dataset",
        "audit": "constraintsuite.reports.sections.audit:audit",
        "again": "constraintsuite.reports.sections.again:again",
    },
)
