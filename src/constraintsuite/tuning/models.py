"""Models of training: plain folders with safetensors, loaded into the classes of sentence-transformers.

Low-rank additions to linear layers (Hu et al. 2021) come from peft; they are merged into a checkpoint.
"""

# torch takes seconds to import, and a wrong recipe is reported without it.
# ruff: noqa: PLC0415

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import whole_folder
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.loader import check_length, load_tokenizer, loading, position_limit
from constraintsuite.models.weights import find_weights
from constraintsuite.tuning.losses import ModelKind
from constraintsuite.tuning.recipe import HeadChoice, LoraSettings, StartSettings
from constraintsuite.tuning.smaller_model import shrink

if TYPE_CHECKING:
    import torch

LibraryModel = Any
"""A CrossEncoder or a SentenceTransformer."""
_UNSAID_LENGTH = 512  # tokens, where neither model nor tokenizer has a limit
_HEADS = ("classifier", "score")
_ADAPTER = "default"
_INJECTED = re.compile(rf"\.base_layer|\.lora_[AB]\.{_ADAPTER}")
_HUGE = 10**9  # a tokenizer without a limit has a larger number


def open_start(settings: StartSettings) -> ModelFolder:
    """The folder that training starts from; whatever can be refused without reading weights is refused."""
    folder = ModelFolder(find_weights(settings.model))
    folder.refuse_pickle()
    if settings.kind == "cross" and has_head(folder) and settings.head == "auto":
        count = len(folder.labels)
        if count != 1:
            raise UserError(
                f"{folder.path}: its head has {count} labels, and a reranker has one score. Say `head: fresh`."
            )
    return folder


def has_head(folder: ModelFolder) -> bool:
    """Whether the model is a sequence classifier already."""
    return any(name.endswith("ForSequenceClassification") for name in folder.architectures)


def write_start(settings: StartSettings, folder: ModelFolder, out: Path, seed: int) -> None:
    """Write the first checkpoint: the start model; the seed decides its head if it has none."""
    import torch

    with loading(folder.path), torch.random.fork_rng():
        torch.manual_seed(seed)
        if settings.kind == "dense":
            save_model(load_model(folder.path, "dense", None, "cpu"), "dense", out, None)
            return
        model: Any = _classifier(folder, settings.head)
        tokenizer = load_tokenizer(folder.path, trust=False)
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
        if settings.shrink is not None:
            model, tokenizer = shrink(model, tokenizer, settings.shrink)
        tokenizer.model_max_length = readable_length(model, tokenizer)
        save_parts(out, model, tokenizer)


def _classifier(folder: ModelFolder, head: HeadChoice) -> torch.nn.Module:
    """A classifier with one score; with a fresh head, everything above the encoder is initialised again."""
    from transformers import AutoModelForSequenceClassification

    fresh = head == "fresh"
    model: Any = AutoModelForSequenceClassification.from_pretrained(
        folder.path, num_labels=1, local_files_only=True, use_safetensors=True, ignore_mismatched_sizes=fresh
    )
    if fresh:
        initialised = AutoModelForSequenceClassification.from_config(model.config).state_dict()
        inside = f"{model.base_model_prefix}."
        heads = {name: tensor for name, tensor in initialised.items() if not name.startswith(inside)}
        model.load_state_dict(heads, strict=False)
    return model


def readable_length(model: Any, tokenizer: Any) -> int:  # noqa: ANN401
    """The number of tokens that the model has positions for, or else the limit of its tokenizer."""
    limits = (position_limit(model), getattr(model.config, "max_position_embeddings", None))
    known = [limit for limit in limits if limit is not None and limit > 0]
    own = int(tokenizer.model_max_length)
    return min(known, default=own if own < _HUGE else _UNSAID_LENGTH)


def load_model(folder: Path, kind: ModelKind, length: int | None, device: str) -> LibraryModel:
    """Load a checkpoint as a model of the library, in full precision."""
    import torch
    from sentence_transformers import CrossEncoder, SentenceTransformer

    places = {"device": device, "local_files_only": True}
    options = {"model_kwargs": {"dtype": torch.float32, "use_safetensors": True}}
    with loading(folder):
        if kind == "cross":
            model = CrossEncoder(str(folder), num_labels=1, max_length=length, **places, **options)
        else:
            model = SentenceTransformer(str(folder), **places, **options)
            if length is not None:
                model.max_seq_length = length
    check_length(length, model, folder)
    return model


def save_model(
    model: LibraryModel, kind: ModelKind, out: Path, weights: Mapping[str, torch.Tensor] | None, *, half: bool = False
) -> None:
    """Write a checkpoint, with `weights` instead of the model's own; with `half` in fp16."""
    import torch

    if weights is not None:
        model.load_state_dict(dict(weights))
    if half:
        model.to(torch.float16)
    if kind == "cross":
        save_parts(out, model.model, model.tokenizer)
    else:
        with whole_folder(out) as fresh, quiet():
            model.save_pretrained(str(fresh), create_model_card=False)


def save_parts(out: Path, model: Any, tokenizer: Any) -> None:  # noqa: ANN401
    """Write the plain files of a classifier: configuration, weights, tokenizer."""
    with whole_folder(out) as fresh, quiet():
        model.save_pretrained(fresh)
        tokenizer.save_pretrained(fresh)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence messages and progress bars of the libraries."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def inject_lora(model: LibraryModel, settings: LoraSettings) -> None:
    """Put low-rank additions into the model; only they and the head of a classifier are trained."""
    from peft import LoraConfig, inject_adapter_in_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(settings.targets),
        exclude_modules=list(_HEADS),
    )
    try:
        inject_adapter_in_model(config, model)
    except ValueError as error:
        raise UserError(
            f"lora: {str(error).partition('.')[0]}. Are `targets` names of the model's linear layers?"
        ) from None
    for name, weight in model.named_parameters():
        weight.requires_grad_("lora_" in name or any(f".{head}." in name for head in _HEADS))


def plain_name(name: str) -> str:
    """The name of a weight in a model without additions; for an addition, the name of the weight that it changes."""
    return _INJECTED.sub("", name)


def merged_weights(model: LibraryModel) -> dict[str, torch.Tensor]:
    """All weights with the additions merged, under their names without additions, on the CPU."""
    weights = {
        plain_name(name): tensor.detach().cpu() for name, tensor in model.state_dict().items() if ".lora_" not in name
    }
    for name, module in model.named_modules():
        if hasattr(module, "get_delta_weight") and hasattr(module, "base_layer"):
            addition = module.get_delta_weight(_ADAPTER).detach().cpu()
            weights[f"{name}.weight"] = weights[f"{name}.weight"] + addition
    return weights
