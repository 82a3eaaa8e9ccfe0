"""ColBERT: a vector for each token; the score sums, over the query's tokens, the best match among the text's tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import ModelFact, Pair, Scorer, TextError, TextRole, Workbench
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.tokenization import IntArray
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.interaction import InteractionScorer, mean_sizes
from constraintsuite.models.torch.sentences import SentenceModel
from constraintsuite.models.torch.settings import BatchSizes, TorchSettings, open_folder
from constraintsuite.models.torch.text_model import Features

_SAVED_AS = ("MultiVectorEncoder", "ColBERT")  # by sentence-transformers, by PyLate
_OLD_MARKS = (
    "query_prefix",
    "document_prefix",
    "query_length",
    "document_length",
)  # keys of older PyLate configurations


class TokenVectors(NamedTuple):
    """One vector per token that counts for the score."""

    rows: npt.NDArray[np.float32]
    tokens: IntArray
    """The tokens of the rows; empty if the model merges the vectors of tokens."""


class MaxSim(NamedTuple):
    """The explanation of a score: the similarity of each query token to each text token."""

    query_tokens: tuple[str, ...]
    document_tokens: tuple[str, ...]
    matrix: npt.NDArray[np.float32]
    """(query tokens, text tokens); the score is the sum of the largest value of each row."""


def make_colbert(name: ModelName, bench: Workbench) -> Scorer:
    """`colbert:NAME_OR_FOLDER`, saved by sentence-transformers, PyLate or ColBERT itself."""
    settings = name.settings(TorchSettings)
    folder = open_folder(name.argument, settings, "colbert:")
    if not _is_colbert(folder):
        raise UserError(
            f"{folder.path}: this is not a ColBERT model: it was not saved by sentence-transformers as a "
            "MultiVectorEncoder, by PyLate or by ColBERT. The missing projection would be randomly initialised."
        )
    return ColbertScorer(str(name), SentenceModel("MultiVectorEncoder", folder, settings), bench)


class ColbertScorer(InteractionScorer[TokenVectors]):
    """Exact late interaction: MaxSim, or its mean over the query's tokens if the model is configured so."""

    family = "colbert"
    sizes = BatchSizes(cpu=2_048, cuda=131_072)

    def score(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """MaxSim of each pair; also counts the texts that are cut."""
        scores = super().score(pairs)
        if pairs:
            self._counts["queries_cut"] = self._count_cut([query for query, _ in pairs], "query")
            self._counts["documents_cut"] = self._count_cut([text for _, text in pairs], "document")
        return scores

    def maxsim(self, query: str, text: str) -> MaxSim:
        """The similarities that make up the score of one pair, for a drawing."""
        left, right = self._alone(query, "query"), self._alone(text, "document")
        return MaxSim(self._names(left, query), self._names(right, text), left.rows @ right.rows.T)

    def describe(self) -> Mapping[str, ModelFact]:
        """The model, and the counts of the texts."""
        settled = {key: self.model.setting(key) for key in ("query_expansion", "skiplist_words")}
        similarity = {"similarity": self.model.model.similarity_fn_name}
        return {**self.model.describe(), **settled, **similarity, **self.describe_counts(self.text_counts())}

    def describe_counts(self, counts: Mapping[str, int]) -> Mapping[str, ModelFact]:
        """The mean number of tokens, and the number of texts that are cut."""
        cut = ("queries_cut", "documents_cut")
        return {"mean_tokens": mean_sizes(counts), **{key: counts[key] for key in cut}} if counts else {}

    def vectors(self, features: Features, role: TextRole) -> list[TokenVectors]:
        """The vectors of each text of a batch, without padding and tokens on the model's skip list."""
        result = self.model.forward(features, role)
        rows, mask, tokens = (result[key].cpu() for key in ("token_embeddings", "attention_mask", "input_ids"))
        merged = tokens.shape != mask.shape
        return [
            TokenVectors(
                rows[i][mask[i].bool()].float().numpy(),
                np.empty(0, dtype=np.int64) if merged else tokens[i][mask[i].bool()].numpy(),
            )
            for i in range(len(rows))
        ]

    def compare(self, query: TokenVectors, document: TokenVectors) -> float:
        """The sum, in double precision, of the best match of each query token."""
        if not len(query.rows) or not len(document.rows):
            raise TextError(f"Model {self.name!r} leaves no token of a text to compare: all are on its skip list.")
        best = (query.rows @ document.rows.T).max(axis=1)
        return float(best.mean(dtype=np.float64) if self._mean else best.sum(dtype=np.float64))

    def size(self, vector: TokenVectors) -> int:
        """The number of tokens that count for the score."""
        return len(vector.rows)

    @cached_property
    def _mean(self) -> bool:
        return bool(self.model.model.similarity_fn_name == "meanmaxsim")

    def _alone(self, text: str, role: TextRole) -> TokenVectors:
        (vectors,) = self.vectors(self.model.features([text], role), role)
        return vectors

    def _names(self, vectors: TokenVectors, text: str) -> tuple[str, ...]:
        if len(vectors.tokens) != len(vectors.rows):
            raise UserError(f"Model {self.name!r} merges the vectors of tokens, so none belongs to a word of {text!r}.")
        return tuple(self.model.model.tokenizer.convert_ids_to_tokens(vectors.tokens.tolist()))

    def _count_cut(self, texts: Sequence[str], role: TextRole) -> int:
        distinct = list(dict.fromkeys(texts))
        read = self.model.visible(distinct, role).tolist()
        return sum(seen < len(text) for text, seen in zip(distinct, read, strict=True))


def _is_colbert(folder: ModelFolder) -> bool:
    saved = folder.sentence_config
    old = folder.has_modules and any(mark in saved for mark in _OLD_MARKS)
    return saved.get("model_type") in _SAVED_AS or "HF_ColBERT" in folder.architectures or old
