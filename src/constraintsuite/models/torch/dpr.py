"""DPR: one encoder for queries, another for texts; the score is the dot product."""

# The libraries take seconds to import, and a wrong name is told without them.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.errors import UserError
from constraintsuite.models.base import ModelFact, Scorer, TextRole, Workbench
from constraintsuite.models.dense import DenseSettings, dense_scorer
from constraintsuite.models.naming import ModelName
from constraintsuite.models.tokenization import IntArray, Padding, TokenBatch, Tokenization
from constraintsuite.models.torch.alike import mark_of
from constraintsuite.models.torch.device import (
    describe_device,
    fix_threads,
    inference,
    pick_device,
    pick_dtype,
)
from constraintsuite.models.torch.encoder import DenseModel, DenseReader, TextReader, torch_encoder
from constraintsuite.models.torch.folder import ModelFolder, library_versions, need_torch
from constraintsuite.models.torch.loading import check_length, load_tokenizer, loading, position_limit, refuse_missing
from constraintsuite.models.torch.settings import TorchSettings, fingerprint_of, open_folder

if TYPE_CHECKING:
    from transformers import DPRPreTrainedModel

_CLASSES: Mapping[TextRole, str] = {"query": "DPRQuestionEncoder", "document": "DPRContextEncoder"}


class DprSettings(TorchSettings):
    """The options of `dpr`."""

    query: str = Field("", description="the encoder of queries, if it is not named before a |")
    document: str = Field("", description="the encoder of texts, if it is not named behind a |")


def make_dpr(name: ModelName, bench: Workbench) -> Scorer:
    """`dpr:QUERY_FOLDER|DOCUMENT_FOLDER`, or `dpr,query=...,document=...`: DPR's own classes, or sentence-transformers."""
    settings = name.settings(DprSettings)
    need_torch("dpr:")
    readers = {role: _reader(place, role, settings) for role, place in _places(name, settings).items()}
    return dense_scorer(str(name), torch_encoder(str(name), readers, "dot", settings, bench))


class Loaded(NamedTuple):
    """What was read from a folder."""

    model: DPRPreTrainedModel
    tokenization: Tokenization


class DprReader:
    """DPR's encoder of one role; the vector is that of the first token."""

    def __init__(self, folder: ModelFolder, role: TextRole, settings: TorchSettings) -> None:
        self.folder = folder
        self.role: TextRole = role
        self.settings = settings

    @cached_property
    def fingerprint(self) -> str:
        """Of all that decides its vectors."""
        return fingerprint_of(_CLASSES[self.role], self.folder, self.settings)

    @property
    def cuts_left(self) -> bool:
        """Whether only the end of a long text is read."""
        return self.folder.cuts_left

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, after cutting."""
        return self._loaded.tokenization.lengths([(text,) for text in texts])

    def visible(self, texts: Sequence[str]) -> IntArray:
        """How many characters of each text are read."""
        return self._loaded.tokenization.visible([(text,) for text in texts])

    def marks(self, texts: Sequence[str]) -> list[bytes]:
        """A mark of each text, equal where the model reads the same."""
        batch = self._loaded.tokenization.batch
        return [mark_of(batch([(text,)]).input_ids[0]) for text in texts]

    def prepare(self, items: Sequence[str]) -> TokenBatch:
        """Tokens, padded."""
        return self._loaded.tokenization.batch([(text,) for text in items])

    def compute(self, inputs: TokenBatch) -> npt.NDArray[np.float32]:
        """One vector a text."""
        import torch

        model = self._loaded.model
        with inference():
            tensors = {key: torch.from_numpy(array).to(model.device) for key, array in inputs._asdict().items()}
            vectors: npt.NDArray[np.float32] = model(**tensors).pooler_output.float().cpu().numpy()
        return vectors

    def describe(self) -> Mapping[str, ModelFact]:
        """What it is and how it is run."""
        return {
            "folder": self.folder.path.name,
            "weights": self.folder.weights,
            "backend": "torch",
            "libraries": library_versions(),
            "precision": self.settings.precision,
            "device": describe_device(self._loaded.model.device),
            "length": self._loaded.tokenization.max_length,
            "cut": self.folder.cut,
            "layers": [type(self._loaded.model).__name__],
        }

    @cached_property
    def _loaded(self) -> Loaded:
        import transformers

        fix_threads(self.settings.threads)
        path = self.folder.path
        with loading(path):
            # Not AutoModel: it takes every DPR folder for an encoder of questions, and fills a context encoder with chance.
            kind = getattr(transformers, _CLASSES[self.role])
            model = kind.from_pretrained(
                path, dtype=pick_dtype(self.settings.precision), use_safetensors=True, local_files_only=True
            )
            tokenizer = load_tokenizer(path, self.settings.trust)
        refuse_missing(model, path)
        check_length(self.settings.length, model, path)
        own = min(tokenizer.model_max_length, position_limit(model) or tokenizer.model_max_length)
        padding = Padding(tokenizer.pad_token_id or 0, tokenizer.pad_token_type_id)
        cut_left = tokenizer.truncation_side == "left"
        length = self.settings.length or own
        tokenization = Tokenization(tokenizer.backend_tokenizer, length, padding, cut_left=cut_left)
        return Loaded(model.to(pick_device(self.settings.device)).eval(), tokenization)


def _places(name: ModelName, settings: DprSettings) -> dict[TextRole, str]:
    before, bar, behind = name.argument.partition("|")
    given = ((before, behind) if bar else ("", "")) if name.argument else (settings.query, settings.document)
    if not all(given) or (name.argument and (settings.query or settings.document)):
        raise UserError(
            f"Model {str(name)!r}: DPR has two encoders. Name both: dpr:QUERY_FOLDER|DOCUMENT_FOLDER, "
            "or dpr,query=QUERY_FOLDER,document=DOCUMENT_FOLDER."
        )
    return {"query": given[0], "document": given[1]}


def _reader(place: str, role: TextRole, settings: DprSettings) -> TextReader:
    folder = open_folder(place, settings)
    if folder.has_modules:
        options = settings.model_dump(exclude={"query", "document"})
        return DenseReader(DenseModel(folder, DenseSettings.model_validate(options)), role)
    if _CLASSES[role] not in folder.architectures:
        found = ", ".join(folder.architectures) or "something that its config.json does not name"
        raise UserError(f"{folder.path}: the encoder of a {role} must be a {_CLASSES[role]}, and this is {found}.")
    return DprReader(folder, role, settings)
