"""The base class of models that read one text at a time, as a query or as a document."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from constraintsuite.models.base import ModelFact, TextRole
from constraintsuite.models.tokenization import IntArray, Padding, Tokenization, TokenizerInput
from constraintsuite.models.torch.device import describe_device
from constraintsuite.models.torch.folder import ModelFolder, library_versions
from constraintsuite.models.torch.loader import refuse_slow
from constraintsuite.models.torch.settings import AnySettings, fingerprint_of

if TYPE_CHECKING:
    import torch

Features = dict[str, Any]
"""The inputs of a library's model, to which it adds its results."""
_ENDLESS = 2**31  # tokens, where a model has no limit


class TextModel(ABC):
    """A model whose weights and tokenizers are loaded at first use; a text is tokenised once per role."""

    def __init__(self, kind: str, folder: ModelFolder, settings: AnySettings) -> None:
        self.kind, self.folder, self.settings = kind, folder, settings
        self._tokenizations: dict[TextRole, Tokenization] = {}
        self._lock = RLock()  # a tokenizer may not be set up in one thread while it reads in another

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that decides the vectors, except the role."""
        return fingerprint_of(self.kind, self.folder, self.settings)

    @abstractmethod
    def tokenizer(self, role: TextRole) -> Any:  # noqa: ANN401 - the library has many classes
        """The library's tokenizer for a role."""

    @abstractmethod
    def limit(self, role: TextRole) -> int | None:
        """The largest number of tokens in a role; None for no limit."""

    @abstractmethod
    def describe(self) -> Mapping[str, ModelFact]:
        """Facts about the model and how it runs."""

    def prompt(self, role: TextRole) -> str:
        """The prompt before each text."""
        return ""

    def lengths(self, texts: Sequence[str], role: TextRole) -> list[int]:
        """The number of tokens of each text, after cutting."""
        return self.tokenization(role).lengths(self._items(texts, role))

    def visible(self, texts: Sequence[str], role: TextRole) -> IntArray:
        """How many characters of each text are read, its prompt not counted."""
        seen = self.tokenization(role).visible(self._items(texts, role))
        if self.tokenization(role).cut_left:
            return np.minimum(seen, [len(text) for text in texts])
        return np.maximum(seen - len(self.prompt(role)), 0)

    def marks(self, texts: Sequence[str], role: TextRole) -> list[bytes]:
        """A hash of the tokens of each text, equal for texts that the model cannot tell apart."""
        return self.tokenization(role).marks(self._items(texts, role))

    def features(self, texts: Sequence[str], role: TextRole) -> Features:
        """Padded tokens as tensors on the CPU."""
        import torch

        arrays = self.tokenization(role).batch(self._items(texts, role))._asdict()
        names = self.tokenizer(role).model_input_names
        return {name: torch.from_numpy(array) for name, array in arrays.items() if name in names}

    def tokenization(self, role: TextRole) -> Tokenization:
        """The tokenization for a role."""
        with self._lock:
            if role not in self._tokenizations:
                tokenizer = self.tokenizer(role)
                refuse_slow(tokenizer, self.folder.path)
                left = tokenizer.padding_side == "left"
                self._tokenizations[role] = Tokenization(
                    tokenizer.backend_tokenizer,
                    self.limit(role) or _ENDLESS,
                    Padding(tokenizer.pad_token_id or 0, tokenizer.pad_token_type_id, left),
                    cut_left=tokenizer.truncation_side == "left",
                )
            return self._tokenizations[role]

    def _items(self, texts: Sequence[str], role: TextRole) -> list[TokenizerInput]:
        prompt = self.prompt(role)
        return [(prompt + text,) for text in texts]


def describe_folder(folder: ModelFolder, settings: AnySettings, device: torch.device) -> dict[str, ModelFact]:
    """The facts that every torch model records."""
    return {
        "folder": folder.path.name,
        "weights": folder.weights,
        "backend": "torch",
        "libraries": library_versions(),
        "precision": settings.precision,
        "device": describe_device(device),
    }
