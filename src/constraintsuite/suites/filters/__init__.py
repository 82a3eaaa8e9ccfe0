"""What a pair must fulfil; a filter gives a reason or nothing, and the reasons are counted and kept."""

from constraintsuite.catalogue import Catalogue
from constraintsuite.suites.filters.base import Filter

FILTERS: Catalogue[Filter] = Catalogue(
    "filter",
    {
        "verdicts": "constraintsuite.suites.filters.verdicts:check",
        "length": "constraintsuite.suites.filters.length:check",
        "topic": "constraintsuite.suites.filters.topic:check",
        "similarity": "constraintsuite.suites.filters.similarity:check",
        "wording": "constraintsuite.suites.filters.wording:check",
    },
)
