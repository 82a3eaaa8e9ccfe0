"""How fast the site shows a large suite. Prints a table; nothing here fails because something is slow.

    python benchmarks/serve.py
    python benchmarks/serve.py --suite suites/ours --examples 20000

The suite is made of the examples of another (by default one built of the bundled corpus), repeated under new ids, each time
with other documents. Two servers, each a process of its own on loopback, are asked in turn: the site as it is, which keeps a
suite in memory, and the same site reading the folder again at every request.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from itertools import count, islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

import click
import uvicorn

from constraintsuite.app.web import LOOPBACK
from constraintsuite.app.web.access import AccessTokens, Person
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.server import make_app
from constraintsuite.core.records.examples import Example, ExampleDocument
from constraintsuite.core.store.artifact import ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.experiments.load import CONTROLS, EXAMPLES, load_suite
from measure import run_measured
from tables import load, show, target

T = TypeVar("T")
OWNER = Person("owner", "owner")
TOKENS = AccessTokens(b"of a benchmark: nothing is secret", [OWNER])
LIMIT_MS = 100.0


class ForgetfulIndex(ArtifactIndex):
    """Reads everything again each time."""

    def load(self, one: ServedArtifact, read: Callable[[Path], T], *, small: bool = False) -> T:
        """What `read` makes of it."""
        return read(one.path)


@click.command()
@click.option(
    "--suite", type=click.Path(path_type=Path), help="Whose examples; without it the bundled corpus is built."
)
@click.option("--examples", type=click.IntRange(min=1), default=5_000, show_default=True)
@click.option("--repeat", type=click.IntRange(min=2), default=15, show_default=True, help="Requests of each page.")
def main(suite: Path | None, examples: int, repeat: int) -> None:
    """First page, filter, full text, one example, and the suite as a whole: kept in memory against read each time."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = _enlarge(suite or _build(folder / "sample"), folder / "served" / "large", examples)
        click.echo(f"{len(made):,} examples, {load()}")
        with _serving(folder / "served", ArtifactIndex) as kept, _serving(folder / "served", ForgetfulIndex) as naive:
            rows = [_measure(name, path, kept, naive, repeat) for name, path in _pages(made).items()]
    header = ("ms", "first time", "median after", "slowest after", "read each time", "times faster")
    show("Pages of the suite", header, [row.cells for row in rows])
    target("first page, ms, after the first load", rows[0].median, LIMIT_MS, at_most=True)


@dataclass(frozen=True)
class Row:
    """Milliseconds for one page."""

    name: str
    first: float
    median: float
    slowest: float
    naive: float

    @property
    def cells(self) -> tuple[object, ...]:
        """As they are printed."""
        return self.name, self.first, self.median, self.slowest, self.naive, self.naive / self.median


def _measure(name: str, path: str, kept: int, naive: int, repeat: int) -> Row:
    first, _ = _ask(kept, path), _ask(naive, path)
    times = [(_ask(kept, path), _ask(naive, path)) for _ in range(repeat)]  # in turn, so that both meet the same load
    mine, theirs = ([pair[side] for pair in times] for side in (0, 1))
    return Row(name, first, statistics.median(mine), max(mine), statistics.median(theirs))


def _ask(port: int, path: str) -> float:
    connection = HTTPConnection(LOOPBACK, port, timeout=120)
    start = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": f"{TOKENS.cookie}={TOKENS.token(OWNER)}"})
    answer = connection.getresponse()
    body = answer.read()
    taken = time.perf_counter() - start
    connection.close()
    if answer.status != 200:
        raise click.ClickException(f"{path}: {answer.status}\n{body[:500].decode()}")
    return 1000 * taken


def _pages(examples: Sequence[Example]) -> dict[str, str]:
    place = "/suite/large"
    middle = examples[len(examples) // 2]
    return {
        "first page": place,
        "last page": f"{place}?page={-(-len(examples) // 25)}",
        "filter": f"{place}?slice={middle.slice}&domain={middle.domain}",
        "full text": f"{place}?q=without+the",
        "one example": f"{place}/example?id={middle.id}",
        "about": f"{place}/about",
    }


def _build(out: Path) -> Path:
    """The suite of the bundled corpus, in another process."""
    command = ["build", "--corpus", "sample", "--analyser", "rules", "--out", str(out)]
    run_measured([sys.executable, "-m", "constraintsuite", *command])
    return out


def _enlarge(source: Path, out: Path, size: int) -> list[Example]:
    examples = load_suite(source).examples
    copies = (_copy(example, number) for number in count() for example in examples)
    made = list(islice(copies, size))
    out.mkdir(parents=True)
    write_jsonl(out / EXAMPLES, made)
    write_jsonl(out / CONTROLS, [])
    finish(out, ArtifactOrigin("suite", "large", {}, {}, 0, Revision(1)), {"examples": len(made)}, {}, 0.0)
    return made


def _copy(example: Example, number: int) -> Example:
    if not number:
        return example
    return replace(
        example,
        id=f"{example.id}_{number}",
        documents=tuple(_another(document, number) for document in example.documents),
        couple=example.couple and f"{example.couple}_{number}",
    )


def _another(document: ExampleDocument, number: int) -> ExampleDocument:
    return replace(document, id=f"{document.id}_{number}", text=f"{document.text} This is copy {number}.")


@contextmanager
def _serving(folder: Path, kind: type[ArtifactIndex]) -> Iterator[int]:
    """A server in a process of its own; gives its port."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(folder, kind, there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()


def _serve(folder: Path, kind: type[ArtifactIndex], told: Connection) -> None:
    server = uvicorn.Server(uvicorn.Config(make_app(kind(folder), TOKENS, (LOOPBACK,)), port=0, log_level="warning"))
    socket = server.config.bind_socket()
    socket.listen(16)
    told.send(socket.getsockname()[1])
    server.run(sockets=[socket])


if __name__ == "__main__":
    main()
