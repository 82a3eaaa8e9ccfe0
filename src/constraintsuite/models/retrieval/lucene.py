"""BM25 over a Lucene index, through Pyserini: the extra [lucene], and Java 21.

Pyserini is imported only when an index is opened: it loads torch and starts a Java machine in this process.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import redirect_stdout
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from constraintsuite.core.errors import MissingExtraError, UserError, hint_for
from constraintsuite.core.execution.cores import environment_variables
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.models.retrieval.base import EngineHit, Hit, head_of, not_indexed

_JAVA: Final = 21
_VECTORS: Final = "jdk.incubator.vector"
_INSTALL: Final = (
    f"Install a full JDK {_JAVA} or newer (Debian 13, Ubuntu 24.04: apt install openjdk-21-jdk-headless) and set JAVA_HOME "
    "to its folder, or have its java on PATH."
)
_KEY: Final = "OPENAI_API_KEY"


class LuceneRetriever:
    """Finds the documents of a corpus in a Lucene index, which may contain others too.

    The analyser and the statistics (document frequencies, lengths) are the index's own.
    """

    def __init__(self, index: str, ids: Iterable[str], *, k1: float = 0.9, b: float = 0.4) -> None:
        self.name = "lucene"
        self._ids = frozenset(ids)
        self._searcher = _open_searcher(index)
        self._searcher.set_bm25(k1, b)
        self.shared = self._count_shared()
        """How many documents of the corpus the index contains; others cannot be found."""
        if not self.shared:
            raise not_indexed(f"lucene:{index}", self._ids, self._searcher.num_docs)

    def search(self, query: str, k: int) -> list[Hit]:
        """At most `k` documents of the corpus that share a term with the query; scores have four decimals."""

        def fetch(depth: int) -> list[EngineHit]:
            return [EngineHit(hit.docid, hit.score) for hit in self._searcher.search(query, depth)]

        return [Hit(found.document, rank, found.score) for rank, found in enumerate(best_of(fetch, self._ids, k), 1)]

    def _count_shared(self) -> int:
        from jnius import autoclass  # noqa: PLC0415 - Java is running now

        term = autoclass("org.apache.lucene.index.Term")
        reader = self._searcher.object.reader
        return sum(reader.docFreq(term("id", document)) > 0 for document in self._ids)


def best_of(fetch: Callable[[int], Iterable[EngineHit]], ids: Collection[str], k: int) -> list[EngineHit]:
    """The best `k` among `ids`; the depth of `fetch` is doubled until they are certain."""
    depth = k + 1
    while True:
        head = head_of(level_ties(fetch(depth)), depth, ids, k)
        if head.certain:
            return head.best
        depth *= 2


def level_ties(hits: Iterable[EngineHit]) -> list[EngineHit]:
    """Make equal scores equal again.

    Anserini rounds scores to four decimals and subtracts a millionth more from each repetition, so that no tool reorders its runs.
    That would be a difference between documents with the same score.
    """
    levelled: list[EngineHit] = []
    score = before = math.inf
    for hit in hits:
        if not math.isclose(hit.score, before, rel_tol=2.5e-7, abs_tol=5e-6):  # a millionth in 32-bit floats
            score = round(hit.score, 4)
        before = hit.score
        levelled.append(EngineHit(hit.document, score))
    return levelled


def identify_index(index: str) -> str:
    """The identity of an index: its name, the hash of a folder, and the version of Pyserini; equal ones give equal pools.

    A build asks for it at its start, so that a missing library or index is reported before all texts are read.
    """
    require_lucene()
    folder = Path(index)
    if folder.is_dir():
        return f"{folder.resolve().name}#{hash_folder(folder)[:16]}@pyserini-{_pyserini_version()}"
    _prebuilt(index)
    return f"{index}@pyserini-{_pyserini_version()}"


def hash_folder(folder: Path) -> str:
    """Hash of the names and sizes of an index's files, and of its commit, which has a random id for every segment."""
    commits = sorted(folder.glob("segments_*"))
    if not commits:
        raise UserError(f"{folder}: there is no Lucene index in this folder (no file segments_N).")
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name != "write.lock")
    return sha256_text(
        *(f"{file.name} {file.stat().st_size}" for file in files), *(sha256_of(file) for file in commits)
    )


def require_lucene() -> None:
    """Raise a UserError unless Pyserini is installed and its Java is suitable."""
    _pyserini_version()
    java = find_java(os.environ)
    listed = subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=False, timeout=60)
    check_modules(java, listed.stdout)


def _pyserini_version() -> str:
    """The installed version of Pyserini; if there is none, an error with the pip command."""
    if find_spec("pyserini") is None:
        raise MissingExtraError("lucene", "Searching a Lucene index")
    return metadata.version("pyserini")


def find_java(environment: Mapping[str, str]) -> Path:
    """The `java` that Pyserini will start: from JAVA_HOME, JDK_HOME or JRE_HOME, else next to javac or java on PATH."""
    for name in ("JAVA_HOME", "JDK_HOME", "JRE_HOME"):
        if home := environment.get(name):
            java = Path(home) / "bin" / "java"
            if not java.is_file():
                raise UserError(f"{name} is {home!r}, but there is no bin/java in it. {_INSTALL}")
            return java
    for program in ("javac", "java"):
        if found := shutil.which(program, path=environment.get("PATH", "")):
            return Path(found).resolve().with_name("java")
    raise UserError(f"Searching a Lucene index needs Java: JAVA_HOME is not set, and no java is on PATH. {_INSTALL}")


def check_modules(java: Path, listing: str) -> None:
    """Raise a UserError unless the output of `java --list-modules` shows a recent and complete Java."""
    modules = dict(line.strip().partition("@")[::2] for line in listing.splitlines())
    version = modules.get("java.base", "")
    number = re.match(r"\d+", version)
    if number is None or int(number[0]) < _JAVA:
        raise UserError(f"{java}: this is Java {version or 'before 9'}; Lucene needs {_JAVA} or newer. {_INSTALL}")
    if _VECTORS not in modules:
        raise UserError(
            f"{java}: this Java {version} comes without the module {_VECTORS}, which Lucene needs. {_INSTALL}"
        )


def _open_searcher(index: str) -> Any:  # noqa: ANN401 - Pyserini has no types
    require_lucene()
    # Pyserini makes an OpenAI client on import, which needs a key though it is never called; stdout belongs to our own data.
    key = {_KEY: os.environ.get(_KEY) or "none"}
    with environment_variables(key), redirect_stdout(sys.stderr):
        from pyserini.search.lucene import LuceneSearcher  # noqa: PLC0415 - see the top of this file

        folder = index if Path(index).is_dir() else _download(index)
    # Only now: importing jnius starts Java, and Pyserini must first set the path of its classes.
    from jnius import JavaException  # noqa: PLC0415

    try:
        return LuceneSearcher(folder)
    except JavaException as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(f"{folder}: Lucene cannot open this index: {reason}") from None


def _prebuilt(name: str) -> Mapping[str, Any]:
    """Pyserini's entry for a prebuilt index. Raises UserError if the name is unknown."""
    from pyserini.prebuilt_index_info import TF_INDEX_INFO  # noqa: PLC0415

    if name not in TF_INDEX_INFO:
        hint = hint_for(name, TF_INDEX_INFO, "Give the folder of an index, or a name such as 'msmarco-v1-passage'.")
        raise UserError(
            f"lucene:{name}: there is no such folder, and Pyserini {_pyserini_version()} has no prebuilt BM25 index of this name. {hint}"
        )
    known: Mapping[str, Any] = TF_INDEX_INFO[name]
    return known


def _download(name: str) -> str:
    """The folder of a prebuilt index in Pyserini's cache, downloaded if it is missing."""
    from pyserini.util import download_prebuilt_index, get_cache_home  # noqa: PLC0415

    address = _prebuilt(name)["urls"][0]
    try:
        return str(download_prebuilt_index(name, verbose=False))
    except (ValueError, OSError, AssertionError, tarfile.TarError) as error:
        raise UserError(
            f"lucene:{name}: this prebuilt index is not in {get_cache_home()} and could not be downloaded: {error} "
            f"Try again with a network, or unpack {address} and give its folder: lucene:FOLDER."
        ) from None
