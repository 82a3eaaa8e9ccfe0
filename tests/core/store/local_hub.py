"""A model hub on this machine, which speaks as much of the hub's protocol as a download needs."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def local_hub(repositories: Mapping[str, Mapping[str, bytes]]) -> Iterator[str]:
    """The address of a hub that has these files, by repository and place."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(body=True)

        def do_HEAD(self) -> None:
            self.answer(body=False)

        def answer(self, body: bool) -> None:
            found = self.content(self.path.partition("?")[0])
            self.send_response(200 if found is not None else 404)
            data = found or b"{}"
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.end_headers()
            if body:
                self.wfile.write(data)

        def content(self, path: str) -> bytes | None:
            for name, files in repositories.items():
                if path in (f"/api/models/{name}", f"/api/models/{name}/revision/{COMMIT}"):
                    siblings = [{"rfilename": file} for file in files]
                    return json.dumps({"id": name, "modelId": name, "sha": COMMIT, "siblings": siblings}).encode()
                for file, data in files.items():
                    if path == f"/{name}/resolve/{COMMIT}/{file}":
                        return data
            return None

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
