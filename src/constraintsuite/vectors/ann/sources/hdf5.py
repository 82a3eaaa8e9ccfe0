"""Files of ann-benchmarks: train, test, neighbors and distances in one HDF5 file. Needs the extra [ann]."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from constraintsuite.core.errors import UserError, import_extra
from constraintsuite.core.store.files import atomic_writer
from constraintsuite.models.retrieval.topk import Neighbours
from constraintsuite.vectors.ann.data import BenchmarkVectors, VectorMetric
from constraintsuite.vectors.ann.sources.base import VectorSourceSettings, existing_path

_METRICS: dict[str, VectorMetric] = {"angular": "cosine", "euclidean": "euclidean", "ip": "dot"}
_NAMES: dict[VectorMetric, str] = {metric: name for name, metric in _METRICS.items()}


class AnnBenchmarks(VectorSourceSettings):
    """`format: hdf5`: a file of ann-benchmarks."""

    path: str
    metric: VectorMetric | None = None

    def load(self, name: str, folder: Path) -> BenchmarkVectors:
        """Read all arrays; the metric is named by the file or, if it names none, by the option."""
        file = existing_path(folder, self.path)
        h5py = _require_h5py()
        try:
            with h5py.File(file, "r") as content:
                missing = [part for part in ("train", "test") if part not in content]
                if missing:
                    raise UserError(f"{file}: no {' and '.join(missing)} in it; is it a file of ann-benchmarks?")
                metric = self._metric(file, content.attrs.get("distance"))
                rows = content["neighbors"][:].astype(np.int64) if "neighbors" in content else None
                return BenchmarkVectors(
                    name,
                    content["train"][:].astype(np.float32, copy=False),
                    content["test"][:].astype(np.float32, copy=False),
                    metric,
                    rows,
                )
        except OSError as error:
            raise UserError(f"{file}: not a complete HDF5 file ({error}).") from None

    def _metric(self, file: Path, distance: object) -> VectorMetric:
        words = distance.decode() if isinstance(distance, bytes) else distance
        own = _METRICS.get(str(words))
        if words is not None and own is None:
            raise UserError(f"{file}: its distance is {words!r}; what is compared here is {', '.join(_METRICS)}.")
        if own is not None and self.metric not in (None, own):
            raise UserError(f"{file}: it is made for {own}, not for {self.metric}. Leave `metric` out.")
        metric = own or self.metric
        if metric is None:
            raise UserError(f"{file}: the file does not name its distance. Add `metric: cosine` or another.")
        return metric


def write_hdf5(path: Path, data: BenchmarkVectors, truth: Neighbours) -> None:
    """Write the data for ann-benchmarks; distances are 1 - cosine, or the Euclidean distance."""
    h5py = _require_h5py()
    with atomic_writer(path) as file, h5py.File(file, "w") as content:
        content.attrs["distance"] = _NAMES[data.metric]
        content.attrs["dimension"] = data.base.shape[1]
        content.attrs["point_type"] = "float"
        content.attrs["type"] = "dense"
        content.create_dataset("train", data=data.base)
        content.create_dataset("test", data=data.queries)
        content.create_dataset("neighbors", data=truth.rows.astype(np.int32))
        distances = 1 - truth.scores if data.metric == "cosine" else -truth.scores
        content.create_dataset("distances", data=distances.astype(np.float32))


def _require_h5py() -> Any:  # noqa: ANN401 - h5py has no types
    """The library. Raises UserError with the pip command if it is missing."""
    return import_extra("h5py", "ann", "Reading HDF5")
