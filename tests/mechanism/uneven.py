"""A contrast whose two queries differ in length, so that places have no partner and take the mean of their role."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.mechanism.contrasts.records import Marked, MarkedContrast, MarkedPair, RoleMark
from constraintsuite.mechanism.contrasts.tokens import TokenContrast, tokenise
from constraintsuite.mechanism.loaded_model import LoadedModel
from mechanism.planted import planted_contrasts


def named(count: int, seed: int = 0) -> list[MarkedContrast]:
    """Planted contrasts that say which Y they are about."""
    return [replace(one, y=one.clusters[0].split()[1]) for one in planted_contrasts(count, seed)]


def uneven() -> MarkedContrast:
    """`soup without leeks` against `soup very rich with leeks and cream`, over texts of unequal length."""
    clean = Marked("soup without leeks", (RoleMark(5, 12, "q_cue"), RoleMark(13, 18, "q_y")))
    corrupt = Marked(
        "soup very rich with leeks and cream",
        (RoleMark(15, 19, "q_cue"), RoleMark(20, 25, "q_y"), RoleMark(30, 35, "q_y")),
    )
    better, worse = Marked("a warm soup ."), Marked("fresh soup of leeks and peas .", (RoleMark(14, 19, "d_y"),))
    return replace(
        planted_contrasts(1)[0],
        id="uneven",
        better=MarkedPair(clean, better),
        worse=MarkedPair(clean, worse),
        better_corrupt=MarkedPair(corrupt, better),
        worse_corrupt=MarkedPair(corrupt, worse),
        aside=None,
        aside_corrupt=None,
        clusters=("uneven",),
        y="leeks",
    )


def read(model: LoadedModel, contrasts: list[MarkedContrast]) -> list[TokenContrast]:
    """In the subject's tokens; all of them can be asked."""
    found = tokenise(contrasts, model.classifier.tokenization)
    assert not found.rejected
    return list(found.contrasts)
