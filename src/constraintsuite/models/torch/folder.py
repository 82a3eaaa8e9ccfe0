"""A model's folder, as far as it can be understood without reading its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.models.tokenization import cuts_left, read_mapping

LIBRARIES = ("torch", "transformers", "sentence-transformers", "tokenizers")
"""Whose versions can move a score."""
_DECISIVE = {".safetensors", ".json", ".txt", ".model", ".metadata", ".py"}
_OTHER_BACKENDS = {"onnx", "openvino"}
_SENTENCE = "config_sentence_transformers.json"


def need_torch(purpose: str) -> None:
    """Refuse what cannot run here; nothing heavy is imported for that."""
    if any(find_spec(name) is None for name in ("torch", "transformers", "sentence_transformers")):
        raise MissingExtraError("torch", purpose)


@dataclass(frozen=True)
class ModelFolder:
    """What a folder says of its model."""

    path: Path

    def json(self, name: str) -> Mapping[str, object]:
        """A configuration file; empty if it is not there."""
        return read_mapping(self.path / name)

    @property
    def architectures(self) -> tuple[str, ...]:
        """The classes of transformers that the weights were saved from."""
        named = self.json("config.json").get("architectures")
        return tuple(str(name) for name in named) if isinstance(named, list) else ()

    @property
    def sentence_config(self) -> Mapping[str, object]:
        """What sentence-transformers wrote into the folder: the kind of model, prompts, similarity."""
        return self.json(_SENTENCE)

    @property
    def has_modules(self) -> bool:
        """Whether sentence-transformers saved this folder, and so knows all its layers."""
        return (self.path / "modules.json").is_file()

    @cached_property
    def cuts_left(self) -> bool:
        """Whether a tokenizer in it drops the beginning of what is too long: the end alone is read then."""
        return any(cuts_left(file.parent) for file in self._files if file.name == "tokenizer.json")

    @property
    def cut(self) -> str:
        """The side on which long texts are cut, for a description."""
        return "left" if self.cuts_left else "right"

    @cached_property
    def fingerprint(self) -> str:
        """Of all files that a score can depend on."""
        parts = [part for file in self._files for part in (file.relative_to(self.path).as_posix(), sha256_of(file))]
        return sha256_text(*parts)

    @property
    def weights(self) -> Mapping[str, str]:
        """SHA-256 of each file of weights."""
        files = [file for file in self._files if file.suffix == ".safetensors"]
        return {file.relative_to(self.path).as_posix(): sha256_of(file) for file in files}

    def refuse_pickle(self) -> None:
        """Weights that are only there as pickle can run any code when they are read: they are not."""
        pickled = [file for file in sorted(self.path.rglob("*.bin")) if file.name.startswith("pytorch_model")]
        for file in pickled:
            if not list(file.parent.glob("*.safetensors")):
                raise UserError(
                    f"{file}: these weights are a pickle, which can run code when it is read. "
                    "Save them as safetensors beside it; docs/families.md has the three lines."
                )
        if not any(file.suffix == ".safetensors" for file in self._files):
            raise UserError(f"{self.path}: there are no weights here (*.safetensors). Fetch the model again.")

    def refuse_length(self, length: int | None) -> None:
        """Refuse a length that the model has no positions for, as far as its configuration tells."""
        most = self.json("config.json").get("max_position_embeddings")
        if length is not None and isinstance(most, int) and 0 < most < length:
            raise UserError(f"{self.path}: length={length}, but the model reads at most {most} tokens.")

    @property
    def _files(self) -> list[Path]:
        files = [file for file in sorted(self.path.rglob("*")) if file.is_file() and file.suffix in _DECISIVE]
        return [file for file in files if file.relative_to(self.path).parts[0] not in _OTHER_BACKENDS]


def library_versions() -> dict[str, str]:
    """The versions of the libraries that a score passes through."""
    return {name: version(name) for name in LIBRARIES}
