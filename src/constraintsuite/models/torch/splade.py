"""SPLADE: a text becomes a sparse vector over the vocabulary; the score is the dot product."""

# ruff: noqa: PLC0415 - the libraries take seconds to import, and wrong names are refused without them

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.models.base import ModelFact, Scorer, TextRole, Workbench
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.tokenization import IntArray
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.interaction import InteractionScorer, mean_sizes
from constraintsuite.models.torch.sentences import SentenceModel
from constraintsuite.models.torch.settings import BatchSizes, TorchSettings, open_folder
from constraintsuite.models.torch.text_model import Features


class SparseVector(NamedTuple):
    """The nonzero weights of a text."""

    places: IntArray
    """The numbers of the words, ascending."""
    weights: npt.NDArray[np.float64]


def make_splade(name: ModelName, bench: Workbench) -> Scorer:
    """`splade:NAME_OR_FOLDER`, a sparse encoder of sentence-transformers or a masked language model."""
    settings = name.settings(TorchSettings)
    folder = open_folder(name.argument, settings, "splade:")
    named = folder.sentence_config.get("model_type")
    sparse = named == "SparseEncoder" if folder.has_modules else _is_masked_lm(folder)
    if not sparse:
        raise UserError(
            f"{folder.path}: this is not a SPLADE model: it was not saved as a SparseEncoder and is not a masked language "
            "model (...ForMaskedLM). The missing layer would be randomly initialised."
        )
    similarity = folder.sentence_config.get("similarity_fn_name") or "dot"
    if similarity != "dot":
        raise UserError(
            f"{folder.path}: its vectors are compared by {similarity}, and splade: knows the dot product only."
        )
    return SpladeScorer(str(name), SentenceModel("SparseEncoder", folder, settings), bench)


class SpladeScorer(InteractionScorer[SparseVector]):
    """The dot product of sparse vectors over their common words."""

    family = "splade"
    # Small, since the model computes a number for each token and each word of the vocabulary.
    sizes = BatchSizes(cpu=1_024, cuda=32_768)

    def describe(self) -> Mapping[str, ModelFact]:
        """The facts of the model, and the mean number of active words per text."""
        pooling = {
            "pooling": self.model.setting("pooling_strategy"),
            "activation": self.model.setting("activation_function"),
        }
        return {**self.model.describe(), **pooling, "similarity": "dot", **self.describe_counts(self.text_counts())}

    def describe_counts(self, counts: Mapping[str, int]) -> Mapping[str, ModelFact]:
        """The mean number of active words."""
        return {"active_dimensions": mean_sizes(counts)} if counts else {}

    def vectors(self, features: Features, role: TextRole) -> list[SparseVector]:
        """The sparse vector of each text of a batch."""
        most = self.model.model.max_active_dims
        options = {} if most is None else {"max_active_dims": most}
        dense = self.model.forward(features, role, **options)["sentence_embedding"].float().cpu()
        if most is not None:
            from sentence_transformers.util import select_max_active_dims

            dense = select_max_active_dims(dense, max_active_dims=most)
        table = dense.numpy()
        return [SparseVector(places, row[places].astype(np.float64)) for row in table for places in [row.nonzero()[0]]]

    def compare(self, query: SparseVector, document: SparseVector) -> float:
        """The dot product, in double precision."""
        _, mine, its = np.intersect1d(query.places, document.places, assume_unique=True, return_indices=True)
        return float(query.weights[mine] @ document.weights[its])

    def size(self, vector: SparseVector) -> int:
        """The number of words with a weight."""
        return len(vector.places)


def _is_masked_lm(folder: ModelFolder) -> bool:
    return any(name.endswith("ForMaskedLM") for name in folder.architectures)
