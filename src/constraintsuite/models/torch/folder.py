"""The folder of a model, read without its weights."""

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
"""Libraries whose versions can change a score."""
_DECISIVE = {".safetensors", ".json", ".txt", ".model", ".metadata", ".py"}
_OTHER_BACKENDS = {"onnx", "openvino"}
_SENTENCE = "config_sentence_transformers.json"


def need_torch(purpose: str) -> None:
    """Raise a MissingExtraError if torch is not installed; nothing is imported."""
    if any(find_spec(name) is None for name in ("torch", "transformers", "sentence_transformers")):
        raise MissingExtraError("torch", purpose)


@dataclass(frozen=True)
class ModelFolder:
    """The configuration and files of a model's folder."""

    path: Path

    def json(self, name: str) -> Mapping[str, object]:
        """A configuration file; empty if it does not exist."""
        return read_mapping(self.path / name)

    @property
    def architectures(self) -> tuple[str, ...]:
        """The classes of transformers that the weights were saved from."""
        named = self.json("config.json").get("architectures")
        return tuple(str(name) for name in named) if isinstance(named, list) else ()

    @property
    def labels(self) -> Mapping[int, str]:
        """The labels of a classifier by number; by default the two of transformers."""
        named = self.json("config.json").get("id2label") or {0: "LABEL_0", 1: "LABEL_1"}
        return {int(number): str(name) for number, name in named.items()} if isinstance(named, dict) else {}

    @property
    def sentence_config(self) -> Mapping[str, object]:
        """The configuration of sentence-transformers: the kind of model, prompts, similarity."""
        return self.json(_SENTENCE)

    @property
    def has_modules(self) -> bool:
        """Whether sentence-transformers saved this folder with all its layers."""
        return (self.path / "modules.json").is_file()

    @cached_property
    def cuts_left(self) -> bool:
        """Whether a tokenizer cuts the beginning of long texts, so only the end is read."""
        return any(cuts_left(file.parent) for file in self._files if file.name == "tokenizer.json")

    @property
    def cut(self) -> str:
        """The side on which long texts are cut, for `describe`."""
        return "left" if self.cuts_left else "right"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all files that can change a score."""
        parts = [part for file in self._files for part in (file.relative_to(self.path).as_posix(), sha256_of(file))]
        return sha256_text(*parts)

    @property
    def weights(self) -> Mapping[str, str]:
        """SHA-256 of each file of weights."""
        files = [file for file in self._files if file.suffix == ".safetensors"]
        return {file.relative_to(self.path).as_posix(): sha256_of(file) for file in files}

    def refuse_pickle(self) -> None:
        """Raise a UserError for weights that exist only as pickle, which can run code when it is read."""
        pickled = [file for file in sorted(self.path.rglob("*.bin")) if file.name.startswith("pytorch_model")]
        for file in pickled:
            if not list(file.parent.glob("*.safetensors")):
                raise UserError(
                    f"{file}: these weights are a pickle, which can run code when it is read. "
                    "Save them as safetensors in the same folder; docs/families.md has the three lines."
                )
        if not any(file.suffix == ".safetensors" for file in self._files):
            raise UserError(f"{self.path}: there are no weights here (*.safetensors). Fetch the model again.")

    def refuse_length(self, length: int | None) -> None:
        """Raise a UserError for a length beyond the positions in the configuration."""
        most = self.json("config.json").get("max_position_embeddings")
        if length is not None and isinstance(most, int) and 0 < most < length:
            raise UserError(f"{self.path}: length={length}, but the model reads at most {most} tokens.")

    @property
    def _files(self) -> list[Path]:
        files = [file for file in sorted(self.path.rglob("*")) if file.is_file() and file.suffix in _DECISIVE]
        return [file for file in files if file.relative_to(self.path).parts[0] not in _OTHER_BACKENDS]


def library_versions() -> dict[str, str]:
    """The installed versions of LIBRARIES."""
    return {name: version(name) for name in LIBRARIES}
