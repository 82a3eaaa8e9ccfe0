"""Models as training takes and leaves them: plain folders with safetensors, read into sentence-transformers' classes.

Low-rank additions to linear layers (Hu et al. 2021) come from peft; a checkpoint has them added in.
"""

# torch takes seconds to import, and a wrong recipe is told without it.
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
"""A CrossEncoder or a SentenceTransformer; their stubs are not read here."""
_UNSAID_LABELS = 2  # of a configuration that does not list them
_UNSAID_LENGTH = 512  # tokens, where neither model nor tokenizer has a limit
_HEADS = ("classifier", "score")
_ADAPTER = "default"
_INJECTED = re.compile(rf"\.base_layer|\.lora_[AB]\.{_ADAPTER}")
_HUGE = 10**9  # a tokenizer that has no limit says so by a larger number


def open_start(settings: StartSettings) -> ModelFolder:
    """The folder that training starts from; what can be refused without its weights, is."""
    folder = ModelFolder(find_weights(settings.model))
    folder.refuse_pickle()
    if settings.kind == "cross" and has_head(folder) and settings.head == "auto":
        labels = folder.json("config.json").get("id2label")
        count = len(labels) if isinstance(labels, dict) else _UNSAID_LABELS
        if count != 1:
            raise UserError(
                f"{folder.path}: its head has {count} labels, and a reranker has one score. Say `head: fresh`."
            )
    return folder


def has_head(folder: ModelFolder) -> bool:
    """Whether the folder is a sequence classifier already."""
    return any(name.endswith("ForSequenceClassification") for name in folder.architectures)


def write_start(settings: StartSettings, folder: ModelFolder, out: Path, seed: int) -> None:
    """The first checkpoint: the model as training begins; the seed decides its head where it has none of its own."""
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
    """One score; with a fresh head all that the folder has beyond its encoder begins anew."""
    from transformers import AutoModelForSequenceClassification

    fresh = head == "fresh"
    model: Any = AutoModelForSequenceClassification.from_pretrained(
        folder.path, num_labels=1, local_files_only=True, use_safetensors=True, ignore_mismatched_sizes=fresh
    )
    if fresh:
        begun = AutoModelForSequenceClassification.from_config(model.config).state_dict()
        inside = f"{model.base_model_prefix}."
        heads = {name: tensor for name, tensor in begun.items() if not name.startswith(inside)}
        model.load_state_dict(heads, strict=False)
    return model


def readable_length(model: Any, tokenizer: Any) -> int:  # noqa: ANN401
    """Most tokens that the model has positions for; of one that counts otherwise, what its tokenizer says."""
    limits = (position_limit(model), getattr(model.config, "max_position_embeddings", None))
    known = [limit for limit in limits if limit is not None and limit > 0]
    own = int(tokenizer.model_max_length)
    return min(known, default=own if own < _HUGE else _UNSAID_LENGTH)


def load_model(folder: Path, kind: ModelKind, length: int | None, device: str) -> LibraryModel:
    """The library's model of a checkpoint, in full precision."""
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
    """A checkpoint: `weights`, by name, stand in place of the model's own; half of the bytes with `half`."""
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
    """The plain files of a classifier: configuration, weights, tokenizer."""
    with whole_folder(out) as fresh, quiet():
        model.save_pretrained(fresh)
        tokenizer.save_pretrained(fresh)


@contextmanager
def quiet() -> Iterator[None]:
    """Keeps the libraries' own lines and bars out of the way."""
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
    """Put the additions into the model; they and a classifier's head move, nothing else does."""
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
    """What a weight, or the one that an addition is for, is called without additions."""
    return _INJECTED.sub("", name)


def merged_weights(model: LibraryModel) -> dict[str, torch.Tensor]:
    """All weights under the names they have without additions, with the additions added in; on the processor."""
    weights = {
        plain_name(name): tensor.detach().cpu() for name, tensor in model.state_dict().items() if ".lora_" not in name
    }
    for name, module in model.named_modules():
        if hasattr(module, "get_delta_weight") and hasattr(module, "base_layer"):
            addition = module.get_delta_weight(_ADAPTER).detach().cpu()
            weights[f"{name}.weight"] = weights[f"{name}.weight"] + addition
    return weights
