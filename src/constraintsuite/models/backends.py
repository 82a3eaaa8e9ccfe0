"""Transformers run on ONNX Runtime or on torch: the options that both have, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
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
"""What folders call the prompt of a role; the first that is there counts."""


class NotForOnnx(UserError):  # noqa: N818 - a reason to take the other backend; an error only where there is none
    """ONNX Runtime cannot run this model as asked; the message says why."""


class TransformerSettings(ModelSettings):
    """What can be said of any transformer, whatever runs it."""

    backend: Literal["auto", "onnx", "torch"] = Field(
        "auto", description="auto (ONNX Runtime where it can run the model, else torch), onnx or torch"
    )
    precision: Precision = Field("fp32", description="fp32, int8 (a quantised ONNX file), bf16 or fp16 (torch)")
    length: int | None = Field(None, ge=3, description="most tokens read, by default what the model's files say")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto, cpu or cuda (torch)")
    revision: str = Field("", description="commit or branch of the model hub, where the model lies in the hub's cache")
    trust: bool = Field(False, description="yes lets the model's own Python code run (torch)")
    file: str = Field("", description="an ONNX file in the model's folder, to be run as it is")
    batch_tokens: int | None = Field(None, ge=1, description="tokens in a batch, padding included")
    threads: int | None = Field(None, ge=1, description="processor threads, by default one a core")


class DenseSettings(TransformerSettings):
    """The options that a user can give to `dense` besides those of every transformer."""

    pooling: Pooling | None = Field(None, description="how token vectors become one, where the folder does not say it")
    similarity: Similarity | None = Field(
        None, description="cosine, dot, euclidean or manhattan, by default what the folder says, else cosine"
    )
    query_prompt: str | None = Field(None, description="put before each query, by default what the folder says")
    document_prompt: str | None = Field(None, description="put before each text, by default what the folder says")


class CrossSettings(TransformerSettings):
    """The options that a user can give to `cross` besides those of every transformer."""

    label: str | None = Field(
        None, description="number or name of the label that means relevant; needed if there are several"
    )


def choose_backend(settings: TransformerSettings, onnx: Callable[[], T], torch: Callable[[], T]) -> T:
    """What the first backend that can run the model makes; the same on every machine that has both."""
    if settings.backend == "torch":
        return _with_torch(settings, torch, "backend=torch")
    try:
        return onnx()
    except NotForOnnx as reason:
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
