"""DPR: separate encoders for queries and texts; the score is the dot product."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import DenseSettings
from constraintsuite.models.base import ModelFact, Scorer, TextRole, Workbench
from constraintsuite.models.dense import DenseScorer
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.torch.device import fix_threads, inference, pick_device, pick_dtype
from constraintsuite.models.torch.encoder import DenseModel, DenseTextModel, TorchEncoder
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.loader import check_length, load_tokenizer, loading, position_limit, refuse_missing
from constraintsuite.models.torch.settings import TorchSettings, open_folder
from constraintsuite.models.torch.text_model import Features, describe_folder

if TYPE_CHECKING:
    from transformers import DPRPreTrainedModel, PreTrainedTokenizerFast

_CLASSES: Mapping[TextRole, str] = {"query": "DPRQuestionEncoder", "document": "DPRContextEncoder"}


class DprSettings(TorchSettings):
    """The options of `dpr`."""

    query: str = Field("", description="the encoder of queries, if it is not named before a |")
    document: str = Field("", description="the encoder of texts, if it is not named after a |")


def make_dpr(name: ModelName, bench: Workbench) -> Scorer:
    """`dpr:QUERY_FOLDER|DOCUMENT_FOLDER`, or `dpr,query=...,document=...`: DPR's own classes, or sentence-transformers."""
    settings = name.settings(DprSettings)
    models = {role: _model(place, role, settings) for role, place in _places(name, settings).items()}
    return DenseScorer(str(name), TorchEncoder(str(name), models, "dot", bench))


class DprModel(DenseTextModel):
    """The DPR encoder of one role; it gives the vector of the first token."""

    def __init__(self, folder: ModelFolder, role: TextRole, settings: TorchSettings) -> None:
        super().__init__(_CLASSES[role], folder, settings)

    @cached_property
    def model(self) -> DPRPreTrainedModel:
        """The library's model, on its device."""
        import transformers

        fix_threads(self.settings.threads)
        path = self.folder.path
        with loading(path):
            # Not AutoModel, which takes every DPR folder for a question encoder and gives a context encoder random weights.
            model = getattr(transformers, self.kind).from_pretrained(
                path, dtype=pick_dtype(self.settings.precision), use_safetensors=True, local_files_only=True
            )
        refuse_missing(model, path)
        check_length(self.settings.length, model, path)
        return model.to(pick_device(self.settings.device)).eval()

    @cached_property
    def _tokenizer(self) -> PreTrainedTokenizerFast:
        return load_tokenizer(self.folder.path, self.settings.trust)

    def tokenizer(self, role: TextRole) -> PreTrainedTokenizerFast:
        """The tokenizer of the folder."""
        return self._tokenizer

    def limit(self, role: TextRole) -> int:
        """The option `length`, else the limit of tokenizer and positions."""
        own = self._tokenizer.model_max_length
        return self.settings.length or min(own, position_limit(self.model) or own)

    def vectors(self, features: Features, role: TextRole) -> npt.NDArray[np.float32]:
        """The vector of the first token of each text."""
        with inference():
            tensors = {name: tensor.to(self.model.device) for name, tensor in features.items()}
            vectors: npt.NDArray[np.float32] = self.model(**tensors).pooler_output.float().cpu().numpy()
        return vectors

    def describe(self) -> Mapping[str, ModelFact]:
        """Facts about the model and how it runs."""
        return {
            **describe_folder(self.folder, self.settings, self.model.device),
            "length": self.limit("query"),
            "cut": self.folder.cut,
            "layers": [self.kind],
        }


def _places(name: ModelName, settings: DprSettings) -> dict[TextRole, str]:
    before, bar, after = name.argument.partition("|")
    folders = ((before, after) if bar else ("", "")) if name.argument else (settings.query, settings.document)
    if not all(folders) or (name.argument and (settings.query or settings.document)):
        raise UserError(
            f"Model {str(name)!r}: DPR has two encoders. Name both: dpr:QUERY_FOLDER|DOCUMENT_FOLDER, "
            "or dpr,query=QUERY_FOLDER,document=DOCUMENT_FOLDER."
        )
    return {"query": folders[0], "document": folders[1]}


def _model(place: str, role: TextRole, settings: DprSettings) -> DenseTextModel:
    folder = open_folder(place, settings, "dpr:")
    if folder.has_modules:
        options = settings.model_dump(exclude={"query", "document"})
        return DenseModel(folder, DenseSettings.model_validate(options))
    if _CLASSES[role] not in folder.architectures:
        found = ", ".join(folder.architectures) or "something that its config.json does not name"
        raise UserError(f"{folder.path}: the encoder of a {role} must be a {_CLASSES[role]}, and this is {found}.")
    return DprModel(folder, role, settings)
