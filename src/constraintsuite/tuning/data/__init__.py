"""Where training lists come from: suites, files of lists or triples, and lists distilled from a corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.tuning.data.records import DataContext, Prepared

DATA: Catalogue[Callable[[Any, DataContext], Prepared]] = Catalogue(
    "kind of training data",
    {
        "suite": "constraintsuite.tuning.data.suites:read_suite",
        "lists": "constraintsuite.tuning.data.files:read_lists",
        "triples": "constraintsuite.tuning.data.files:read_triples",
        "distil": "constraintsuite.tuning.data.distil:distil",
    },
)
