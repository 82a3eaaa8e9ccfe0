"""The files of a transformer's folder: configuration, limits, weights and their tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeVar

import numpy as np
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import describe
from constraintsuite.models.backends import OnnxUnsupportedError, TransformerSettings
from constraintsuite.models.onnx.pooling import Floats
from constraintsuite.models.tokenization import Padding

M = TypeVar("M", bound=BaseModel)
INDEX = "model.safetensors.index.json"
_WHOLE = ("F32", "F16", "F64")
# The names of normalisation weights in old checkpoints.
_OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}


class FileContent(BaseModel):
    """A JSON file of a model; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TransformerConfig(FileContent):
    """`config.json`, with BERT's or DistilBERT's keys."""

    model_type: str
    layers: int = Field(0, validation_alias=AliasChoices("num_hidden_layers", "n_layers"))
    heads: int = Field(0, validation_alias=AliasChoices("num_attention_heads", "n_heads"))
    activation: str = Field("gelu", validation_alias=AliasChoices("hidden_act", "activation"))
    norm_epsilon: float = Field(1e-12, validation_alias="layer_norm_eps")
    positions: int | None = Field(None, validation_alias="max_position_embeddings")
    position_embedding_type: str = "absolute"
    pad_token_id: int | None = None
    id2label: Mapping[int, str] = {}
    is_decoder: bool = False

    @property
    def counts_after_padding(self) -> bool:
        """Whether positions begin after the number of the padding token, as in RoBERTa."""
        return self.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet")

    @property
    def padding(self) -> Padding:
        """The padding, which the mask hides, but by which some models count positions."""
        return Padding(token=int(self.counts_after_padding) if self.pad_token_id is None else self.pad_token_id)

    @property
    def room(self) -> int | None:
        """The number of tokens that have positions; None if it is not known."""
        if self.positions is None or self.positions < 0:
            return None
        return self.positions - (self.padding.token + 1 if self.counts_after_padding else 0)


class _Index(FileContent):
    """The file of each tensor, for models with several files."""

    weight_map: Mapping[str, str]


class TokenizerConfig(FileContent):
    """`tokenizer_config.json`: the length limit and the inputs."""

    model_max_length: float | None = None
    """A huge number if there is no limit."""
    model_input_names: tuple[str, ...] | None = None
    tokenizer_class: str | None = None

    @property
    def numbers_pairs(self) -> bool:
        """Whether the model takes token types, which tell query and text apart; as transformers 5 decides it."""
        if self.model_input_names is not None:
            return "token_type_ids" in self.model_input_names
        return self.tokenizer_class is None or self.tokenizer_class.startswith(("Bert", "Electra"))


class TextConfig(FileContent):
    """`sentence_bert_config.json` and similar files: how texts are read."""

    max_seq_length: int | None = None
    do_lower_case: bool = False


def read_content(file: Path, kind: type[M]) -> M:
    """Read a JSON file. Raises UserError if it is missing or invalid."""
    try:
        return kind.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{file}: there is no such file, so this is not the folder of a model.") from None
    except ValidationError as error:
        raise UserError(f"{file}: {describe(error)}") from None


def read_optional(file: Path, kind: type[M]) -> M:
    """As `read_content`, with the defaults if there is no file."""
    return read_content(file, kind) if file.is_file() else kind()


def place_in(folder: Path, relative: str) -> Path:
    """The path of a relative name in a folder. Raises UserError if it leads out of the folder."""
    path = PurePosixPath(relative)
    if path.is_absolute() or ".." in path.parts:
        raise UserError(f"{folder}: {relative!r} leads out of the folder.")
    return folder / path


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a model, sorted; empty if it has none."""
    single, index = folder / "model.safetensors", folder / INDEX
    if single.is_file():
        return [single]
    if index.is_file():
        names = sorted(set(read_content(index, _Index).weight_map.values()))
        return [place_in(folder, name) for name in names]
    return []


def tokenizer_file(folder: Path) -> Path:
    """The file of the fast tokenizer; other kinds need transformers."""
    file = folder / "tokenizer.json"
    if not file.is_file():
        raise OnnxUnsupportedError(f"{file}: there is no such file, and older kinds of tokenizer need transformers.")
    return file


def tokenizer_config(folder: Path) -> TokenizerConfig:
    """The configuration of the tokenizer."""
    return read_optional(folder / "tokenizer_config.json", TokenizerConfig)


def read_text_config(folder: Path) -> TextConfig:
    """The configuration of sentence-transformers for texts."""
    files = sorted(folder.glob("sentence_*_config.json"))
    return read_content(files[0], TextConfig) if files else TextConfig()


def choose_length(folder: Path, config: TransformerConfig, own: int | None, settings: TransformerSettings) -> int:
    """The length limit: the option, else the model's own setting, else the limit of tokenizer and positions."""
    room = config.room
    if settings.length is not None:
        if room is not None and settings.length > room:
            raise UserError(f"{folder}: length={settings.length}, but the model has positions for {room} tokens.")
        return settings.length
    declared = tokenizer_config(folder).model_max_length if own is None else own
    limits = [limit for limit in (declared, room) if limit is not None]
    if not limits or min(limits) > 1_000_000:
        raise UserError(f"{folder}: its files do not say how many tokens the model reads. Say it: length=N.")
    return int(min(limits))


def refuse_torch_settings(folder: Path, settings: TransformerSettings) -> None:
    """Raise OnnxUnsupportedError for settings that only torch supports."""
    if settings.precision in ("bf16", "fp16"):
        raise OnnxUnsupportedError(
            f"{folder}: ONNX Runtime computes in fp32 or int8 here, not in {settings.precision}."
        )
    if settings.device == "cuda":
        raise OnnxUnsupportedError(f"{folder}: ONNX Runtime runs on the processor here, not on device=cuda.")
    if settings.trust:
        raise OnnxUnsupportedError(f"{folder}: trust=yes is for models that bring their own Python code.")


def read_shapes(files: Sequence[Path]) -> Mapping[str, tuple[int, ...]]:
    """The shape of every tensor; reads only the header of each file."""
    shapes: dict[str, tuple[int, ...]] = {}
    for file in files:
        try:
            with safe_open(file, framework="np") as tensors:
                for name in tensors.keys():  # noqa: SIM118 - no mapping, though it looks like one
                    shapes[_current(name)] = tuple(tensors.get_slice(name).get_shape())
        except (OSError, SafetensorError) as error:
            raise UserError(f"{file}: this is not a safetensors file that can be read ({error}).") from None
    return shapes


def read_tensors(files: Sequence[Path]) -> Mapping[str, Floats]:
    """Every floating-point tensor as fp32."""
    arrays: dict[str, Floats] = {}
    for file in files:
        with safe_open(file, framework="np") as tensors:
            for name in tensors.keys():  # noqa: SIM118
                kind = tensors.get_slice(name).get_dtype()
                if kind == "BF16":
                    raise OnnxUnsupportedError(f"{file}: the weights are bf16, which is left to torch.")
                if kind in _WHOLE:
                    arrays[_current(name)] = np.asarray(tensors.get_tensor(name), dtype=np.float32)
    return arrays


def _current(name: str) -> str:
    for old, new in _OLD_NAMES.items():
        name = name.replace(old, new)
    return name
