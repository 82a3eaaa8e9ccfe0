"""`growth`: what a build costs per document as the corpus grows."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from measure import Measured, run_measured
from passages import NoDescriptionsError, require_lists
from tables import load, show, target

STAGES = ("documents", "mentions", "queries", "candidates", "pairs")
WORK = Path(tempfile.gettempdir()) / "csuite-benchmarks"
HERE = Path(__file__).parent
work_option = click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=WORK,
    show_default=True,
    help="Folder for corpora and suites; they are kept.",
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Of the recombined passages.")


@click.command()
@click.option("--small", type=click.IntRange(min=100), default=20_000, show_default=True, help="Passages.")
@click.option("--large", type=click.IntRange(min=100), default=200_000, show_default=True, help="Passages.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True)
@seed_option
@work_option
def growth(small: int, large: int, workers: int, seed: int, work: Path) -> None:
    """Seconds per document of each stage up to the pairs, and peak memory, at two sizes of one corpus."""
    try:
        require_lists()
    except NoDescriptionsError as error:
        click.echo(f"growth: skipped, {error}")
        return
    measured = {}
    for size in (small, large):
        corpus = make_passages(work, size, seed)
        click.echo(f"{size:,} passages: {load()}", err=True)
        measured[size] = build(corpus, work / f"suite-{seed}-{size}", workers)
        click.echo(
            f"{size:,} passages: {measured[size].seconds:,.0f} s on the wall, {measured[size].cpu_seconds:,.0f} s of "
            f"processor, peak {measured[size].peak_mib:,.0f} MiB; {_counts(work / f'suite-{seed}-{size}')}; {load()}"
        )
    _report(measured[small], measured[large], small, large)


def make_passages(work: Path, count: int, seed: int) -> Path:
    """The corpus of that size; made in another process, so that this one stays small (see `run_measured`)."""
    path = work / f"passages-{seed}-{count}.jsonl"
    if not path.is_file():
        code = f"from pathlib import Path; from passages import write_passages; write_passages(Path({str(path)!r}), {count}, seed={seed})"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE)
    return path


def build(corpus: Path, out: Path, workers: int, until: str = STAGES[-1]) -> Measured:
    """A build from nothing, in a fresh process."""
    shutil.rmtree(out, ignore_errors=True)
    options = ["--analyser", "rules", "--workers", str(workers), "--until", until, "--out", str(out)]
    command = [sys.executable, "-m", "constraintsuite", "build", "--corpus", str(corpus), *options]
    return run_measured(command, out / "stages", STAGES)


def _counts(suite: Path) -> str:
    """What the stages found, so that two runs can be told apart."""
    counts = {}
    for stage, name in (("queries", "to build"), ("candidates", "pools"), ("pairs", "couples"), ("pairs", "drafts")):
        manifest = json.loads((suite / "stages" / stage / "manifest.json").read_text(encoding="utf-8"))
        counts[name] = manifest["counts"][name]
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _report(a: Measured, b: Measured, small: int, large: int) -> None:
    rows = [
        (
            stage,
            a.stages[stage].cpu_seconds,
            1000 * a.stages[stage].cpu_seconds / small,
            a.stages[stage].peak_mib,
            b.stages[stage].cpu_seconds,
            1000 * b.stages[stage].cpu_seconds / large,
            b.stages[stage].peak_mib,
            (b.stages[stage].cpu_seconds / large) / max(a.stages[stage].cpu_seconds / small, 1e-9),
        )
        for stage in STAGES
    ]
    sums = [sum(cost.stages[stage].cpu_seconds for stage in STAGES) for cost in (a, b)]
    ratio = (sums[1] / large) / (sums[0] / small)
    total = ("all", sums[0], 1000 * sums[0] / small, a.peak_mib, sums[1], 1000 * sums[1] / large, b.peak_mib, ratio)
    show(
        f"Processor seconds by stage, {small:,} and {large:,} passages (imports and start not counted)",
        ("", "s", "ms/doc", "peak MiB", "s", "ms/doc", "peak MiB", "ratio of ms/doc"),
        [*rows, total],
    )
    target("time per document, large to small", ratio, 1.3, at_most=True)
    wall = ((b.seconds - b.stages["start"].seconds) / large) / ((a.seconds - a.stages["start"].seconds) / small)
    target("the same on the wall", wall, 1.3, at_most=True)
    target("peak memory in MiB", b.peak_mib, 2e9 / (1 << 20), at_most=True)
