"""Qdrant by URL; its local mode, which lives inside the client, compares everything and is labelled exact."""

from __future__ import annotations

import time
from typing import Annotated, Any
from uuid import uuid4

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import MISSING, IntArray, VectorMetric, Vectors, blocks
from constraintsuite.vectors.ann.engines.addresses import address, plain_url, unreachable, variable_only
from constraintsuite.vectors.ann.engines.base import EngineSettings, ServedEngine, require

LOCAL = ":memory:"
_NAMES: dict[VectorMetric, str] = {"cosine": "Cosine", "dot": "Dot", "euclidean": "Euclid"}
_UPLOAD = 1_000  # points per request
_NO_COLLECTION = "no collection could be made"


class QdrantBuild(EngineSettings):
    """Parameters of a build: the server and its graph."""

    url: Annotated[str, AfterValidator(plain_url)] = Field(description="http://..., env:NAME, or :memory:")
    api_key: Annotated[str | None, BeforeValidator(variable_only)] = Field(
        None, description="env:NAME, the variable that holds the key"
    )
    m: int = Field(16, ge=2, description="edges per node")
    ef_construct: int = Field(100, ge=4, description="width of the search while the graph is built")
    indexing_seconds: float = Field(3600, gt=0, description="how long to wait until all vectors are in the graph")


class QdrantSearch(EngineSettings):
    """Parameters of a search: how many nodes of the graph are visited."""

    ef: int | None = Field(None, ge=1, description="width of the search")
    exact: bool = Field(False, description="compare everything")


class QdrantEngine(ServedEngine):
    """`engine: qdrant`; each build has its own collection, which is deleted at the end."""

    build_settings = QdrantBuild
    search_settings = QdrantSearch
    library = "qdrant-client"
    revision = 2

    def __init__(self, settings: QdrantBuild, metric: VectorMetric, threads: int) -> None:
        super().__init__(settings, metric, threads)
        self._models = require("qdrant_client", "qdrant").models
        self._local = settings.url == LOCAL
        self.place = None if self._local else f"csuite_ann_{uuid4().hex[:12]}"
        self._created = False
        self.configure(QdrantSearch(), threads)
        self._client: Any = _connect(settings)

    @classmethod
    def expected_bytes(cls, settings: QdrantBuild, rows: int, dimensions: int) -> int:
        """Rows and a graph, on the server."""
        return rows * (8 * dimensions + 10 * settings.m + 64)

    @classmethod
    def server(cls, settings: QdrantBuild) -> str | None:
        """Version of the server; None in local mode."""
        if settings.url == LOCAL:
            return None
        address(settings.url)
        try:
            client = _connect(settings)
            version = client.info().version
            client.close()
        except Exception:  # the build will fail with the same error, and report it
            return None
        return f"Qdrant {version}"

    def build(self, vectors: Vectors) -> None:
        """Send the vectors, then wait until all are in the graph: until then a search is a scan."""
        self._create(vectors.shape[1])
        for start, block in blocks(vectors):
            for i in range(0, len(block), _UPLOAD):
                part = block[i : i + _UPLOAD]
                ids = list(range(start + i, start + i + len(part)))
                batch = self._models.Batch(ids=ids, vectors=part.tolist())
                self._client.upsert(self._collection, points=batch, wait=True)
        if not self._local:
            self._wait_for_graph(len(vectors))

    def configure(self, settings: QdrantSearch, threads: int) -> None:
        """Set the width of the search, or exact search; local mode is always exact."""
        if self._local and settings.ef is not None:
            raise UserError("qdrant: local mode compares everything, so `ef` has no effect. Give the URL of a server.")
        self._search = settings
        self.exact = self._local or settings.exact

    def search(self, queries: Vectors, k: int) -> IntArray:
        """One request for all queries of a call."""
        chosen = self._models.SearchParams(hnsw_ef=self._search.ef, exact=self._search.exact)
        request = self._models.QueryRequest
        params = None if self._local else chosen
        asked = [request(query=query.tolist(), limit=k, params=params) for query in queries]
        rows = np.full((len(queries), k), MISSING, dtype=np.int64)
        for i, answer in enumerate(self._client.query_batch_points(self._collection, requests=asked)):
            rows[i, : len(answer.points)] = [point.id for point in answer.points]
        return rows

    def bytes(self) -> None:
        """Not known: the server does not report it."""

    def close(self) -> None:
        """Delete the collection, if it was created, and close the connections."""
        if self._created:
            self._client.delete_collection(self._collection)
        self.detach()

    def detach(self) -> None:
        """Close the connections; the collection stays."""
        self._client.close()

    @property
    def _collection(self) -> str:
        return self.place or "csuite_ann"

    def _create(self, dimensions: int) -> None:
        graph = {
            "m": self._settings.m,
            "ef_construct": self._settings.ef_construct,
            "full_scan_threshold": 10,
            "max_indexing_threads": self._threads,
        }
        try:
            self._client.create_collection(
                self._collection,
                vectors_config=self._models.VectorParams(size=dimensions, distance=_NAMES[self._metric]),
                hnsw_config=self._models.HnswConfigDiff(**graph),
                optimizers_config=self._models.OptimizersConfigDiff(indexing_threshold=1),
            )
        except Exception as error:  # errors of the server, of the connection, or of a wrong address
            raise unreachable("qdrant", _NO_COLLECTION, error, self._settings.url, self._settings.api_key) from None
        self._created = True

    def _wait_for_graph(self, rows: int) -> None:
        end = time.monotonic() + self._settings.indexing_seconds
        while time.monotonic() < end:
            state = self._client.get_collection(self._collection)
            if state.status == self._models.CollectionStatus.GREEN and (state.indexed_vectors_count or 0) >= rows:
                return
            time.sleep(0.2)
        raise UserError(
            f"qdrant: after {self._settings.indexing_seconds:g} s not all of {rows:,} vectors are in the graph, so a search "
            "would be a scan. Raise indexing_seconds."
        )


def _connect(settings: QdrantBuild) -> Any:  # noqa: ANN401 - qdrant-client may be missing
    kind = require("qdrant_client", "qdrant").QdrantClient
    if settings.url == LOCAL:
        return kind(location=LOCAL)
    key = None if settings.api_key is None else address(settings.api_key)
    where = address(settings.url)
    try:
        # Versions are recorded; the client's own check would only warn.
        return kind(url=where, api_key=key, timeout=600, check_compatibility=False)
    except Exception as error:  # urllib and httpx raise many kinds of errors
        raise unreachable("qdrant", _NO_COLLECTION, error, settings.url, settings.api_key) from None
