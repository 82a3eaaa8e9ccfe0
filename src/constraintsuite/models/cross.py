"""Cross-encoders: the model reads query and text together, and the score is its raw logit."""

# ruff: noqa: PLC0415 - only the chosen backend is imported

from __future__ import annotations

from constraintsuite.models.backends import CrossSettings, choose_backend
from constraintsuite.models.base import Scorer, Workbench
from constraintsuite.models.model_names import ModelName
from constraintsuite.models.weights import find_weights


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
