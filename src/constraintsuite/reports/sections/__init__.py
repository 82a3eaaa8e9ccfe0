"""The sections of a report in the order of the page: one function and one line here for each.

A section is made from what the report knows; it is None where there is nothing to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from constraintsuite.records.sections import Section
    from constraintsuite.reports.view import ReportView

    MakeSection = Callable[[ReportView], Section | None]

SECTIONS: Catalogue[MakeSection] = Catalogue(
    "section",
    {
        "leaderboard": "constraintsuite.reports.sections.systems:leaderboard",
        "slices": "constraintsuite.reports.sections.systems:slices",
        "errors": "constraintsuite.reports.sections.behaviour:errors",
        "gaps": "constraintsuite.reports.sections.behaviour:gaps",
        "breakdowns": "constraintsuite.reports.sections.systems:breakdowns",
        "hardest": "constraintsuite.reports.sections.behaviour:hardest",
        "controls": "constraintsuite.reports.sections.systems:controls",
        "comparison": "constraintsuite.reports.sections.systems:comparison",
        "published_results": "constraintsuite.reports.sections.reproduction:published_results",
        "ties": "constraintsuite.reports.sections.behaviour:ties",
        "truncation": "constraintsuite.reports.sections.behaviour:truncation",
        "likeness": "constraintsuite.reports.sections.suite:likeness",
        "tokens": "constraintsuite.reports.sections.suite:tokens",
        "dataset": "constraintsuite.reports.sections.suite:dataset",
        "audit": "constraintsuite.reports.sections.suite:audit",
        "how_to_reproduce": "constraintsuite.reports.sections.reproduction:how_to_reproduce",
    },
)
