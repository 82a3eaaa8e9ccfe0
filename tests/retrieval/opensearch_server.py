"""A real server on loopback that speaks those calls of OpenSearch and Elasticsearch which the adapter makes, and refuses others.

The real ones cannot be installed with the tests. Shapes of requests and answers follow the reference of both. Scores are those of
our BM25 over the documents given, so that a ranking can be compared; equal scores stand in the order in which documents came.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from constraintsuite.retrieval.bm25 import Bm25Retriever

INDEX = "dishes"
_HEADER = {"search_type", "preference"}
_BODY = {"query", "size", "_source", "track_total_hits"}


@dataclass
class SearchState:
    """An index, what was asked of it, and what shall happen next in place of an answer."""

    documents: Mapping[str, str]
    k1: float = 1.2
    b: float = 0.75
    window: int = 10_000
    settings: dict[str, Any] = field(default_factory=dict)
    authorization: str = ""
    faults: deque[str] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def retriever(self) -> str:
        return f"opensearch:{self.address}/{INDEX}"

    @cached_property
    def bm25(self) -> Bm25Retriever:
        return Bm25Retriever(list(self.documents), list(self.documents.values()), k1=self.k1, b=self.b)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    wbufsize = -1
    state: SearchState

    def do_GET(self) -> None:
        self._answer({"_settings": self._settings, "_mapping/field/*": self._mapping, "_count": self._count}, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"_count": self._count, "_msearch": self._msearch}, body)

    def _answer(self, calls: Mapping[str, Any], body: bytes) -> None:
        index, _, call = self.path.removeprefix("/").partition("/")
        self.state.calls.append(f"{self.command} {self.path}")
        fault = self.state.faults.popleft() if self.state.faults else ""
        status, _, wait = fault.partition(" ")
        if self.state.authorization not in ("", self.headers.get("Authorization")):
            said = f"missing authentication credentials in [{self.headers.get('Authorization', '')}]"
            self._send(401, {"error": {"type": "security_exception", "reason": said}, "status": 401})
        elif status.isdigit():
            self._send(int(status), {"error": {"reason": "too busy"}, "status": int(status)}, wait)
        elif index != INDEX:
            error = {"type": "index_not_found_exception", "reason": f"no such index [{index}]", "index": index}
            self._send(404, {"error": error, "status": 404})
        elif call not in calls:
            self._send(405, {"error": f"Incorrect HTTP method for uri [{self.path}]", "status": 405})
        else:
            answer = calls[call](body)
            self._send(200, {"partial": _partial(answer), "shape": {"took": 1}}.get(fault, answer))

    def _settings(self, _: bytes) -> object:
        index = {"uuid": "u-1", "number_of_shards": "3", "max_result_window": str(self.state.window)}
        similarity = {"default": {"type": "BM25", "k1": str(self.state.k1), "b": str(self.state.b)}}
        return {INDEX: {"settings": {"index": {**index, "similarity": similarity, **self.state.settings}}}}

    def _mapping(self, _: bytes) -> object:
        fields = {
            "text": {"full_name": "text", "mapping": {"text": {"type": "text", "analyzer": "english"}}},
            "text.raw": {"full_name": "text.raw", "mapping": {"raw": {"type": "keyword"}}},
            "_id": {"full_name": "_id", "mapping": {}},
        }
        return {INDEX: {"mappings": fields}}

    def _count(self, body: bytes) -> object:
        if not body:
            found = len(self.state.documents)
        else:
            values = json.loads(body)["query"]["ids"]["values"]
            assert len(values) <= 1_000
            found = len(self.state.documents.keys() & set(values))
        return {"count": found, "_shards": {"total": 3, "successful": 3, "skipped": 0, "failed": 0}}

    def _msearch(self, body: bytes) -> object:
        assert self.headers["Content-Type"] == "application/x-ndjson"
        assert body.endswith(b"\n")
        lines = [json.loads(line) for line in body.splitlines()]
        assert all(header.keys() <= _HEADER for header in lines[::2])
        return {"took": 3, "responses": [self._search(line) for line in lines[1::2]]}

    def _search(self, body: dict[str, Any]) -> object:
        assert body.keys() == _BODY
        self.state.depths.append(body["size"])
        if body["size"] > self.state.window:
            reason = f"Result window is too large, from + size must be less than or equal to: [{self.state.window}]"
            return {"error": {"root_cause": [{"reason": reason}], "reason": "all shards failed"}, "status": 400}
        query = body["query"]["match"]["text"]["query"]
        places = {name: place for place, name in enumerate(self.state.documents)}
        hits = self.state.bm25.search(query, len(places))
        ranked = sorted(hits, key=lambda hit: (-hit.score, places[hit.document]))[: body["size"]]
        listed = [{"_index": INDEX, "_id": hit.document, "_score": hit.score} for hit in ranked]
        best = listed[0]["_score"] if listed else None
        shards = {"total": 3, "successful": 3, "skipped": 0, "failed": 0}
        return {
            "took": 1,
            "timed_out": False,
            "_shards": shards,
            "hits": {"max_score": best, "hits": listed},
            "status": 200,
        }

    def _send(self, status: int, content: object, retry_after: str = "") -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _partial(answer: object) -> object:
    """The same, with a shard that did not answer."""
    return json.loads(re.sub(r'"failed": 0', '"failed": 1', json.dumps(answer)))


class _Loopback(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


@contextmanager
def serving(state: SearchState) -> Iterator[SearchState]:
    http = _Loopback(("127.0.0.1", 0), type("Bound", (_Handler,), {"state": state}))
    state.port = http.server_address[1]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
