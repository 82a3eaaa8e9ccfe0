"""Formats of vector sets that a benchmark can read: one file per format, one line here."""

from __future__ import annotations

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings

SOURCES: Catalogue[type[VectorSourceSettings]] = Catalogue(
    "data format",
    {
        "bundle": "constraintsuite.vectors.ann.sources.bundle:BundleSource",
        "synthetic": "constraintsuite.vectors.ann.sources.synthetic:Synthetic",
        "npy": "constraintsuite.vectors.ann.sources.npy:NpyFolder",
        "hdf5": "constraintsuite.vectors.ann.sources.hdf5:AnnBenchmarks",
        "bigann": "constraintsuite.vectors.ann.sources.bigann:BigAnn",
        "vecs": "constraintsuite.vectors.ann.sources.vecs:Vecs",
    },
)
