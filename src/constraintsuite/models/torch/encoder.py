"""Bi-encoders on torch: one vector per distinct text, in batches of similar length."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.cache import CachedArray
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.backends import DenseSettings, Similarity
from constraintsuite.models.base import Encoder, ModelFact, TextRole, Workbench
from constraintsuite.models.batches import BatchRun, Pending
from constraintsuite.models.tokenization import IntArray, first_alike
from constraintsuite.models.torch.device import as_out_of_memory
from constraintsuite.models.torch.folder import ModelFolder, need_torch
from constraintsuite.models.torch.sentences import SentenceModel
from constraintsuite.models.torch.settings import BatchSizes
from constraintsuite.models.torch.text_model import Features, TextModel

if TYPE_CHECKING:
    import torch
    from sentence_transformers.base.model import BaseModel as LibraryModel

Float32Array = npt.NDArray[np.float32]
SIZES = BatchSizes(cpu=2_048, cuda=131_072)
"""Tokens in a batch."""


class DenseTextModel(TextModel):
    """A model that gives one vector per text."""

    @abstractmethod
    def vectors(self, features: Features, role: TextRole) -> CachedArray | Pending:
        """The vector of each text of a batch."""


RoleModels = Mapping[TextRole, DenseTextModel]
"""The model of each role; both may be the same."""


class RoleBatches(NamedTuple):
    """Batches of texts through a model in one role."""

    model: DenseTextModel
    role: TextRole

    def prepare(self, items: Sequence[str]) -> Features:
        """The tokens of a batch of texts, padded."""
        return self.model.features(items, self.role)

    def compute(self, inputs: Features) -> CachedArray | Pending:
        """One vector per text, now or as a pending result."""
        return self.model.vectors(inputs, self.role)


def make_torch_encoder(folder: Path, settings: DenseSettings, bench: Workbench) -> Encoder:
    """The encoder of a sentence-transformers folder."""
    need_torch("A bi-encoder with backend=torch")
    model = DenseModel(ModelFolder(folder), settings)
    return TorchEncoder(str(folder), {"query": model, "document": model}, model.similarity, bench)


class TorchEncoder:
    """An encoder with one model per role, which may be the same."""

    spreadable = True

    def __init__(self, name: str, models: RoleModels, similarity: Similarity, bench: Workbench) -> None:
        self.name = name
        self.similarity: Similarity = similarity
        self._models = models
        self._bench = bench
        self._dimensions: dict[TextRole, int] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the models of both roles."""
        return sha256_text("torch encoder", *(self._models[role].fingerprint for role in sorted(self._models)))

    def encode(self, texts: Sequence[str], role: TextRole) -> Float32Array:
        """One row per text; texts with the same tokens are computed once."""
        model = self._models[role]
        alike = first_alike(texts, model.marks(texts, role))
        distinct = {text: row for row, text in enumerate(dict.fromkeys(alike.values()))}
        run = BatchRun(
            "queries" if role == "query" else "documents",
            RoleBatches(model, role),
            sha256_text(model.fingerprint, role),
            str,
            SIZES.limits(model.settings),
            self._bench,
        )
        rows = run(list(distinct), model.lengths(list(distinct), role))
        self._refuse_unequal(role, rows.shape[1] if len(rows) else None)
        return rows[[distinct[alike[text]] for text in texts]].astype(np.float32, copy=False)

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the models by role; only once if they are equal."""
        facts = {str(role): self._models[role].describe() for role in sorted(self._models)}
        first, *others = facts.values()
        return first if all(other == first for other in others) else facts

    def visible(self, texts: Sequence[str], role: TextRole) -> IntArray | None:
        """How many characters are read of each text; None if a model reads the end."""
        if any(model.folder.cuts_left for model in self._models.values()):
            return None
        return self._models[role].visible(texts, role)

    def _refuse_unequal(self, role: TextRole, dimensions: int | None) -> None:
        if dimensions is not None:
            self._dimensions[role] = dimensions
        if len(set(self._dimensions.values())) > 1:
            listed = ", ".join(f"{size} numbers to a {role}" for role, size in sorted(self._dimensions.items()))
            raise UserError(f"{self.name}: these encoders do not belong together: they give {listed}.")


class DenseModel(SentenceModel, DenseTextModel):
    """A model of sentence-transformers with one vector per text."""

    def __init__(self, folder: ModelFolder, settings: DenseSettings) -> None:
        options: dict[TextRole, str | None] = {"query": settings.query_prompt, "document": settings.document_prompt}
        prompts = {role: prompt for role, prompt in options.items() if prompt is not None}
        super().__init__("SentenceTransformer", folder, settings, prompts)
        self._pooling = settings.pooling
        folder.refuse_pickle()
        folder.refuse_length(settings.length)
        if not folder.has_modules:
            settings.require_pooling(folder.path)

    @property
    def similarity(self) -> Similarity:
        """The similarity that the folder names, else the cosine, which is the library's default."""
        named = self.folder.sentence_config.get("similarity_fn_name")
        return next((known for known in get_args(Similarity) if known == named), "cosine")

    def describe(self) -> dict[str, ModelFact]:
        """Facts about the model and how it runs."""
        return {**super().describe(), "pooling": self.setting("pooling_mode")}

    def vectors(self, features: Features, role: TextRole) -> Pending:
        """One vector per text, cut to the model's `truncate_dim`; a GPU computes it while the next batch is prepared."""
        rows = self.forward(features, role)["sentence_embedding"][:, : self.model.truncate_dim]

        def fetch() -> Float32Array:
            with as_out_of_memory():
                vectors: Float32Array = rows.float().cpu().numpy()
                return vectors

        return fetch

    def _build(self, kind: type[LibraryModel], dtype: torch.dtype) -> LibraryModel:
        if self.folder.has_modules:
            model = super()._build(kind, dtype)
            own = [part.pooling_mode for part in model if hasattr(part, "pooling_mode")]
            if self._pooling is not None and own != [self._pooling]:
                raise UserError(f"{self.folder.path}: pooling={self._pooling}, but its files say {own}. Leave it out.")
            return model
        from sentence_transformers.base.modules import Transformer
        from sentence_transformers.sentence_transformer.modules import Pooling

        trust = {"trust_remote_code": self.settings.trust, "local_files_only": True}
        reading = Transformer(
            str(self.folder.path),
            model_kwargs={**trust, "dtype": dtype, "use_safetensors": True},
            processor_kwargs=dict(trust),
            config_kwargs=dict(trust),
        )
        return kind(modules=[reading, Pooling(reading.get_embedding_dimension(), self._pooling)], device="cpu")
