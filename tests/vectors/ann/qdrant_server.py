"""A server that speaks those calls of Qdrant's REST API which the adapter makes, and refuses every other.

The real server cannot be installed with the tests. Bodies are read through the models of qdrant-client, which are generated
from Qdrant's own description of its API and forbid unknown fields; what is answered, the client reads through them. Answers are
computed: everything is compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
from qdrant_client.http import models

VERSION = "1.20.9"


@dataclass
class Collection:
    asked: models.CreateCollection
    ids: list[int] = field(default_factory=list)
    vectors: list[list[float]] = field(default_factory=list)
    looks: int = 0
    """How often its state was asked for; the graph is there at the third."""


class FakeQdrant(ThreadingHTTPServer):
    """Listens on a free port of this machine."""

    daemon_threads = True

    def __init__(self, api_key: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api_key = api_key
        self.collections: dict[str, Collection] = {}
        self.params: list[models.SearchParams | None] = []
        self.calls: list[str] = []
        self.stuck = False
        """Whether the graph is never finished."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FakeQdrant
    protocol_version = "HTTP/1.1"  # connections stay open, as with the real one

    def do_GET(self) -> None:
        self._route({r"/": self._version, r"/collections/([^/]+)": self._state})

    def do_PUT(self) -> None:
        self._route({r"/collections/([^/]+)": self._create, r"/collections/([^/]+)/points": self._upsert})

    def do_POST(self) -> None:
        self._route({r"/collections/([^/]+)/points/query/batch": self._query})

    def do_DELETE(self) -> None:
        self._route({r"/collections/([^/]+)": self._delete})

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr."""

    def _route(self, table: dict[str, Callable[..., None]]) -> None:
        address = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.calls.append(f"{self.command} {re.sub('csuite_ann_[0-9a-f]+', 'NAME', address.path)}")
        if self.server.api_key is not None and self.headers.get("api-key") != self.server.api_key:
            self._answer(401, {"status": {"error": "Must provide an API key"}, "time": 0.0})
            return
        for pattern, method in table.items():
            match = re.fullmatch(pattern, address.path)
            if match:
                method(*match.groups(), body=body, options=parse_qs(address.query))
                return
        self._answer(404, {"status": {"error": "Not found"}, "time": 0.0})

    def _answer(self, code: int, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _result(self, result: object) -> None:
        self._answer(200, {"result": result, "status": "ok", "time": 0.001})

    def _version(self, **_: object) -> None:
        self._answer(200, {"title": "qdrant - vector search engine", "version": VERSION, "commit": "0"})

    def _create(self, name: str, body: bytes, **_: object) -> None:
        self.server.collections[name] = Collection(models.CreateCollection.model_validate_json(body))
        self._result(True)

    def _delete(self, name: str, **_: object) -> None:
        self._result(self.server.collections.pop(name, None) is not None)

    def _upsert(self, name: str, body: bytes, options: dict[str, list[str]]) -> None:
        assert options["wait"] == ["true"]
        models.PointsBatch.model_validate_json(body)
        batch = json.loads(body)["batch"]
        self.server.collections[name].ids += batch["ids"]
        self.server.collections[name].vectors += batch["vectors"]
        self._result({"operation_id": 1, "status": "completed"})

    def _state(self, name: str, **_: object) -> None:
        collection = self.server.collections[name]
        collection.looks += 1
        ready = collection.looks > 2 and not self.server.stuck
        asked = json.loads(collection.asked.model_dump_json(exclude_none=True))
        graph = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000, **asked["hnsw_config"]}
        optimizer = {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0}
        config = {
            "params": {"vectors": asked["vectors"]},
            "hnsw_config": graph,
            "optimizer_config": {**optimizer, "flush_interval_sec": 5, **asked["optimizers_config"]},
        }
        state = {
            "status": "green" if ready else "yellow",
            "optimizer_status": "ok",
            "indexed_vectors_count": len(collection.ids) if ready else 0,
            "points_count": len(collection.ids),
            "segments_count": 1,
            "config": config,
            "payload_schema": {},
        }
        self._result(state)

    def _query(self, name: str, body: bytes, **_: object) -> None:
        collection = self.server.collections.get(name)
        if collection is None:
            self._answer(404, {"status": {"error": f"Not found: Collection `{name}`"}, "time": 0.0})
            return
        self.server.params += [search.params for search in models.QueryRequestBatch.model_validate_json(body).searches]
        searches = json.loads(body)["searches"]
        self._result([{"points": _nearest(collection, search)} for search in searches])


def _nearest(collection: Collection, search: dict[str, Any]) -> list[dict[str, object]]:
    asked = search["query"]  # a vector, or the vector under the word for this kind of query
    vectors, query = np.array(collection.vectors), np.array(asked["nearest"] if isinstance(asked, dict) else asked)
    assert isinstance(collection.asked.vectors, models.VectorParams)
    distance = collection.asked.vectors.distance
    if distance == models.Distance.EUCLID:
        scores = np.linalg.norm(vectors - query, axis=1)
        order = np.argsort(scores, kind="stable")
    else:
        scores = vectors @ query
        if distance == models.Distance.COSINE:
            scores = scores / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
        order = np.argsort(-scores, kind="stable")
    return [
        {"id": collection.ids[i], "version": 0, "score": float(scores[i])} for i in order[: search["limit"]].tolist()
    ]
