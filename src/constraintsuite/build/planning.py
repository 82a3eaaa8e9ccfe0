"""What a build would do, from a small sample: counts, yield and time, before any work is done."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from itertools import islice

from constraintsuite.build.build import STAGES, resolve
from constraintsuite.build.recipe import Recipe
from constraintsuite.build.stages.mentions import read_all
from constraintsuite.corpora.base import BadRows
from constraintsuite.corpora.opening import open_source
from constraintsuite.execution.shards import stable_hash
from constraintsuite.records.text import Document
from constraintsuite.text.cleaning import clean

SAMPLE = 200
READ_AT_MOST = 200_000


@dataclass(frozen=True)
class Plan:
    """An estimate."""

    source: str
    documents: int
    counted_all: bool
    analyser: str
    sample: int
    class_share: float
    facts_per_document: float
    suits: bool
    seconds_reading: float
    stages: tuple[str, ...]

    def in_words(self) -> str:
        """The estimate for a person."""
        more = "" if self.counted_all else " or more (counting stopped there)"
        suits = "suits" if self.suits else "does not suit unattended building; see csuite propose"
        return "\n".join(
            [
                f"source        {self.source}",
                f"documents     {self.documents:,}{more}",
                f"analyser      {self.analyser}",
                f"stages        {' -> '.join(self.stages)}",
                f"sample        {self.sample} documents: {self.class_share:.0%} say what they are, "
                f"{self.facts_per_document:.2f} facts each ({suits})",
                f"time          about {self.seconds_reading:.0f} s to read all texts with one worker; the other stages take less",
                "Nothing was written.",
            ]
        )

    def as_json(self) -> str:
        """The estimate for a program."""
        return json.dumps(asdict(self), indent=2)


def plan_build(recipe: Recipe) -> Plan:
    """Count the documents and read a sample of them, chosen by hash."""
    recipe = resolve(recipe)
    source = open_source(recipe.corpus)
    chosen: list[tuple[int, Document]] = []
    count = 0
    for document in islice(source.documents(BadRows(skip=True)), READ_AT_MOST):
        count += 1
        chosen.append((stable_hash("plan", document.id), document))
        if len(chosen) > 4 * SAMPLE:
            chosen = sorted(chosen, key=lambda item: item[0])[:SAMPLE]
    texts = [
        Document(d.id, clean(d.text), d.title)
        for _, d in sorted(chosen, key=lambda item: item[0])[:SAMPLE]
        if d.text.strip()
    ]
    list(read_all(texts[:3], recipe.analysis.analyser, recipe.analysis.domains))  # load the analyser outside the clock
    start = time.monotonic()
    readings = list(read_all(texts, recipe.analysis.analyser, recipe.analysis.domains))
    seconds = (time.monotonic() - start) / max(1, len(texts)) * count
    share = sum(any(c.strength >= 2 and c.kind for c in r.classes) for r in readings) / max(1, len(readings))
    return Plan(
        source=source.name,
        documents=count,
        counted_all=count < READ_AT_MOST,
        analyser=recipe.analysis.analyser,
        sample=len(texts),
        class_share=round(share, 3),
        facts_per_document=round(sum(len(r.facts) for r in readings) / max(1, len(readings)), 3),
        suits=share >= recipe.queries.min_class_share,
        seconds_reading=round(seconds, 1),
        stages=tuple(stage.name for stage in STAGES),
    )
