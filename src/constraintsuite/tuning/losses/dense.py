"""Losses of bi-encoders, all of sentence-transformers."""

# torch takes seconds to import, and a wrong recipe is told without it.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from constraintsuite.tuning.losses.base import Loss, as_columns, as_margins, as_pairs, as_triples

if TYPE_CHECKING:
    from constraintsuite.tuning.losses.settings import DistilSettings, MarginSettings, NegativesSettings, PlainSettings


def make_distil(settings: DistilSettings) -> Loss:
    """Divergence of a list's similarities from the teacher's scores; both are divided by the temperature."""
    return Loss(
        as_columns, lambda model: _losses().DistillKLDivLoss(model, temperature=settings.temperature), cuts=True
    )


def make_margin(settings: MarginSettings) -> Loss:
    """A hinge on the difference of two distances."""

    def make(model: Any) -> Any:  # noqa: ANN401
        losses = _losses()
        distance = losses.TripletDistanceMetric.COSINE
        return losses.TripletLoss(model, distance_metric=distance, triplet_margin=settings.margin)

    return Loss(as_triples, make)


def make_negatives(settings: NegativesSettings) -> Loss:
    """The better text against its twin and against texts of other queries in the batch."""
    options = {} if settings.scale is None else {"scale": settings.scale}
    return Loss(as_triples, lambda model: _losses().MultipleNegativesRankingLoss(model, **options))


def make_margin_mse(settings: PlainSettings) -> Loss:
    """The teacher's margins between two texts (Hofstätter et al. 2020)."""
    return Loss(as_margins, lambda model: _losses().MarginMSELoss(model))


def make_cosent(settings: PlainSettings) -> Loss:
    """The order of all similarities in a batch, by their labels."""
    return Loss(as_pairs, lambda model: _losses().CoSENTLoss(model))


def _losses() -> Any:  # noqa: ANN401
    from sentence_transformers.sentence_transformer import losses

    return losses
