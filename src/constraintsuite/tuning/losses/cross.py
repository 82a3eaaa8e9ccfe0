"""Losses of cross-encoders: those of sentence-transformers, and two of our own."""

# torch takes seconds to import, and a wrong recipe is told without it.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from constraintsuite.tuning.losses.base import Loss, as_lists, as_margins, as_probabilities, as_triples

if TYPE_CHECKING:
    import torch

    from constraintsuite.tuning.losses.settings import (
        DistilSettings,
        LambdaSettings,
        MarginSettings,
        NegativesSettings,
        PlainSettings,
    )

_TEACHER, _SOURCE = 1.0, 0.3  # weights where the recipe says nothing
_ALL = -1  # all pairs of a batch in one pass; the library's own default is as many as there are queries


def make_distil(settings: DistilSettings) -> Loss:
    """Divergence from the teacher's scores plus cross-entropy on the first text."""

    def make(model: Any) -> torch.nn.Module:  # noqa: ANN401
        from constraintsuite.tuning.losses.modules import DistilLoss

        teacher = _TEACHER if settings.teacher is None else settings.teacher
        source = _SOURCE if settings.source is None else settings.source
        return DistilLoss(model, settings.temperature, teacher, source)

    return Loss(as_lists, make)


def make_margin(settings: MarginSettings) -> Loss:
    """A hinge on the difference of two scores."""

    def make(model: Any) -> torch.nn.Module:  # noqa: ANN401
        from constraintsuite.tuning.losses.modules import MarginLoss

        return MarginLoss(model, settings.margin)

    return Loss(as_triples, make)


def make_ranknet(settings: PlainSettings) -> Loss:
    """A logistic loss on every two texts of a list (Burges et al. 2005)."""
    return Loss(as_lists, lambda model: _losses().RankNetLoss(model, mini_batch_size=_ALL))


def make_listnet(settings: PlainSettings) -> Loss:
    """Cross-entropy between the distributions of scores and labels (Cao et al. 2007)."""
    return Loss(as_lists, lambda model: _losses().ListNetLoss(model, mini_batch_size=_ALL))


def make_listmle(settings: PlainSettings) -> Loss:
    """The likelihood of the right order (Xia et al. 2008)."""
    return Loss(as_lists, lambda model: _losses().ListMLELoss(model, mini_batch_size=_ALL))


def make_lambda(settings: LambdaSettings) -> Loss:
    """Pairs weighted by what they matter to nDCG (Wang et al. 2018)."""
    return Loss(as_lists, lambda model: _losses().LambdaLoss(model, k=settings.k, mini_batch_size=_ALL))


def make_negatives(settings: NegativesSettings) -> Loss:
    """The better text against its twin and against texts of other queries in the batch."""
    options = {} if settings.scale is None else {"scale": settings.scale}
    return Loss(as_triples, lambda model: _losses().MultipleNegativesRankingLoss(model, **options))


def make_margin_mse(settings: PlainSettings) -> Loss:
    """The teacher's margins between two texts (Hofstätter et al. 2020)."""
    return Loss(as_margins, lambda model: _losses().MarginMSELoss(model))


def make_binary(settings: PlainSettings) -> Loss:
    """Each pair for itself: labels are probabilities, 0 to 1."""
    return Loss(as_probabilities, lambda model: _losses().BinaryCrossEntropyLoss(model))


def _losses() -> Any:  # noqa: ANN401
    from sentence_transformers.cross_encoder import losses

    return losses
