"""Bi-encoders: a query and a text become vectors on their own, and the score is how near these are."""

# ruff: noqa: PLC0415 - a backend is imported when it is chosen

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
    """An encoder that reads only the beginning of a long text."""

    def visible(self, texts: Sequence[str], role: TextRole) -> npt.NDArray[np.int64]:
        """How many characters of each text it reads, its prompt not counted."""


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

    return dense_scorer(str(name), choose_backend(settings, onnx, torch), settings.similarity)


def dense_scorer(name: str, encoder: Encoder, similarity: Similarity | None = None) -> Scorer:
    """The scorer over an encoder; `similarity` stands in place of the encoder's own."""
    kind = TruncatingDenseScorer if isinstance(encoder, TruncatingEncoder) else DenseScorer
    return kind(name, encoder, similarity or encoder.similarity)


def load_encoder(model: str, bench: Workbench | None = None) -> DenseScorer:
    """The encoder with its similarity; a model without vectors is a UserError. No weights are read yet."""
    scorer = load_scorer(model, bench or Workbench())
    if not isinstance(scorer, DenseScorer):
        raise UserError(f"Model {model!r} gives no vectors. Name an encoder, such as dense:all-MiniLM-L6-v2.")
    return scorer


class DenseScorer:
    """Compares vectors in double precision; each distinct query and text is encoded once."""

    def __init__(self, name: str, encoder: Encoder, similarity: Similarity) -> None:
        self.name = name
        self.encoder = encoder
        self.similarity = similarity

    @property
    def spreadable(self) -> bool:
        """Whether any process can score a part of the pairs, which holds where it holds for the encoder."""
        return is_spreadable(self.encoder)

    @cached_property
    def fingerprint(self) -> str:
        """Of the encoder and of the way its vectors are compared."""
        return sha256_text("dense", self.encoder.fingerprint, self.similarity)

    def score(self, pairs: Sequence[Pair]) -> FloatArray:
        """How near the vectors of each query and text are."""
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
        """What the encoder says of itself, and the similarity."""
        own = self.encoder.describe() if isinstance(self.encoder, Describing) else {}
        return {**own, "similarity": self.similarity}


class TruncatingDenseScorer(DenseScorer):
    """A dense scorer that knows how much of a text its encoder reads."""

    def visible(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """How many characters of each pair's text are read."""
        assert isinstance(self.encoder, TruncatingEncoder)
        texts = list(dict.fromkeys(text for _, text in pairs))
        seen = dict(zip(texts, self.encoder.visible(texts, "document").tolist(), strict=True))
        return np.array([seen[text] for _, text in pairs], dtype=np.int64)


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
