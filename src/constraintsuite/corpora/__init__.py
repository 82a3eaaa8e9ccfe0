"""Sources of text: files, folders, ir_datasets, the Hugging Face hub, and a bundled sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.corpora.base import Source, SourceSettings

SOURCES: Catalogue[Callable[[SourceSettings], Source]] = Catalogue(
    "source format",
    {
        "jsonl": "constraintsuite.corpora.jsonl:JsonlSource",
        "tsv": "constraintsuite.corpora.delimited:TsvSource",
        "csv": "constraintsuite.corpora.delimited:CsvSource",
        "parquet": "constraintsuite.corpora.parquet:ParquetSource",
        "beir": "constraintsuite.corpora.beir:BeirSource",
        "trec": "constraintsuite.corpora.trec:TrecSource",
        "folder": "constraintsuite.corpora.folder:FolderSource",
        "irds": "constraintsuite.corpora.irds:IrdsSource",
        "hub": "constraintsuite.corpora.hub:HubSource",
        "sample": "constraintsuite.corpora.sample:SampleSource",
    },
)
