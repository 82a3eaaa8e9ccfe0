"""`csuite doctor`: list the installed and the missing parts, with the command that installs each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import click

from constraintsuite import __version__
from constraintsuite.app.cli.options import json_option
from constraintsuite.app.cli.output import emit
from constraintsuite.core.store.download import cache_folder, find_archive
from constraintsuite.core.store.environment import library_versions
from constraintsuite.text.choice import choose_analyser
from constraintsuite.text.parser import ENGLISH

EXTRAS = {
    "parser": ("spacy", "read texts with a dependency parser"),
    "parquet": ("pyarrow", "read Parquet files"),
    "irds": ("ir_datasets", "read any ir_datasets collection"),
    "hub": ("datasets", "read Hugging Face datasets"),
    "torch": ("sentence_transformers", "run any transformer, and the neural families"),
    "ranking": ("ir_measures", "measure rankings with ir-measures"),
    "vectors": ("pyarrow", "store bundles of texts and vectors"),
    "ann": ("usearch", "measure vector search engines"),
    "memory": ("scipy", "search graph memories"),
    "serve": ("starlette", "browse and annotate in a browser"),
    "ray": ("ray", "distribute work over a cluster"),
    "s3": ("s3fs", "store folders on S3 and compatible services"),
    "gcs": ("gcsfs", "store folders on Google Cloud Storage"),
    "azure": ("adlfs", "store folders on Azure"),
    "tune": ("accelerate", "train rerankers and encoders"),
    "lucene": ("pyserini", "search Lucene indexes; also needs Java 21"),
}


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Show what is installed, what is missing, and how to get it."""
    facts = {
        "version": __version__,
        "packages": library_versions(),
        "extras": {name: find_spec(module) is not None for name, (module, _) in EXTRAS.items()},
        "analyser": choose_analyser("auto"),
        "parser_model": find_archive(ENGLISH),
        "parser_model_licence": ENGLISH.licence,
        "cache": cache_folder(),
    }
    emit(facts, as_json, _lines(facts))


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    yield f"constraintsuite {facts['version']}"
    for name, version in facts["packages"].items():
        yield f"  {name:<22} {version}"
    yield "Extras:"
    for name, (module, purpose) in EXTRAS.items():
        state = (
            metadata.version(module.replace("_", "-"))
            if facts["extras"][name]
            else f"missing: pip install 'constraintsuite[{name}]'"
        )
        yield f"  {name:<16} {state:<52} {purpose}"
    english = facts["parser_model"]
    yield "English pipeline:  " + (f"{english} ({ENGLISH.licence})" if english else "not fetched: csuite fetch parser")
    yield f"Analyser used by default: {facts['analyser']}"
    yield f"Cache: {facts['cache']}"
