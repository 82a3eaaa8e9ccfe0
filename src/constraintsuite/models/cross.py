"""Cross-encoders: a query and a text are read together, and the score is the model's raw logit."""

# ruff: noqa: PLC0415 - a backend is imported when it is chosen

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import TransformerSettings, choose_backend
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.weights import find_weights


class CrossSettings(TransformerSettings):
    """The options that a user can give to `cross` besides those of every transformer."""

    label: str | None = Field(
        None, description="number or name of the label that means relevant; needed if there are several"
    )


def make_cross(name: ModelName, bench: Workbench) -> Scorer:
    """`cross:NAME_OR_FOLDER`, a sequence classifier that reads pairs."""
    settings = name.settings(CrossSettings)
    folder = find_weights(name.argument, settings.precision, settings.revision)

    def onnx() -> Scorer:
        from constraintsuite.models.onnx.crossencoder import OnnxCross

        return OnnxCross(folder, settings, bench)

    def torch() -> Scorer:
        from constraintsuite.models.torch.crossencoder import make_torch_cross

        return make_torch_cross(folder, settings, bench)

    scorer = choose_backend(settings, onnx, torch)
    scorer.name = str(name)
    return scorer


def choose_label(label: str | None, names: Mapping[int, str], count: int, where: str) -> int:
    """Which of a classifier's logits is the score: the only one, or the one that `label` names; never a guess."""
    known = {number: names.get(number, f"LABEL_{number}") for number in range(count)}
    listed = ", ".join(f"{number} ({text})" for number, text in known.items())
    if label is None:
        if count == 1:
            return 0
        raise UserError(f"{where}: the model has {count} labels: {listed}. Say which means relevant: label=NUMBER.")
    for number, text in known.items():
        if label in (str(number), text):
            return number
    raise UserError(f"{where}: there is no label {label!r}. There are: {listed}.")
