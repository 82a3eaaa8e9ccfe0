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
from constraintsuite.models.torch.loading import check_length, load_tokenizer, loading
from constraintsuite.models.weights import find_weights
from constraintsuite.store.files import whole_folder
from constraintsuite.tuning.recipe import ModelKind, StartSettings
from constraintsuite.tuning.shrinking import shrink

if TYPE_CHECKING:
    import torch

LibraryModel = Any
"""A CrossEncoder or a SentenceTransformer; their stubs are not read here."""


def open_start(settings: StartSettings) -> ModelFolder:
    """The folder that training starts from; what can be refused without its weights, is."""
    folder = ModelFolder(find_weights(settings.model))
    folder.refuse_pickle()
    if settings.kind == "cross" and has_head(folder) and settings.head == "auto":
        labels = folder.json("config.json").get("id2label")
        if isinstance(labels, dict) and len(labels) != 1:
            raise UserError(
                f"{folder.path}: its head has {len(labels)} labels, and a reranker has one score. Say `head: fresh`."
            )
    return folder


def has_head(folder: ModelFolder) -> bool:
    """Whether the folder is a sequence classifier already."""
    return any(name.endswith("ForSequenceClassification") for name in folder.architectures)


def write_start(settings: StartSettings, folder: ModelFolder, out: Path, seed: int) -> None:
    """The first checkpoint: the model as training begins, with a head that the seed decides where it has none."""
    import torch

    with loading(folder.path), torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _classifier(folder) if settings.kind == "cross" else load_model(folder.path, "dense", None, "cpu")
        if settings.kind == "cross":
            tokenizer = load_tokenizer(folder.path, trust=False)
            tokenizer.backend_tokenizer.no_truncation()
            tokenizer.backend_tokenizer.no_padding()
            if settings.shrink is not None:
                model, tokenizer = shrink(model, tokenizer, settings.shrink)
            tokenizer.model_max_length = int(getattr(model.config, "max_position_embeddings", 512))
            save_parts(out, model, tokenizer)
        else:
            save_model(model, "dense", out, None)


def _classifier(folder: ModelFolder) -> torch.nn.Module:
    from transformers import AutoModelForSequenceClassification

    model: torch.nn.Module = AutoModelForSequenceClassification.from_pretrained(
        folder.path, num_labels=1, local_files_only=True, use_safetensors=True, ignore_mismatched_sizes=True
    )
    return model


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
        tokenizer = model.tokenizer
        length, tokenizer.model_max_length = tokenizer.model_max_length, model.model.config.max_position_embeddings
        save_parts(out, model.model, tokenizer)
        tokenizer.model_max_length = length
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
