"""The two backends of transformers, ONNX Runtime and torch: their common options, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.models.base import TextRole
from constraintsuite.models.model_names import ModelSettings

T = TypeVar("T")
Similarity = Literal["cosine", "dot", "euclidean", "manhattan"]
Pooling = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
Precision = Literal["fp32", "bf16", "fp16", "int8"]
ROLE_PROMPTS: Mapping[TextRole, tuple[str, ...]] = {"query": ("query",), "document": ("document", "passage", "corpus")}
"""The names of a role's prompt in a model's folder; the first that exists is used."""


class OnnxUnsupportedError(UserError):
    """ONNX Runtime cannot run this model with these options; the message says why."""


class TransformerSettings(ModelSettings):
    """The options of every transformer, on either backend."""

    backend: Literal["auto", "onnx", "torch"] = Field(
        "auto", description="auto (ONNX Runtime where it can run the model, else torch), onnx or torch"
    )
    precision: Precision = Field("fp32", description="fp32, int8 (a quantised ONNX file), bf16 or fp16 (torch)")
    length: int | None = Field(None, ge=3, description="most tokens read, by default what the model's files say")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto, cpu or cuda (torch)")
    revision: str = Field("", description="commit or branch of the model hub, if the model is in the hub's cache")
    trust: bool = Field(False, description="yes lets the model's own Python code run (torch)")
    file: str = Field("", description="an ONNX file in the model's folder, to be run as it is")
    batch_tokens: int | None = Field(None, ge=1, description="tokens in a batch, padding included")
    threads: int | None = Field(None, ge=1, description="processor threads, by default one a core")


class DenseSettings(TransformerSettings):
    """The options of `dense`."""

    pooling: Pooling | None = Field(None, description="how token vectors become one, where the folder does not say it")
    similarity: Similarity | None = Field(
        None, description="cosine, dot, euclidean or manhattan, by default what the folder says, else cosine"
    )
    query_prompt: str | None = Field(None, description="put before each query, by default what the folder says")
    document_prompt: str | None = Field(None, description="put before each text, by default what the folder says")

    def require_pooling(self, folder: Path) -> Pooling:
        """The option `pooling`, for a folder that does not say it. Raises UserError if the option is missing too."""
        if self.pooling is None:
            raise UserError(
                f"{folder}: there is no modules.json with a Pooling, so it does not say how a text becomes one vector. "
                "Say it if you know it: pooling=mean or pooling=cls."
            )
        return self.pooling


class CrossSettings(TransformerSettings):
    """The options of `cross`."""

    label: str | None = Field(
        None, description="number or name of the label that means relevant; needed if there are several"
    )


def choose_backend(settings: TransformerSettings, onnx: Callable[[], T], torch: Callable[[], T]) -> T:
    """The model on the first backend that can run it; the same choice on every machine that has both."""
    if settings.backend == "torch":
        return _with_torch(settings, torch, "backend=torch")
    try:
        return onnx()
    except OnnxUnsupportedError as reason:
        if settings.backend == "onnx" or settings.precision == "int8" or settings.file:
            raise
        return _with_torch(settings, torch, f"{reason} Running it with torch")


def _with_torch(settings: TransformerSettings, torch: Callable[[], T], purpose: str) -> T:
    if settings.precision == "int8" or settings.file:
        raise UserError("precision=int8 and file=... are of ONNX Runtime. Leave backend=torch out, or these.")
    if find_spec("torch") is None:
        raise MissingExtraError("torch", purpose)
    return torch()


def choose_label(label: str | None, names: Mapping[int, str], count: int, where: str) -> int:
    """The number of the logit that is the score: the only one, or the one that `label` names."""
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
