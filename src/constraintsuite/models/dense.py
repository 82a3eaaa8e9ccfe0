"""Bi-encoders: query and text become one vector each, and the score is the similarity of the two."""

# ruff: noqa: PLC0415 - only the chosen backend is imported

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_text
from constraintsuite.models.backends import DenseSettings, Similarity, choose_backend
from constraintsuite.models.base import Describing, Encoder, ModelFact, Pair, Scorer, TextRole, Workbench, is_spreadable
from constraintsuite.models.model_names import ModelName, load_scorer
from constraintsuite.models.weights import find_weights

FloatArray = npt.NDArray[np.float64]
_BLOCK = 4_096  # pairs whose vectors are compared at once


@runtime_checkable
class TruncatingEncoder(Protocol):
    """An encoder that can say how much of a long text it reads."""

    def visible(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.int64] | None:
        """How many characters it reads of each text, without its prompt; None if it reads the end."""


def make_dense(name: ModelName, bench: Workbench) -> Scorer:
    """Make the scorer that `dense:NAME_OR_FOLDER` names: a model of sentence-transformers."""
    settings = name.settings(DenseSettings)
    folder = find_weights(name.argument, settings.precision, settings.revision)

    def onnx() -> Encoder:
        from constraintsuite.models.onnx.encoder import OnnxEncoder

        return OnnxEncoder(folder, settings, bench)

    def torch() -> Encoder:
        from constraintsuite.models.torch.encoder import make_torch_encoder

        return make_torch_encoder(folder, settings, bench)

    return DenseScorer(str(name), choose_backend(settings, onnx, torch), settings.similarity)


def load_encoder(model: str, bench: Workbench | None = None) -> DenseScorer:
    """The encoder with its similarity; no weights are read yet. Raises UserError if the model has no vectors."""
    scorer = load_scorer(model, bench or Workbench())
    if not isinstance(scorer, DenseScorer):
        raise UserError(f"Model {model!r} gives no vectors. Name an encoder, such as dense:all-MiniLM-L6-v2.")
    return scorer


class DenseScorer:
    """Compares vectors in double precision; each distinct query and text is encoded once."""

    def __init__(self, name: str, encoder: Encoder, similarity: Similarity | None = None) -> None:
        """`similarity` replaces the encoder's own."""
        self.name = name
        self.encoder = encoder
        self.similarity: Similarity = similarity or encoder.similarity

    @property
    def spreadable(self) -> bool:
        """Whether the encoder is spreadable."""
        return is_spreadable(self.encoder)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the encoder and the similarity."""
        return sha256_text("dense", self.encoder.fingerprint, self.similarity)

    def score(self, pairs: Sequence[Pair]) -> FloatArray:
        """The similarity of each query and text."""
        queries = {query: row for row, query in enumerate(dict.fromkeys(query for query, _ in pairs))}
        texts = {text: row for row, text in enumerate(dict.fromkeys(text for _, text in pairs))}
        if not pairs:
            return np.empty(0, dtype=np.float64)
        left = self.encoder.encode(list(queries), "query")
        right = self.encoder.encode(list(texts), "document")
        compare = SIMILARITIES[self.similarity]
        scores = np.empty(len(pairs), dtype=np.float64)
        for start in range(0, len(pairs), _BLOCK):
            block = pairs[start : start + _BLOCK]
            a = left[[queries[query] for query, _ in block]].astype(np.float64)
            b = right[[texts[text] for _, text in block]].astype(np.float64)
            scores[start : start + len(block)] = compare(a, b)
        return scores

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the encoder, and the similarity."""
        own = self.encoder.describe() if isinstance(self.encoder, Describing) else {}
        return {**own, "similarity": self.similarity}

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64] | None:
        """How many characters the encoder reads of each pair's text, if it can say so."""
        texts = list(dict.fromkeys(text for _, text in pairs))
        read = self.encoder.visible(texts, "document") if isinstance(self.encoder, TruncatingEncoder) else None
        if read is None:
            return None
        by_text = dict(zip(texts, read.tolist(), strict=True))
        return np.array([by_text[text] for _, text in pairs], dtype=np.int64)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    scores: FloatArray = (a * b).sum(axis=1)  # row by row, so that a score does not depend on its neighbours
    return scores


def _cosine(a: FloatArray, b: FloatArray) -> FloatArray:
    lengths = np.sqrt(_dot(a, a)) * np.sqrt(_dot(b, b))
    scores: FloatArray = _dot(a, b) / np.maximum(lengths, 1e-12)
    return scores


def _euclidean(a: FloatArray, b: FloatArray) -> FloatArray:
    return -np.sqrt(_dot(a - b, a - b))


def _manhattan(a: FloatArray, b: FloatArray) -> FloatArray:
    scores: FloatArray = -np.abs(a - b).sum(axis=1)
    return scores


SIMILARITIES: Mapping[Similarity, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "cosine": _cosine,
    "dot": _dot,
    "euclidean": _euclidean,
    "manhattan": _manhattan,
}
