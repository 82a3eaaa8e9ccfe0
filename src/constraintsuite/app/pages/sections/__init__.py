"""The sections of a report, in the order of the page: each is a function, and one line here.

The function gets the data of the report, and returns None if it has nothing to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from constraintsuite.app.pages.view import ReportView
    from constraintsuite.core.records.sections import Section

    MakeSection = Callable[[ReportView], Section | None]

SECTIONS: Catalogue[MakeSection] = Catalogue(
    "section",
    {
        "types": "constraintsuite.app.pages.sections.systems:types",
        "leaderboard": "constraintsuite.app.pages.sections.systems:leaderboard",
        "slices": "constraintsuite.app.pages.sections.systems:slices",
        "together": "constraintsuite.app.pages.sections.together:together",
        "errors": "constraintsuite.app.pages.sections.behaviour:errors",
        "gaps": "constraintsuite.app.pages.sections.behaviour:gaps",
        "breakdowns": "constraintsuite.app.pages.sections.systems:breakdowns",
        "hardest": "constraintsuite.app.pages.sections.behaviour:hardest",
        "controls": "constraintsuite.app.pages.sections.systems:controls",
        "comparison": "constraintsuite.app.pages.sections.systems:comparison",
        "published_results": "constraintsuite.app.pages.sections.reproduction:published_results",
        "ties": "constraintsuite.app.pages.sections.behaviour:ties",
        "truncation": "constraintsuite.app.pages.sections.behaviour:truncation",
        "likeness": "constraintsuite.app.pages.sections.suite:likeness",
        "tokens": "constraintsuite.app.pages.sections.suite:tokens",
        "dataset": "constraintsuite.app.pages.sections.suite:dataset",
        "audit": "constraintsuite.app.pages.sections.suite:audit",
        "how_to_reproduce": "constraintsuite.app.pages.sections.reproduction:how_to_reproduce",
    },
)
