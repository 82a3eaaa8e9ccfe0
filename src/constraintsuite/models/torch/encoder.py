"""Bi-encoders on torch: each distinct text becomes one vector, in batches of like length."""

# The libraries take seconds to import, and a wrong name is told without them.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from constraintsuite.errors import UserError
from constraintsuite.models.base import Encoder, ModelFact, TextRole, Workbench
from constraintsuite.models.batches import BatchModel, BatchRun, Pending
from constraintsuite.models.dense import DenseSettings, Similarity
from constraintsuite.models.tokenization import IntArray
from constraintsuite.models.torch.alike import first_alike
from constraintsuite.models.torch.device import telling_out_of_memory
from constraintsuite.models.torch.folder import ModelFolder, need_torch
from constraintsuite.models.torch.sentences import Features, SentenceModel, SentenceReader
from constraintsuite.models.torch.settings import AnySettings, BatchSizes
from constraintsuite.store.files import sha256_text

if TYPE_CHECKING:
    import torch
    from sentence_transformers.base.model import BaseModel as LibraryModel

Float32Array = npt.NDArray[np.float32]
SIZES = BatchSizes(cpu=2_048, cuda=131_072)
"""Tokens in a batch."""


class TextReader(BatchModel[str, Any], Protocol):
    """Reads texts in one role, and makes one vector of each."""

    @property
    def fingerprint(self) -> str:
        """Of the weights and of all else that decides a vector but the role."""

    @property
    def cuts_left(self) -> bool:
        """Whether only the end of a long text is read."""

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, after cutting."""

    def visible(self, texts: Sequence[str]) -> IntArray:
        """How many characters of each text are read."""

    def marks(self, texts: Sequence[str]) -> list[bytes]:
        """A mark of each text, equal where the model reads the same."""

    def describe(self) -> Mapping[str, ModelFact]:
        """What it is and how it is run."""


def make_torch_encoder(folder: Path, settings: DenseSettings, bench: Workbench) -> Encoder:
    """The encoder of a sentence-transformers folder."""
    need_torch("A bi-encoder with backend=torch")
    model = DenseModel(ModelFolder(folder), settings)
    readers: dict[TextRole, TextReader] = {role: DenseReader(model, role) for role in ("query", "document")}
    return torch_encoder(str(folder), readers, model.similarity, settings, bench)


def torch_encoder(
    name: str, readers: Mapping[TextRole, TextReader], similarity: Similarity, settings: AnySettings, bench: Workbench
) -> Encoder:
    """The encoder over two readers; it knows how much of a text is read where that is the beginning."""
    kind = TorchEncoder if any(reader.cuts_left for reader in readers.values()) else TruncatingTorchEncoder
    return kind(name, readers, similarity, settings, bench)


class TorchEncoder:
    """An encoder with one reader a role; both may be the same model."""

    spreadable = True

    def __init__(
        self,
        name: str,
        readers: Mapping[TextRole, TextReader],
        similarity: Similarity,
        settings: AnySettings,
        bench: Workbench,
    ) -> None:
        self.name = name
        self.similarity: Similarity = similarity
        self._readers = readers
        self._settings = settings
        self._bench = bench
        self._dimensions: dict[TextRole, int] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Of both readers."""
        return sha256_text("torch encoder", *(self._readers[role].fingerprint for role in sorted(self._readers)))

    def encode(self, texts: Sequence[str], role: TextRole) -> Float32Array:
        """One row a text; texts that are read alike are read once."""
        reader = self._readers[role]
        alike = first_alike(texts, reader.marks(texts))
        distinct = {text: row for row, text in enumerate(dict.fromkeys(alike.values()))}
        run = BatchRun(
            "queries" if role == "query" else "documents",
            reader,
            sha256_text(reader.fingerprint, role),
            str,
            SIZES.limits(self._settings),
            self._bench,
        )
        rows = run(list(distinct), reader.lengths(list(distinct)))
        self._refuse_unequal(role, rows.shape[1] if len(rows) else None)
        return rows[[distinct[alike[text]] for text in texts]].astype(np.float32, copy=False)

    def describe(self) -> Mapping[str, ModelFact]:
        """What the readers say; once, if they are one model."""
        said = {str(role): self._readers[role].describe() for role in sorted(self._readers)}
        first, *others = said.values()
        return first if all(other == first for other in others) else said

    def _refuse_unequal(self, role: TextRole, dimensions: int | None) -> None:
        if dimensions is not None:
            self._dimensions[role] = dimensions
        if len(set(self._dimensions.values())) > 1:
            listed = ", ".join(f"{size} numbers to a {role}" for role, size in sorted(self._dimensions.items()))
            raise UserError(f"{self.name}: these encoders do not belong together: they give {listed}.")


class TruncatingTorchEncoder(TorchEncoder):
    """One that reads the beginning of a long text."""

    def visible(self, texts: Sequence[str], role: TextRole) -> IntArray:
        """How many characters of each text are read."""
        return self._readers[role].visible(texts)


class DenseModel(SentenceModel):
    """A model of one vector a text."""

    def __init__(self, folder: ModelFolder, settings: DenseSettings) -> None:
        given: dict[TextRole, str | None] = {"query": settings.query_prompt, "document": settings.document_prompt}
        prompts = {role: prompt for role, prompt in given.items() if prompt is not None}
        super().__init__("SentenceTransformer", folder, settings, prompts)
        self._pooling = settings.pooling
        folder.refuse_pickle()
        folder.refuse_length(settings.length)
        if not folder.has_modules and settings.pooling is None:
            raise UserError(
                f"{folder.path}: there is no modules.json, so it does not say how a text becomes one vector. "
                "Say it if you know it: pooling=mean or pooling=cls."
            )

    @property
    def similarity(self) -> Similarity:
        """What the folder says, else the cosine, as the library takes it."""
        named = self.folder.sentence_config.get("similarity_fn_name")
        known: Mapping[str, Similarity] = {
            "cosine": "cosine",
            "dot": "dot",
            "euclidean": "euclidean",
            "manhattan": "manhattan",
        }
        return known.get(str(named), "cosine")

    def describe(self) -> dict[str, ModelFact]:
        """What the model is and how it is run."""
        return {**super().describe(), "pooling": self.setting("pooling_mode")}

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


class DenseReader(SentenceReader):
    """A dense model in one role."""

    def compute(self, inputs: Features) -> Pending:
        """One vector a text, of its first numbers only where the model says so; a device works on while others are read."""
        vectors = self.model.forward(inputs, self.role)["sentence_embedding"][:, : self.model.model.truncate_dim]

        def fetch() -> Float32Array:
            with telling_out_of_memory():
                rows: Float32Array = vectors.float().cpu().numpy()
                return rows

        return fetch
