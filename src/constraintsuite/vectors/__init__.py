"""Vector search: subsets of a corpus, bundles of texts and vectors, two truths, and benchmarks of engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.vectors.layouts.base import BundleExporter

LAYOUTS: Catalogue[BundleExporter] = Catalogue(
    "layout",
    {
        "jsonl": "constraintsuite.vectors.layouts.base:export_beir",
        "tsv": "constraintsuite.vectors.layouts.base:export_tsv",
        "msmarco-subset": "constraintsuite.vectors.layouts.msmarco:export_msmarco",
        "hdf5": "constraintsuite.vectors.layouts.benchmarks:export_hdf5",
        "bigann": "constraintsuite.vectors.layouts.benchmarks:export_bigann",
    },
)
