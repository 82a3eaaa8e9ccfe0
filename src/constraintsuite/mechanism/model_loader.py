"""Load a reranker by its model string, and check every invariant on it."""

# ruff: noqa: PLC0415 - torch takes seconds to import, and a wrong model name is reported before that

from __future__ import annotations

from dataclasses import replace

from constraintsuite.core.errors import UserError, prefixed_errors
from constraintsuite.mechanism.families import ModelFamily, find_family
from constraintsuite.mechanism.invariants import check_invariants
from constraintsuite.mechanism.loaded_model import LoadedModel
from constraintsuite.models.backends import CrossSettings, choose_label
from constraintsuite.models.model_names import parse_model
from constraintsuite.models.onnx.layout import read_default_prompt
from constraintsuite.models.torch.classifier import load_classifier
from constraintsuite.models.torch.device import fix_threads, pick_device
from constraintsuite.models.torch.folder import ModelFolder, need_torch
from constraintsuite.models.torch.settings import fingerprint_of
from constraintsuite.models.weights import find_weights


def load_model(name: str) -> LoadedModel:
    """Load the model of a string such as `cross:FOLDER`, in fp32.

    A family whose sites are not known is refused, and so is a model that fails an invariant.
    """
    need_torch("Looking into a model")
    parsed = parse_model(name)
    if parsed.family != "cross":
        raise UserError(f"{name}: only rerankers that read query and text together can be analysed: cross:FOLDER.")
    settings = parsed.settings(CrossSettings)
    if settings.backend == "onnx" or settings.file or settings.precision != "fp32":
        raise UserError(f"{name}: models are analysed with torch, in fp32. Leave backend, file and precision out.")
    folder = ModelFolder(find_weights(parsed.argument, settings.precision, settings.revision))
    family = _family_of(folder)
    fix_threads(settings.threads)
    # With the last layer in full: a trimmed one has sites at the first token only.
    classifier = load_classifier(
        folder.path, pick_device(settings.device), "fp32", settings.length, settings.trust, trimmed=False
    )
    module = classifier.model
    module.requires_grad_(False)
    module.config.use_cache = False  # nothing is generated, so keys need not be kept
    label = choose_label(settings.label, module.config.id2label, module.config.num_labels, name)
    model = LoadedModel(name, classifier, label, family, fingerprint_of("subject", folder, settings))
    model = replace(model, bare_blocks=_returns_tensors(model))
    return replace(model, invariants=check_invariants(model, folder.path, trust=settings.trust))


def _family_of(folder: ModelFolder) -> ModelFamily:
    """The family of the model in a folder; a model that cannot be analysed is refused before its weights are read."""
    folder.refuse_pickle()
    with prefixed_errors(str(folder.path)):
        family = find_family(str(folder.json("config.json").get("model_type")))
    if read_default_prompt(folder.path):
        raise UserError(f"{folder.path}: its files put a prompt before each query, which is not supported here.")
    return family


def _returns_tensors(model: LoadedModel) -> bool:
    """Whether the first block returns a tensor and not a tuple: versions of transformers differ."""
    import torch

    found: list[bool] = []
    hook = model.blocks[0].register_forward_hook(
        lambda _module, _given, result: found.append(isinstance(result, torch.Tensor))
    )
    try:
        with torch.no_grad():
            model.scores(model.inputs([("a", "b")]))
    finally:
        hook.remove()
    return found[0]
