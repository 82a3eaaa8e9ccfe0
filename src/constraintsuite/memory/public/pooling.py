"""One haystack of all documents of a benchmark: harder than one for each question, and what a memory is for."""

from __future__ import annotations

from dataclasses import replace

from constraintsuite.memory.public.base import BenchmarkFile
from constraintsuite.memory.public.reading import merged

POOL = "all"


def pool(reading: BenchmarkFile) -> BenchmarkFile:
    """The same questions over all documents together; each question keeps its own gold."""
    sources = (source for haystack in reading.haystacks.values() for source in haystack.sources)
    return replace(
        reading,
        items=tuple(replace(item, haystack=POOL) for item in reading.items),
        haystacks={POOL: merged(POOL, sources)},
    )
