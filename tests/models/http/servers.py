"""Real servers on loopback that score by shared words, and that misbehave as they are told."""

from __future__ import annotations

import json
import math
import re
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "k-very-secret-0815"
Body = dict[str, Any]
Rows = list[dict[str, Any]]


def overlap(query: str, text: str) -> float:
    """How much of the query's words a text holds, and a little for being short: a number with digits to lose."""
    words, found = query.lower().split(), set(re.findall(r"\w+", text.lower()))
    return sum(word in found for word in words) / 3 - len(text) / 1e4


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Any
    port: int
    """Of the client: one connection is one port."""


@dataclass
class Server:
    """A running server: what it was asked, and what it shall do next instead of its work."""

    port: int
    requests: list[Asked] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    """Each is used up by one request: see `Handler.fault`."""
    says: deque[str] = field(default_factory=deque)
    """What the chat model says next, in place of a ranking."""
    prefers: str = "relevant"
    """What the chat model ranks by: relevant, first or last."""
    strict: str = ""
    """The field that /rerank asks for: `texts` as text-embeddings-inference does, or `documents`."""
    release: threading.Event = field(default_factory=threading.Event)
    """Ends all slow answers."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


SPOILT: dict[str, Callable[[Rows], object]] = {
    "few": lambda rows: rows[1:],
    "many": lambda rows: [*rows, {**rows[0], "index": len(rows)}],
    "repeated": lambda rows: [*rows[1:], rows[1]],
    "range": lambda rows: [{**row, "index": row["index"] + 1} for row in rows],
    "no index": lambda rows: [{key: value for key, value in row.items() if key != "index"} for row in rows],
    "nan": lambda rows: [_renumbered(rows[0], math.nan), *rows[1:]],
    "inf": lambda rows: [_renumbered(rows[0], -math.inf), *rows[1:]],
    "null": lambda rows: [_renumbered(rows[0], None), *rows[1:]],
    "text": lambda rows: [_renumbered(rows[0], "0.5"), *rows[1:]],
    "huge": lambda rows: [_renumbered(rows[0], 10**400), *rows[1:]],
    "shape": lambda rows: {"answer": "yes"},
}


def _renumbered(row: dict[str, Any], value: object) -> dict[str, Any]:
    name = next(key for key in row if key != "index")
    return {**row, name: [value, 1.0] if name == "embedding" else value}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    wbufsize = -1  # one packet an answer, else the client waits for the second
    state: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.requests.append(Asked(self.path, dict(self.headers.items()), body, self.client_address[1]))
        fault = self.state.faults.popleft() if self.state.faults else ""
        needed = self.state.strict if self.path.endswith("rerank") else ""
        if needed and needed not in body:
            self.answer(422, {"error": f"missing field `{needed}`", "error_type": "Validation"})
        elif not self.fault(fault):
            self.answer(200, self.work(body, fault))

    def fault(self, fault: str) -> bool:
        """Whether the answer is already given. `429 3` is a status with Retry-After."""
        kind, _, detail = fault.partition(" ")
        if kind == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif kind == "cut":
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{"index": 0, "score": 0.5}')
            self.close_connection = True
        elif kind == "slow":
            self.state.release.wait(10)
            self.close_connection = True
        elif kind == "garbage":
            self.answer(200, None, b"<html>Bad gateway\x1b[31m</html>")
        elif kind.isdigit():
            said = {"error": {"message": f"status {kind} for key {self.headers.get('Authorization', 'none')}"}}
            self.answer(int(kind), said, headers={"Retry-After": detail} if detail else {})
        else:
            return False
        return True

    def work(self, body: Body, fault: str) -> object:
        if self.path.endswith("/chat/completions"):
            return self.chat(body)
        if self.path.endswith(("/embed", "/embeddings")):
            return self.embed(body, fault)
        return self.rerank(body, fault)

    def rerank(self, body: Body, fault: str) -> object:
        tei = "texts" in body
        scores = [overlap(body["query"], text) for text in body["texts" if tei else "documents"]]
        if not (tei and body.get("raw_scores")):
            scores = [1 / (1 + math.exp(-score)) for score in scores]
        name = "score" if tei else "relevance_score"
        order = sorted(range(len(scores)), key=lambda i: -scores[i])
        rows: Any = [{"index": i, name: scores[i]} for i in order]
        rows = SPOILT[fault](rows) if fault else rows
        return rows if tei else {"id": "1", "model": f"{body.get('model', 'default')}-2026", "results": rows}

    def embed(self, body: Body, fault: str) -> object:
        texts = body["inputs" if "inputs" in body else "input"]
        rows: Any = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(texts)]
        rows = SPOILT[fault](rows) if fault else rows
        if "inputs" in body:
            return [row["embedding"] for row in rows] if isinstance(rows, list) else rows
        return {"object": "list", "data": rows[::-1] if isinstance(rows, list) else rows, "model": "words-1"}

    def chat(self, body: Body) -> object:
        question = body["messages"][-1]["content"]
        passages = re.findall(r"^\[(\d+)\] (.*)$", question, re.MULTILINE)
        query = re.findall(r"^Query: (.*)$", question, re.MULTILINE)[0]
        by: dict[str, Callable[[tuple[str, str]], float]] = {
            "relevant": lambda passage: -overlap(query, passage[1]),
            "first": lambda passage: int(passage[0]),
            "last": lambda passage: -int(passage[0]),
        }
        ranking = " > ".join(f"[{number}]" for number, _ in sorted(passages, key=by[self.state.prefers]))
        said = self.state.says.popleft() if self.state.says else ranking
        return {"model": f"{body['model']}-2026", "choices": [{"message": {"role": "assistant", "content": said}}]}

    def answer(
        self, status: int, content: object, data: bytes | None = None, headers: dict[str, str] | None = None
    ) -> None:
        sent = json.dumps(content).encode() if data is None else data
        self.send_response(status)
        for name, value in {"Content-Length": str(len(sent)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Loopback(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64  # with the usual five, a sixth client waits for a second


WORDS = ("soup", "cream", "leeks", "without", "with", "dogs")


def vector_of(text: str) -> list[float]:
    """How often each of a few words stands in a text, and its length."""
    found = re.findall(r"\w+", text.lower())
    return [*(float(found.count(word)) for word in WORDS), len(text) / 100]


@contextmanager
def running(faults: Sequence[str] = ()) -> Iterator[Server]:
    handler = type("Bound", (Handler,), {})
    http = Loopback(("127.0.0.1", 0), handler)
    state = Server(http.server_address[1], faults=deque(faults))
    handler.state = state  # type: ignore[attr-defined]
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.release.set()
        http.shutdown()
        http.server_close()
        thread.join()
