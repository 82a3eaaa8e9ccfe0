"""How exact and how fast is vector search: subsets of a corpus, bundles of texts and vectors, and two truths."""

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
    },
)
