"""The ONNX graph of a model: written once from its safetensors and cached, or an ONNX file of its folder."""

# ruff: noqa: PLC0415 - the library is imported only to write or inspect a graph

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.download import cache_entry, cache_folder
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.models.backends import OnnxUnsupportedError, TransformerSettings
from constraintsuite.models.onnx.architectures import Architecture, architecture_of
from constraintsuite.models.onnx.folder import TransformerConfig, place_in, read_shapes, read_tensors, weight_files

if TYPE_CHECKING:
    import onnx

Purpose = Literal["encoder", "classifier"]
_QUANTISED = ("onnx/model_quantized.onnx", "model_quantized.onnx", "onnx/model_int8.onnx")
_WHOLE = ("onnx/model.onnx", "model.onnx")
_INT8_STEPS = {"DynamicQuantizeLinear", "QuantizeLinear", "DequantizeLinear", "MatMulInteger", "QLinearMatMul"}


@dataclass(frozen=True)
class GivenGraph:
    """An ONNX file in the model's folder."""

    file: Path
    precision: Literal["fp32", "int8"]

    @cached_property
    def hashes(self) -> Mapping[str, str]:
        """The SHA-256 of the file, and of the files that hold its tensors."""
        folder = self.file.parent
        names = [self.file.name, *sorted(_places(_read(self.file)))]
        absent = [name for name in names if not place_in(folder, name).is_file()]
        if absent:
            raise UserError(f"{self.file}: the external tensor file {absent[0]} is missing. Put it in the same folder.")
        return {name: sha256_of(place_in(folder, name)) for name in names}

    @property
    def fingerprint(self) -> str:
        """Hash of all these files."""
        return sha256_text(*self.hashes.values())

    def graph_file(self) -> Path:
        """The file. Raises UserError if its precision is not the requested one."""
        found = _precision_of(self.file)
        if found == "fp16":
            raise UserError(f"{self.file}: it computes in fp16, which is not run from an ONNX file here. Name another.")
        if found != self.precision:
            raise UserError(f"{self.file}: it computes in {found}. Say so: precision={found}.")
        return self.file


@dataclass(frozen=True)
class WrittenGraph:
    """A graph that is written from safetensors at first use."""

    files: tuple[Path, ...]
    config: TransformerConfig
    kind: Architecture
    purpose: Purpose

    @cached_property
    def hashes(self) -> Mapping[str, str]:
        """The SHA-256 of each weight file by name."""
        return {file.name: sha256_of(file) for file in self.files}

    @property
    def fingerprint(self) -> str:
        """Hash of the weights, the configuration and the code that writes the graph."""
        return sha256_text(
            str(REVISIONS["onnx graph"]), self.purpose, self.config.model_dump_json(), *self.hashes.values()
        )

    def graph_file(self) -> Path:
        """The file in the cache, written now if it is missing."""
        import onnx

        target = cache_folder() / "onnx" / self.fingerprint
        if not target.is_dir():
            with cache_entry(target) as folder:
                # Tensors go to their own file, since a protobuf message is limited to 2 GB.
                onnx.save_model(
                    self._model(), folder / "model.onnx", save_as_external_data=True, location="weights.bin"
                )
        return target / "model.onnx"

    def _model(self) -> onnx.ModelProto:
        from constraintsuite.models.onnx.transformer import write_classifier, write_encoder

        write = write_encoder if self.purpose == "encoder" else write_classifier
        return write(self.config, self.kind, read_tensors(self.files))


OnnxGraph = GivenGraph | WrittenGraph


def find_graph(folder: Path, config: TransformerConfig, settings: TransformerSettings, purpose: Purpose) -> OnnxGraph:
    """The graph of a model; an ONNX file is used only if the options ask for it."""
    if settings.file:
        file = place_in(folder, settings.file)
        if not file.is_file():
            raise UserError(f"{file}: there is no such file. There are: {_listed(folder)}.")
        return GivenGraph(file, "int8" if settings.precision == "int8" else "fp32")
    if settings.precision == "int8":
        quantised = [folder / name for name in _QUANTISED if (folder / name).is_file()]
        if not quantised:
            raise OnnxUnsupportedError(
                f"{folder}: there is no quantised ONNX file for precision=int8 (looked for {', '.join(_QUANTISED)}). "
                f"Name another with file=...; there are: {_listed(folder)}."
            )
        return GivenGraph(quantised[0], "int8")
    files = tuple(weight_files(folder))
    if not files:
        whole = next((name for name in _WHOLE if (folder / name).is_file()), None)
        advice = f" An ONNX file is there: file={whole}" if whole else ""
        raise OnnxUnsupportedError(f"{folder}: there is no model.safetensors.{advice}")
    kind = architecture_of(folder, config)
    _check_names(files[0], kind, config, purpose)
    return WrittenGraph(files, config, kind, purpose)


def _check_names(file: Path, kind: Architecture, config: TransformerConfig, purpose: Purpose) -> None:
    """Raise an error if the weights do not have the names of the architecture."""
    shapes = read_shapes(weight_files(file.parent))
    table = "embeddings.word_embeddings.weight"
    if f"{kind.prefix}{table}" not in shapes and table not in shapes:
        raise OnnxUnsupportedError(f"{file}: the weights do not have the names of a {config.model_type} model.")
    if purpose == "classifier" and not {f"{kind.head.first}.weight", f"{kind.head.last}.weight"} <= shapes.keys():
        raise UserError(f"{file}: there is no scoring head, so this is not a cross-encoder. Is it for dense:...?")


def _precision_of(file: Path) -> Literal["fp32", "fp16", "int8"]:
    import onnx

    graph = _read(file).graph
    if any(node.op_type in _INT8_STEPS for node in graph.node):
        return "int8"
    return "fp16" if any(each.data_type == onnx.TensorProto.FLOAT16 for each in graph.initializer) else "fp32"


def _read(file: Path) -> onnx.ModelProto:
    """The graph, without tensors in other files."""
    import onnx

    try:
        return onnx.load(file, load_external_data=False)
    except Exception as error:  # the library raises many kinds of errors
        raise UserError(f"{file}: this is not an ONNX file that can be read ({error}).") from None


def _places(model: onnx.ModelProto) -> set[str]:
    """The names of other files that hold its tensors."""
    steps = [node for function in model.functions for node in function.node]
    tensors = (*_tensors(model.graph), *_tensors_of(steps))
    return {entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    yield from _tensors_of(graph.node)


def _tensors_of(steps: Iterable[onnx.NodeProto]) -> Iterator[onnx.TensorProto]:
    """The tensors in attributes of steps, also inside subgraphs."""
    for attribute in (attribute for step in steps for attribute in step.attribute):
        yield from (attribute.t, *attribute.tensors)
        for inner in (attribute.g, *attribute.graphs):
            yield from _tensors(inner)


def _listed(folder: Path) -> str:
    names = sorted(file.relative_to(folder).as_posix() for file in folder.glob("**/*.onnx"))
    return ", ".join(names) or "none"
