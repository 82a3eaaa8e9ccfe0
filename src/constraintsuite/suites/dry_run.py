"""Estimates a build before any work is done: how many documents it would use, how well they suit, and how long it takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.text import Document
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.build import STAGES, resolve
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.stages.documents import accepted_documents
from constraintsuite.suites.stages.mentions import has_known_class, read_all

SAMPLE = 200
READ_AT_MOST = 200_000


@dataclass(frozen=True)
class BuildPlan:
    """The estimate; figures about texts come from a sample."""

    source: str
    documents: int
    """How many documents would be kept."""
    left_out: dict[str, int]
    """How many rows and documents would be left out, by reason."""
    counted_all: bool
    constraints: tuple[str, ...]
    analyser: str
    sample: int
    class_share: float
    facts_per_document: float
    suits: bool
    seconds_reading: float
    stages: tuple[str, ...]

    def in_words(self) -> str:
        """The estimate for a person."""
        more = "" if self.counted_all else f" or more (only the first {READ_AT_MOST:,} were read)"
        left_out = ", ".join(f"{reason} {count:,}" for reason, count in self.left_out.items())
        suits = "suitable" if self.suits else "not suitable without approval; see csuite propose"
        return "\n".join(
            [
                f"source        {self.source}",
                f"documents     {self.documents:,}{more}",
                f"left out      {f'{sum(self.left_out.values()):,} ({left_out})' if left_out else 'none'}",
                f"constraints   {', '.join(self.constraints)}",
                f"analyser      {self.analyser}",
                f"stages        {' -> '.join(self.stages)}",
                f"sample        {self.sample} documents: {percent(self.class_share)} have a known class, "
                f"{self.facts_per_document:.2f} facts each ({suits})",
                f"time          about {self.seconds_reading:.0f} s to read all texts with one worker; the other stages take less",
                "Nothing was written.",
            ]
        )


def plan_build(recipe: Recipe) -> BuildPlan:
    """Read and clean the corpus as a build would, and analyse a sample of it, chosen by hash."""
    recipe = resolve(recipe)
    source = open_source(recipe.corpus)
    bad = BadRows(skip=recipe.corpus.skip_bad_rows)
    rejects: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    read = _counted(islice(source.documents(bad), READ_AT_MOST), seen, "read")
    kept = _counted(accepted_documents(read, recipe.documents, rejects), seen, "kept")
    texts = nsmallest(SAMPLE, kept, key=lambda document: stable_hash("plan", document.id))
    list(
        read_all(texts[:3], recipe.analysis.analyser, recipe.analysis.domains)
    )  # loads the analyser before the clock starts
    start = time.monotonic()
    readings = list(read_all(texts, recipe.analysis.analyser, recipe.analysis.domains))
    seconds = (time.monotonic() - start) / max(1, len(texts)) * seen["kept"]
    share = sum(map(has_known_class, readings)) / max(1, len(readings))
    return BuildPlan(
        source=source.name,
        documents=seen["kept"],
        left_out=dict(sorted((rejects + bad.counts).items())),
        counted_all=seen["read"] < READ_AT_MOST,
        constraints=recipe.constraints,
        analyser=recipe.analysis.analyser,
        sample=len(texts),
        class_share=round(share, 3),
        facts_per_document=round(sum(len(r.facts) for r in readings) / max(1, len(readings)), 3),
        suits=share >= recipe.queries.min_class_share,
        seconds_reading=round(seconds, 1),
        stages=tuple(stage.name for stage in STAGES),
    )


def _counted(documents: Iterable[Document], seen: Counter[str], name: str) -> Iterator[Document]:
    for document in documents:
        seen[name] += 1
        yield document
