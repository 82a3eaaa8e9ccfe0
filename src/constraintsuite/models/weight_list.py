"""Facts about public weights: whether they are on this machine, where they come from, their names and hashes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from constraintsuite.core.store.files import sha256_of
from constraintsuite.models.weights import KnownModel, WeightVariant, find_variant, known_models, variant_folder

ModelAvailability = Literal["here", "fetchable", "hub only"]


class ListedWeights(NamedTuple):
    """Weights as `csuite models` lists them."""

    name: str
    precision: str
    state: ModelAvailability
    use: str


def list_weights() -> list[ListedWeights]:
    """All public weights that have a short name."""
    return [
        ListedWeights(name, precision, availability_of(variant, precision), use_of(model, precision))
        for name, model in known_models().items()
        for precision, variant in model.variants.items()
    ]


def availability_of(variant: WeightVariant, precision: str) -> ModelAvailability:
    """Whether weights are on this machine, and if not, from where they can be downloaded."""
    if find_variant(variant, precision):
        return "here"
    return "fetchable" if variant.package else "hub only"


def use_of(model: KnownModel, precision: str) -> str:
    """The model string for weights."""
    return model.use if precision == "fp32" else f"{model.use},precision={precision}"


def facts_of(variant: WeightVariant, precision: str) -> dict[str, str | dict[str, str]]:
    """Source, folder and hashes of weights."""
    found = find_variant(variant, precision)
    pinned = {name: " or ".join(entry.sha256) for name, entry in variant.files.items() if entry.sha256}
    unpinned = "no hash is pinned, because it could not be verified; " + (
        f"found: {weight_hashes(found)}" if found else "`csuite fetch` prints the hash of the download"
    )
    package = variant.package
    return {
        "state": availability_of(variant, precision),
        "folder": str(found or f"{variant_folder(variant, precision)}, once fetched"),
        "hub": _in_hub(variant),
        "package": f"{package.requirement} (SHA-256 {package.sha256})" if package else _without_package(variant),
        "size": f"{variant.megabytes} MB" if variant.megabytes else "not noted",
        "sha256": pinned or unpinned,
    }


def _in_hub(variant: WeightVariant) -> str:
    if variant.bundled:
        return "not there"
    return variant.hub + (f" at {variant.revision}" if variant.revision else ", newest commit")


def _without_package(variant: WeightVariant) -> str:
    return "comes with this one" if variant.bundled else "none carries it"


def weight_hashes(folder: Path) -> str:
    """The weight files of a folder with their SHA-256."""
    files = [file for file in sorted(folder.glob("*")) if file.suffix in (".safetensors", ".onnx")]
    return ", ".join(f"{file.name} {sha256_of(file)}" for file in files)
