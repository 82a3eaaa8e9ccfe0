"""The steps from tokens to a vector, read from the files of a sentence-transformers folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from pydantic import RootModel

from constraintsuite.core.errors import UserError
from constraintsuite.models.backends import ROLE_PROMPTS, DenseSettings, OnnxUnsupportedError, Pooling, Similarity
from constraintsuite.models.base import TextRole
from constraintsuite.models.onnx.folder import FileContent, place_in, read_content, read_optional, weight_files

# The older keys for pooling, in the order in which several vectors are concatenated.
_FLAGS: Mapping[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_ACTIVATIONS: Mapping[str, Literal["tanh", "none"]] = {
    "torch.nn.modules.activation.Tanh": "tanh",
    "torch.nn.modules.linear.Identity": "none",
}


@dataclass(frozen=True)
class DenseLayer:
    """A linear layer after pooling."""

    folder: Path
    activation: Literal["tanh", "none"]


@dataclass(frozen=True)
class SentenceLayout:
    """The steps from tokens to a vector."""

    transformer: Path
    """The folder with the transformer's own files."""
    pooling: tuple[Pooling, ...]
    """The vectors of several modes are concatenated."""
    after: tuple[DenseLayer | Literal["normalize"], ...]
    """The steps after pooling, in order."""
    prompts: Mapping[TextRole, str]
    similarity: Similarity


class _Module(FileContent):
    type: str
    path: str = ""


class _Modules(RootModel[tuple[_Module, ...]]):
    """`modules.json`."""


class _PoolingConfig(FileContent, extra="allow"):
    pooling_mode: str | tuple[str, ...] | None = None
    include_prompt: bool = True


class _SentenceConfig(FileContent):
    prompts: Mapping[str, str | None] = {}
    default_prompt_name: str | None = None
    similarity_fn_name: Similarity | None = None
    truncate_dim: int | None = None


class _DenseConfig(FileContent):
    activation_function: str = "torch.nn.modules.activation.Tanh"
    module_input_name: str = "sentence_embedding"
    module_output_name: str | None = None
    use_residual: bool = False


def read_layout(folder: Path, settings: DenseSettings) -> SentenceLayout:
    """The layout of a folder, completed by the options."""
    modules = _modules(folder)
    transformer = place_in(folder, modules[0].path)
    pooling, rest = _pooling(folder, modules[1:], settings)
    config = _sentence_config(folder)
    if config.truncate_dim is not None:
        raise OnnxUnsupportedError(f"{folder}: truncate_dim, cutting vectors short, is left to torch.")
    return SentenceLayout(
        transformer=transformer,
        pooling=pooling,
        after=tuple(_after(folder, module) for module in rest),
        prompts=_prompts(config, settings),
        similarity=config.similarity_fn_name or "cosine",
    )


def read_cross_prompt(folder: Path) -> str:
    """The prompt before each query of a cross-encoder; another kind of folder is an error."""
    kinds = [_kind(module) for module in _modules(folder)]
    if "Pooling" in kinds:
        raise UserError(f"{folder}: there is no scoring head, so this is not a cross-encoder. It is for dense:...")
    if len(kinds) > 1:
        raise OnnxUnsupportedError(f"{folder}: a cross-encoder of several modules is left to torch.")
    return read_default_prompt(folder)


def read_default_prompt(folder: Path) -> str:
    """The default prompt of sentence-transformers for a cross-encoder."""
    config = _sentence_config(folder)
    return (config.prompts.get(config.default_prompt_name) if config.default_prompt_name else None) or ""


def _modules(folder: Path) -> list[_Module]:
    file = folder / "modules.json"
    if not file.is_file():
        if not (folder / "config.json").is_file():
            raise UserError(
                f"{folder}: there is neither modules.json nor config.json, so this is not the folder of a model."
            )
        return [_Module(type="Transformer")]
    modules = list(read_content(file, _Modules).root)
    if not modules or _kind(modules[0]) != "Transformer":
        raise OnnxUnsupportedError(f"{file}: the first module is not a Transformer.")
    return modules


def _pooling(
    folder: Path, modules: list[_Module], settings: DenseSettings
) -> tuple[tuple[Pooling, ...], list[_Module]]:
    """The pooling modes, and the modules after them."""
    if modules and _kind(modules[0]) == "Pooling":
        own, rest = _own_pooling(place_in(folder, modules[0].path) / "config.json"), modules[1:]
        if settings.pooling is not None and (settings.pooling,) != own:
            raise UserError(f"{folder}: pooling={settings.pooling}, but its files say {'+'.join(own)}. Leave it out.")
        return own, rest
    return (settings.require_pooling(folder),), modules


def _own_pooling(file: Path) -> tuple[Pooling, ...]:
    config = read_content(file, _PoolingConfig)
    if not config.include_prompt:
        raise OnnxUnsupportedError(f"{file}: leaving the prompt out of the pooling is left to torch.")
    flagged = [name for flag, name in _FLAGS.items() if getattr(config, flag, False)]
    mode = config.pooling_mode or flagged or ("mean",)
    modes = (mode,) if isinstance(mode, str) else tuple(mode)
    if unknown := set(modes) - set(_FLAGS.values()):
        raise OnnxUnsupportedError(f"{file}: pooling {min(unknown)!r} is not known.")
    return cast(tuple[Pooling, ...], modes)


def _after(folder: Path, module: _Module) -> DenseLayer | Literal["normalize"]:
    kind = _kind(module)
    if kind == "Normalize":
        return "normalize"
    if kind != "Dense":
        raise OnnxUnsupportedError(f"{folder}: a module of kind {kind} after the pooling is left to torch.")
    place = place_in(folder, module.path)
    config = read_content(place / "config.json", _DenseConfig)
    plain = config.module_input_name == (config.module_output_name or config.module_input_name) == "sentence_embedding"
    if config.activation_function not in _ACTIVATIONS or config.use_residual or not plain:
        raise OnnxUnsupportedError(f"{place}: a Dense layer of this kind is left to torch.")
    if not weight_files(place):
        raise OnnxUnsupportedError(f"{place}: there is no model.safetensors.")
    return DenseLayer(place, _ACTIVATIONS[config.activation_function])


def _sentence_config(folder: Path) -> _SentenceConfig:
    return read_optional(folder / "config_sentence_transformers.json", _SentenceConfig)


def _prompts(config: _SentenceConfig, settings: DenseSettings) -> Mapping[TextRole, str]:
    """The prompt of each role: the option, else the folder's. The default prompt of the library belongs to no role."""
    options: Mapping[TextRole, str | None] = {"query": settings.query_prompt, "document": settings.document_prompt}
    prompts: dict[TextRole, str] = {}
    for role, names in ROLE_PROMPTS.items():
        own = next((config.prompts[name] for name in names if name in config.prompts), None)
        prompts[role] = (own if options[role] is None else options[role]) or ""
    return prompts


def _kind(module: _Module) -> str:
    return module.type.rpartition(".")[2]
