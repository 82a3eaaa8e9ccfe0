"""`csuite doctor`: what is installed, what is missing, and the command that would add it; `csuite fetch` for the parser."""

from __future__ import annotations

import json
from importlib import metadata
from importlib.util import find_spec

import click

from constraintsuite import __version__
from constraintsuite.store.download import cache_folder, fetch_archive, find_archive
from constraintsuite.store.environment import library_versions
from constraintsuite.text.choice import choose_analyser
from constraintsuite.text.parser import ENGLISH

EXTRAS = {
    "parser": ("spacy", "read texts with a dependency parser"),
    "parquet": ("pyarrow", "read Parquet files"),
    "irds": ("ir_datasets", "read any ir_datasets collection"),
    "hub": ("datasets", "read Hugging Face datasets"),
    "torch": ("sentence_transformers", "run any transformer, and the neural families"),
    "ranking": ("ir_measures", "judge rankings by the measures of the field"),
    "vectors": ("pyarrow", "keep bundles of texts and vectors"),
    "ann": ("usearch", "measure vector search engines"),
    "memory": ("scipy", "search graph memories"),
    "serve": ("starlette", "look and judge in a browser"),
    "ray": ("ray", "spread work over a cluster"),
    "s3": ("s3fs", "keep folders on S3 and what speaks its language"),
    "gcs": ("gcsfs", "keep folders on Google Cloud Storage"),
    "azure": ("adlfs", "keep folders on Azure"),
    "tune": ("accelerate", "train rerankers and encoders"),
    "lucene": ("pyserini", "search Lucene indexes; needs Java 21 too"),
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(as_json: bool) -> None:
    """Say what is installed, what is missing, and how to get it."""
    extras = {name: find_spec(module) is not None for name, (module, _) in EXTRAS.items()}
    english = find_archive(ENGLISH)
    if as_json:
        facts = {
            "version": __version__,
            "packages": library_versions(),
            "extras": extras,
            "analyser": choose_analyser("auto"),
            "parser_model": str(english) if english else None,
            "parser_model_licence": ENGLISH.licence,
            "cache": str(cache_folder()),
        }
        click.echo(json.dumps(facts, indent=2))
        return
    click.echo(f"constraintsuite {__version__}")
    for name, version in library_versions().items():
        click.echo(f"  {name:<22} {version}")
    click.echo("Extras:")
    for name, (module, purpose) in EXTRAS.items():
        state = (
            metadata.version(module.replace("_", "-"))
            if extras[name]
            else f"missing: pip install 'constraintsuite[{name}]'"
        )
        click.echo(f"  {name:<16} {state:<52} {purpose}")
    state = f"{english} ({ENGLISH.licence})" if english else "not fetched: csuite fetch parser"
    click.echo(f"English pipeline:  {state}")
    click.echo(f"Analyser used by default: {choose_analyser('auto')}")
    click.echo(f"Cache: {cache_folder()}")


@click.command()
@click.argument("what", type=click.Choice(["parser"]))
def fetch(what: str) -> None:
    """Fetch the English pipeline of the parser (12.8 MB), checked against its hash."""
    folder = fetch_archive(ENGLISH)
    click.echo(f"{what}: {folder} (licence: {ENGLISH.licence})")
