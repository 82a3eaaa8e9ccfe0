"""What a pair must fulfil; a filter gives a reason or nothing, and the reasons are counted and kept."""

from constraintsuite.build.filters.base import Filter
from constraintsuite.catalogue import Catalogue

FILTERS: Catalogue[Filter] = Catalogue(
    "filter",
    {
        "verdicts": "constraintsuite.build.filters.verdicts:check",
        "length": "constraintsuite.build.filters.length:check",
        "topic": "constraintsuite.build.filters.topic:check",
        "similarity": "constraintsuite.build.filters.similarity:check",
        "wording": "constraintsuite.build.filters.wording:check",
    },
)
