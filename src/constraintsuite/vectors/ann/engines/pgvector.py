"""PostgreSQL with pgvector, over a real connection."""

from __future__ import annotations

import struct
import threading
from typing import Annotated, Any, Literal
from uuid import uuid4

import numpy as np
from pydantic import AfterValidator, Field

from constraintsuite.core.errors import UserError
from constraintsuite.vectors.ann.data import MISSING, IntArray, VectorMetric, Vectors, blocks
from constraintsuite.vectors.ann.engines.addresses import address, database_address, unreachable
from constraintsuite.vectors.ann.engines.base import EngineSettings, ServedEngine, require

_OPERATORS: dict[VectorMetric, tuple[str, str]] = {
    "cosine": ("<=>", "vector_cosine_ops"),
    "dot": ("<#>", "vector_ip_ops"),
    "euclidean": ("<->", "vector_l2_ops"),
}
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # of binary COPY: no flags, no extension
_END = struct.pack("!h", -1)


class PgvectorBuild(EngineSettings):
    """Parameters of a build: the server and its index."""

    url: Annotated[str, AfterValidator(database_address)] = Field(description="postgresql://..., or env:NAME")
    index: Literal["hnsw", "ivfflat", "none"] = Field("hnsw", description="none compares everything")
    m: int = Field(16, ge=2, le=100, description="hnsw: edges per node")
    ef_construction: int = Field(64, ge=4, le=1000, description="hnsw: width of the search while the graph is built")
    lists: int = Field(100, ge=1, le=32_768, description="ivfflat: clusters")
    maintenance_work_mem: str = Field("256MB", pattern=r"^\d+(kB|MB|GB)$", description="memory for building the index")


class PgvectorSearch(EngineSettings):
    """Parameters of a search: the one that belongs to the index."""

    ef: int | None = Field(None, ge=1, le=1000, description="hnsw.ef_search; with less than k, answers are incomplete")
    probes: int | None = Field(None, ge=1, le=32_768, description="ivfflat.probes")


class PgvectorEngine(ServedEngine):
    """`engine: pgvector`; each build has its own table, which is dropped at the end."""

    build_settings = PgvectorBuild
    search_settings = PgvectorSearch
    library = "psycopg"
    revision = 2

    def __init__(self, settings: PgvectorBuild, metric: VectorMetric, threads: int) -> None:
        super().__init__(settings, metric, threads)
        self._psycopg = require("psycopg", "pgvector")
        self.exact = settings.index == "none"
        self._operator, self._operators = _OPERATORS[metric]
        self.place = f"csuite_ann_{uuid4().hex[:12]}"  # its table
        self._parameters: dict[str, str | int] = {}
        self._connections = threading.local()
        self._opened: list[Any] = []
        self._generation = 0

    @classmethod
    def expected_bytes(cls, settings: PgvectorBuild, rows: int, dimensions: int) -> int:
        """Rows, and a graph or lists, on the server."""
        return rows * (8 * dimensions + 10 * settings.m + 64)

    @classmethod
    def server(cls, settings: PgvectorBuild) -> str | None:
        """Versions of PostgreSQL and of pgvector, as a new table would use it."""
        psycopg = require("psycopg", "pgvector")
        asked = (
            "SELECT current_setting('server_version'), coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), "
            "(SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))"
        )
        where = address(settings.url)
        try:
            with psycopg.connect(where) as connection:
                postgres, pgvector = connection.execute(asked).fetchone()
        except (psycopg.Error, ValueError):
            return None
        return f"PostgreSQL {postgres}, pgvector {pgvector}"

    def build(self, vectors: Vectors) -> None:
        """Copy the vectors to a new table, then build the index."""
        connection = self._connect()
        with connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
            cursor.execute(f"CREATE TABLE {self.place} (id bigint, v vector({vectors.shape[1]}))")
            cursor.execute(
                f"ALTER TABLE {self.place} ALTER COLUMN v SET STORAGE PLAIN"
            )  # store wide rows in the table itself
            with cursor.copy(f"COPY {self.place} (id, v) FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(_SIGNATURE)
                for start, block in blocks(vectors):
                    copy.write(_rows_for_copy(start, block))
                copy.write(_END)
            if not self.exact:
                cursor.execute(f"SET maintenance_work_mem = '{self._settings.maintenance_work_mem}'")
                cursor.execute(
                    f"SET max_parallel_maintenance_workers = {self._threads - 1}"
                )  # in addition to the first
                cursor.execute(self._index_command())
            cursor.execute(f"ANALYZE {self.place}")

    def configure(self, settings: PgvectorSearch, threads: int) -> None:
        """Set the width of the search, and the number of server processes per search."""
        own = {"hnsw": ("hnsw.ef_search", settings.ef), "ivfflat": ("ivfflat.probes", settings.probes)}
        name, value = own.get(self._settings.index, ("", None))
        given = [key for key, number in settings.model_dump().items() if number is not None]
        if len(given) > (value is not None):
            raise UserError(f"pgvector: {' and '.join(given)} given, but the index is {self._settings.index}.")
        self._parameters = {"max_parallel_workers_per_gather": threads - 1}
        if value is not None:
            self._parameters[name] = value
        if not self.exact:
            self._parameters["enable_seqscan"] = "off"
        self._generation += 1  # connections of other threads are updated when they are used next

    def search(self, queries: Vectors, k: int) -> IntArray:
        """One statement per query. The plan of the first one of its kind is checked."""
        rows = np.full((len(queries), k), MISSING, dtype=np.int64)
        connection = self._connect()
        text = f"SELECT id FROM {self.place} ORDER BY v {self._operator} %b::vector LIMIT {k}"
        if k not in self._connections.explained:
            self._refuse_scan(text, queries[0])
            self._connections.explained.add(k)
        with connection.cursor(binary=True) as cursor:
            for i, query in enumerate(queries):
                found = cursor.execute(text, (_Literal(query),), prepare=True).fetchall()
                rows[i, : len(found)] = [row for (row,) in found]
        return rows

    def bytes(self) -> int:
        """The table with its index, on the server's disk."""
        found = self._connect().execute("SELECT pg_total_relation_size(%s)", (self.place,)).fetchone()
        return int(found[0])

    def close(self) -> None:
        """Drop the table and close all connections."""
        if not self._opened:
            return  # never connected, so there is no table
        try:
            self._connect().execute(f"DROP TABLE IF EXISTS {self.place}")
        finally:
            self.detach()

    def detach(self) -> None:
        """Close the connections of all threads; the table stays."""
        for connection in self._opened:
            connection.close()

    def _connect(self) -> Any:  # noqa: ANN401 - psycopg may be missing
        """The connection of this thread, with the current search parameters."""
        mine = self._connections
        if getattr(mine, "connection", None) is None:
            url = self._settings.url
            where = address(url)
            try:
                mine.connection = self._psycopg.connect(where, autocommit=True)
            except (self._psycopg.Error, ValueError) as error:
                raise unreachable("pgvector", "no connection", error, url) from None
            mine.generation = -1
            _register_vectors(mine.connection)
            self._opened.append(mine.connection)
        if mine.generation != self._generation:
            mine.connection.execute("RESET ALL")  # parameters of the last search that this one does not set
            for name, value in self._parameters.items():
                mine.connection.execute(f"SET {name} = {value}")
            mine.generation, mine.explained = self._generation, set()
        return mine.connection

    def _index_command(self) -> str:
        with_ = f"m = {self._settings.m}, ef_construction = {self._settings.ef_construction}"
        if self._settings.index == "ivfflat":
            with_ = f"lists = {self._settings.lists}"
        return f"CREATE INDEX ON {self.place} USING {self._settings.index} (v {self._operators}) WITH ({with_})"

    def _refuse_scan(self, text: str, query: Vectors) -> None:
        """Refuse a plan without the index: the search would be exact without saying so."""
        explained = self._connect().execute(f"EXPLAIN {text}", (_Literal(query),)).fetchall()
        plan = " ".join(line for (line,) in explained)
        if not self.exact and "Index Scan" not in plan:
            raise UserError(f"pgvector: the server does not use its {self._settings.index} index. Its plan: {plan}")


class _Literal:
    """A vector to send to the server."""

    __slots__ = ("values",)

    def __init__(self, values: Vectors) -> None:
        self.values = values


def _register_vectors(connection: Any) -> None:  # noqa: ANN401
    """Send vectors in binary, so that no time is spent on formatting numbers."""
    adapt = require("psycopg.adapt", "pgvector")
    binary = require("psycopg.pq", "pgvector").Format.BINARY
    found = connection.execute("SELECT oid FROM pg_type WHERE typname = 'vector'").fetchone()
    if found is None:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        found = connection.execute("SELECT oid FROM pg_type WHERE typname = 'vector'").fetchone()

    class VectorDumper(adapt.Dumper):  # type: ignore[misc,name-defined]  # psycopg may be missing
        format = binary
        oid = found[0]

        def dump(self, obj: _Literal) -> bytes:
            return struct.pack("!hh", len(obj.values), 0) + obj.values.astype(">f4").tobytes()

    connection.adapters.register_dumper(_Literal, VectorDumper)


def _rows_for_copy(start: int, block: Vectors) -> bytes:
    """Rows in the binary format of COPY: number of fields, then length and value of id and vector."""
    wide = block.shape[1]
    head = [("fields", ">i2"), ("a", ">i4"), ("id", ">i8"), ("b", ">i4"), ("wide", ">i2"), ("zero", ">i2")]
    form = np.dtype([*head, ("values", ">f4", (wide,))])
    rows = np.zeros(len(block), dtype=form)
    rows["fields"], rows["a"], rows["b"], rows["wide"] = 2, 8, 4 + 4 * wide, wide
    rows["id"] = np.arange(start, start + len(block))
    rows["values"] = block
    return rows.tobytes()
