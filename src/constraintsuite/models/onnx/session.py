"""Run a graph with ONNX Runtime, with fixed threads and reproducible results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.cores import cores
from constraintsuite.models.base import OutOfMemory, TextError
from constraintsuite.models.onnx.pooling import Floats
from constraintsuite.models.tokenization import TokenBatch

_MEMORY_WORDS = ("bad_alloc", "failed to allocate", "allocate memory", "out of memory")


class OnnxSession:
    """An open graph."""

    def __init__(self, file: Path, threads: int | None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or cores()
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.use_deterministic_compute = True
        # Idle threads do not keep cores busy.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3  # no warnings; errors are exceptions
        self.file = file
        try:
            self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the library raises nothing narrower
            raise UserError(f"{file}: ONNX Runtime cannot open this graph ({error}).") from None
        self.inputs = [each.name for each in self._session.get_inputs()]
        if unknown := set(self.inputs) - set(TokenBatch._fields):
            raise UserError(f"{file}: the graph wants the input {min(unknown)!r}, which is not known here.")

    def run(self, batch: TokenBatch, output: str, dimensions: int) -> Floats:
        """The output of that name, or else the first output."""
        names = [each.name for each in self._session.get_outputs()]
        feed = {name: getattr(batch, name) for name in self.inputs}
        try:
            (result,) = self._session.run([output if output in names else names[0]], feed)
        except Exception as error:  # the library raises nothing narrower
            if any(word in str(error).lower() for word in _MEMORY_WORDS):
                raise OutOfMemory(str(error)) from None
            raise TextError(f"{self.file}: ONNX Runtime could not run a batch ({error}).") from None
        if result.ndim != dimensions:
            raise UserError(f"{self.file}: the result {output!r} has {result.ndim} dimensions, expected {dimensions}.")
        values: Floats = np.asarray(result, dtype=np.float32)
        return values
