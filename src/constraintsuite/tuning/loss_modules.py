"""Losses that sentence-transformers lacks, as modules that its trainers call like its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from sentence_transformers.sentence_transformer.losses import TripletDistanceMetric, TripletLoss
from sentence_transformers.util import batch_to_device
from torch import nn
from torch.nn import functional as f


class DistilLoss(nn.Module):  # type: ignore[misc]
    """Divergence of the scores of a list from the teacher's scores, and cross-entropy on the first text.

    The scores of the teacher are divided by a temperature, which sharpens their distribution; the student's scores are
    logits.
    """

    def __init__(self, model: Any, temperature: float, teacher: float = 1.0, source: float = 0.3) -> None:  # noqa: ANN401
        super().__init__()
        self.model = model
        self.temperature, self.teacher, self.source = temperature, teacher, source

    def forward(
        self, inputs: Sequence[Any], labels: Sequence[torch.Tensor], prompt: str | None = None, task: str | None = None
    ) -> torch.Tensor:
        """The mean over the lists of a batch."""
        queries, texts = inputs
        pairs = [(query, text) for query, own in zip(queries, texts, strict=True) for text in own]
        logits = score_pairs(self.model, pairs, prompt, task)
        sizes = [len(own) for own in texts]
        student = _table(logits, sizes)
        given = torch.cat(list(labels)).to(logits.device, torch.float32) / self.temperature
        wanted = _table(given, sizes).log_softmax(dim=1)
        ours = student.log_softmax(dim=1)
        there = torch.isfinite(wanted)
        # Places without a text are infinite in both distributions, and must add nothing.
        divergence = torch.where(there, wanted.exp() * (wanted - ours), 0.0).sum(dim=1).mean()
        return self.teacher * divergence - self.source * ours[:, 0].mean()


class MarginLoss(nn.Module):  # type: ignore[misc]
    """A hinge loss: by how much the better text of a triple misses the margin."""

    def __init__(self, model: Any, margin: float) -> None:  # noqa: ANN401
        super().__init__()
        self.model = model
        self.margin = margin

    def forward(
        self, inputs: Sequence[Any], labels: object = None, prompt: str | None = None, task: str | None = None
    ) -> torch.Tensor:
        """The mean over the triples of a batch."""
        queries, better, worse = inputs
        pairs = [*zip(queries, better, strict=True), *zip(queries, worse, strict=True)]
        ahead, behind = score_pairs(self.model, pairs, prompt, task).chunk(2)
        return f.relu(self.margin - ahead + behind).mean()


class CosineTripletLoss(TripletLoss):  # type: ignore[misc]
    """A hinge on the difference of two cosine distances of a bi-encoder."""

    def __init__(self, model: Any, margin: float) -> None:  # noqa: ANN401
        super().__init__(model, distance_metric=TripletDistanceMetric.COSINE, triplet_margin=margin)


def score_pairs(
    model: Any,  # noqa: ANN401
    pairs: Sequence[tuple[str, str]],
    prompt: str | None,
    task: str | None,
) -> torch.Tensor:
    """The logit of each pair, in full precision."""
    tokens = batch_to_device(model.preprocess(pairs, prompt=prompt, task=task), model.device)
    return model(tokens)["scores"].view(-1).float()


def _table(numbers: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """Numbers as a table with rows of these sizes, padded with minus infinity."""
    if len(set(sizes)) == 1:
        return numbers.view(len(sizes), sizes[0])
    rows = numbers.split(list(sizes))
    return nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=float("-inf"))
