"""Models as training takes and leaves them: plain folders with safetensors, read into sentence-transformers' classes."""

# torch takes seconds to import, and a wrong recipe is told without it.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraintsuite.errors import UserError
from constraintsuite.models.torch.folder import ModelFolder
from constraintsuite.models.torch.loading import check_length, load_tokenizer, loading, position_limit
from constraintsuite.models.weights import find_weights
from constraintsuite.store.files import whole_folder
from constraintsuite.tuning.recipe import HeadChoice, ModelKind, StartSettings
from constraintsuite.tuning.shrinking import shrink

if TYPE_CHECKING:
    import torch

LibraryModel = Any
"""A CrossEncoder or a SentenceTransformer; their stubs are not read here."""
_UNSAID_LABELS = 2  # of a configuration that does not list them
_UNSAID_LENGTH = 512  # tokens, where neither model nor tokenizer has a limit
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
        model = (
            _classifier(folder, settings.head)
            if settings.kind == "cross"
            else load_model(folder.path, "dense", None, "cpu")
        )
        if settings.kind == "cross":
            tokenizer = load_tokenizer(folder.path, trust=False)
            tokenizer.backend_tokenizer.no_truncation()
            tokenizer.backend_tokenizer.no_padding()
            if settings.shrink is not None:
                model, tokenizer = shrink(model, tokenizer, settings.shrink)
            tokenizer.model_max_length = readable_length(model, tokenizer)
            save_parts(out, model, tokenizer)
        else:
            save_model(model, "dense", out, None)


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
    classifier: torch.nn.Module = model
    return classifier


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
