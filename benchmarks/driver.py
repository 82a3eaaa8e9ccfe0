"""What the driver of a build holds: the peak of every stage at two sizes of one corpus, and what a passage more costs.

    python benchmarks/driver.py
    python benchmarks/driver.py --passages 80000

Every stage runs in a fresh process, whose memory before the stage is taken off. What is spread (reading, BM25, checking) is done
by two workers, which are not counted. Below stands the peak of a plain loop that reads the corpus and its readings into
dictionaries, as the first version of a build did. Needs Debian's package descriptions, and is skipped where there are none.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click

from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.forecast.clock import now, peak_bytes, reset_peak
from constraintsuite.suites.build import PIPELINE, build_suite, resolve
from constraintsuite.suites.corpus.files import walk
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.suites.recipe import AnalysisSettings, Recipe
from constraintsuite.suites.stages.documents import read_documents
from growth import HERE, make_passages, seed_option, work_option
from passages import NoDescriptionsError, require_lists
from tables import load, show

WORKERS = 2
FACTOR = 4
HELD = "all held in dictionaries"
COLLECTIONS = {"MS MARCO v1": 8_841_823, "MS MARCO v2": 138_364_198}
_MIB = 1 << 20


class Peak(NamedTuple):
    """What a stage took in its own process."""

    bytes: int
    """Above what the process held before."""
    seconds: float


@click.command()
@click.option(
    "--passages", type=click.IntRange(min=400), default=20_000, show_default=True, help="Of the smaller corpus."
)
@seed_option
@work_option
def main(passages: int, seed: int, work: Path) -> None:
    """Build two sizes of a corpus stage by stage, and compare the peaks."""
    try:
        require_lists()
    except NoDescriptionsError as error:
        click.echo(f"driver: skipped, {error}")
        return
    begun = load()
    small, large = (watch(make_passages(work, size, seed), work / f"driver-{seed}-{size}") for size in sizes(passages))
    rows = []
    for name in small:
        slope = (large[name].bytes - small[name].bytes) / (sizes(passages)[1] - passages)
        rest = (n * slope / 2**30 for n in COLLECTIONS.values())
        rows.append((name, small[name].bytes / _MIB, large[name].bytes / _MIB, large[name].seconds, slope, *rest))
    show(
        f"{passages:,} and {FACTOR * passages:,} passages; {begun}, then {load()}; GiB are the slope, carried on",
        ("", "MiB", f"MiB x{FACTOR}", f"s x{FACTOR}", "bytes a passage", *(f"{name}, GiB" for name in COLLECTIONS)),
        rows,
    )


def sizes(passages: int) -> tuple[int, int]:
    """Of the two corpora."""
    return passages, FACTOR * passages


def watch(corpus: Path, out: Path) -> dict[str, Peak]:
    """The peak of every stage, and of the plain loop."""
    shutil.rmtree(out, ignore_errors=True)
    peaks = {}
    for name in (*PIPELINE.names(), HELD):
        program = f"import driver; driver.run({str(corpus)!r}, {str(out)!r}, {name!r})"
        done = subprocess.run([sys.executable, "-c", program], check=True, cwd=HERE, stdout=subprocess.PIPE, text=True)
        peaks[name] = Peak(*json.loads(done.stdout))
    return peaks


def run(corpus: str, out: str, name: str) -> None:
    """What a fresh process does: one stage, those before it being finished; prints what it took."""
    recipe = resolve(Recipe(corpus=SourceSettings(source=corpus), analysis=AnalysisSettings(analyser="rules")))
    reset_peak()
    before, begin = peak_bytes(), now()
    if name == HELD:
        held = [{d.id: d for d in read_documents(Path(out) / "stages" / "documents")}]
        held.append({row.id: row.parse(DocumentReading) for row in walk(Path(out) / "stages" / "mentions")})  # type: ignore[misc]
    else:
        build_suite(recipe, Path(out), reporter=Silent(), engine=LocalEngine(WORKERS), until=name)
    print(json.dumps([peak_bytes() - before, (now() - begin).own]))


if __name__ == "__main__":
    main()
