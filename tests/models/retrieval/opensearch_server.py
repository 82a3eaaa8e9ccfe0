"""A real server on loopback that speaks those calls of OpenSearch and Elasticsearch which the adapter makes, and refuses others.

The real ones cannot be installed with the tests. Requests are checked and answers shaped as the reference of both has it, and
where that is silent, as their sources do. Scores are those of our BM25 over the documents given, so that a ranking can be
compared; equal scores stand in the order in which documents came.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from constraintsuite.models.retrieval.base import Passages
from constraintsuite.models.retrieval.bm25 import Bm25Retriever

INDEX = "dishes"
TEXTS = {
    "e": "leek soup",
    "b": "cream of leek soup with cream",
    "c": "nut salad",
    "d": "leek salad, nut pasta and a long list of other dishes",
    "a": "leek soup",
}
PASSAGES = Passages(tuple(TEXTS), tuple(TEXTS.values()))
_METADATA = {"search_type", "preference", "allow_partial_search_results"}
_BODY = {"query", "size", "_source", "track_total_hits"}
Json = dict[str, Any]
ALL_SHARDS = {"total": 3, "successful": 3, "skipped": 0, "failed": 0}
_LOST = {"shard": 1, "index": INDEX, "node": "n-1", "reason": {"type": "node_disconnected_exception", "reason": "gone"}}


def error(status: int, kind: str, reason: str, **further: object) -> Json:
    """An error of either server."""
    cause = {"type": kind, "reason": reason, **further}
    return {"error": {"root_cause": [cause], **cause}, "status": status}


REJECTED = error(429, "es_rejected_execution_exception", "rejected execution of work on a queue of 1000")
UNAVAILABLE = error(503, "search_phase_execution_exception", "Search rejected due to missing shards", phase="query")
SPOILT: Mapping[str, Callable[[Json], Json]] = {
    "failed shard": lambda part: {**part, "_shards": {**ALL_SHARDS, "successful": 2, "failed": 1, "failures": [_LOST]}},
    "unassigned shard": lambda part: {**part, "_shards": {**ALL_SHARDS, "successful": 2}},  # not counted as failed
    "timed out": lambda part: {**part, "timed_out": True},
    "terminated early": lambda part: {**part, "terminated_early": True},
    "no shards": lambda part: {key: value for key, value in part.items() if key != "_shards"},
    "rejected": lambda part: REJECTED,
    "unavailable": lambda part: UNAVAILABLE,
}
"""What may become of one search, all under status 200."""


@dataclass
class SearchState:
    """An index, what was asked of it, and what shall happen next in place of an answer."""

    documents: Mapping[str, str]
    k1: float = 1.2
    b: float = 0.75
    window: int = 10_000
    settings: dict[str, Any] = field(default_factory=dict)
    authorization: str = ""
    kind: Literal["elasticsearch", "opensearch"] = "elasticsearch"
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
        assert self.headers["Content-Length"] is None
        self._answer({"_settings": self._settings, "_mapping/field/*": self._mapping, "_count": self._count}, b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"_count": self._count, "_msearch": self._msearch}, body)

    def _answer(self, calls: Mapping[str, Any], body: bytes) -> None:
        index, _, call = self.path.removeprefix("/").partition("/")
        self.state.calls.append(f"{self.command} {self.path}")
        fault = self.state.faults.popleft() if self.state.faults else ""
        status, _, wait = fault.partition(" ")
        wanted = "application/x-ndjson" if call == "_msearch" else "application/json"
        if self.state.authorization not in ("", self.headers.get("Authorization")):
            self._refuse_login()
        elif status == "413":
            self._send(413, b"")
        elif status.isdigit():
            self._send(int(status), {**REJECTED, "status": int(status)}, {"Retry-After": wait} if wait else {})
        elif self.headers["Accept"] != "application/json" or (body and self.headers["Content-Type"] != wanted):
            said = f"Content-Type header [{self.headers['Content-Type']}] is not supported"
            self._send(406, {"error": said, "status": 406})
        elif index != INDEX:
            self._send(404, error(404, "index_not_found_exception", f"no such index [{index}]", index=index))
        elif call not in calls:
            self._send(405, {"error": f"Incorrect HTTP method for uri [{self.path}]", "status": 405})
        else:
            answer = calls[call](body)
            self._send(200, {"took": 1} if fault == "shape" else spoil(answer, fault))

    def _refuse_login(self) -> None:
        if self.state.kind == "opensearch":
            self._send(401, b"Unauthorized")
            return
        said = f"unable to authenticate with [{self.headers.get('Authorization', '')}]"
        self._send(401, error(401, "security_exception", said), {"WWW-Authenticate": "ApiKey"})

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
        return {"count": found, "_shards": ALL_SHARDS}

    def _msearch(self, body: bytes) -> object:
        assert body.endswith(b"\n")  # the last line is lost without
        lines = [json.loads(line) for line in body.splitlines()]
        assert all(header.keys() <= _METADATA for header in lines[::2])
        return {"took": 3, "responses": [self._search(line) for line in lines[1::2]]}

    def _search(self, body: Json) -> object:
        assert body.keys() == _BODY
        assert body["track_total_hits"] is False  # so that there is no `hits.total` below
        self.state.depths.append(body["size"])
        if body["size"] > self.state.window:
            reason = f"Result window is too large, from + size must be less than or equal to: [{self.state.window}]"
            refused = error(400, "illegal_argument_exception", reason)
            return {**refused, "error": {**refused["error"], "reason": "all shards failed"}}
        query = body["query"]["match"]["text"]["query"]
        places = {name: place for place, name in enumerate(self.state.documents)}
        hits = self.state.bm25.search(query, len(places))
        ranked = sorted(hits, key=lambda hit: (-hit.score, places[hit.document]))[: body["size"]]
        listed = [{"_index": INDEX, "_id": hit.document, "_score": hit.score} for hit in ranked]
        found = {"max_score": listed[0]["_score"] if listed else None, "hits": listed}
        return {"took": 1, "timed_out": False, "_shards": ALL_SHARDS, "hits": found, "status": 200}

    def _send(self, status: int, content: object, headers: Mapping[str, str] | None = None) -> None:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


def spoil(answer: Json, fault: str) -> Json:
    """The same, with a fault in it, or in the last of its searches."""
    if not fault:
        return answer
    if "responses" in answer:
        return {**answer, "responses": [*answer["responses"][:-1], SPOILT[fault](answer["responses"][-1])]}
    return SPOILT[fault](answer)


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
