"""BM25 by shards against one index over everything: processor seconds, peak memory, and whether the pools are the same bytes.

    python benchmarks/shards.py --passages 100000

Passages are recombined from Debian's package descriptions; skipped where there are none. Queries are those of a suite, by default
of one of 20,000 passages, which has few (`build.py growth` makes one of 200,000). `--against SRC` measures another version of the
package too, in the same run. Nothing here fails because something is slow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click

from growth import HERE, build, make_passages, seed_option, work_option
from measure import Measured, run_measured
from passages import NoDescriptionsError, require_lists
from tables import load, show

PROCESS = HERE / "shards_process.py"


@click.command()
@click.option("--passages", "count", type=click.IntRange(min=1000), default=100_000, show_default=True)
@click.option("--shards", type=click.IntRange(min=1), default=16, show_default=True)
@click.option("--suite", type=click.Path(path_type=Path, file_okay=False, exists=True), help="Whose queries to take.")
@click.option("--against", type=click.Path(path_type=Path, file_okay=False, exists=True), help="Its folder src.")
@seed_option
@work_option
def main(count: int, shards: int, suite: Path | None, against: Path | None, seed: int, work: Path) -> None:
    """One index, and shards with one worker and with two, each in a fresh process."""
    try:
        require_lists()
    except NoDescriptionsError as error:
        click.echo(f"shards: skipped, {error}")
        return
    folder = work / f"shards-{seed}-{count}-{shards}"
    if suite is None:
        suite = work / f"suite-{seed}-20000"
        if not (suite / "stages" / "queries" / "manifest.json").is_file():
            build(make_passages(work, 20_000, seed), suite, workers=1, until="queries")
    arguments = (make_passages(work, count, seed), suite, folder, shards)
    subprocess.run([sys.executable, PROCESS, "prepare", *map(str, arguments)], check=True)
    versions = {"": os.environ.get("PYTHONPATH", ""), **({"before: ": str(against)} if against else {})}
    rows, first = [], None
    for label, workers in (("one index", 0), ("shards, one worker", 1), ("shards, two workers", 2)):
        for version, source in versions.items():
            cost = _measure(folder, shards, workers, source)
            pools = (folder / "pools.jsonl").read_bytes()
            first = first or (cost, pools)
            handed = json.loads((folder / "handed.json").read_text())
            ratio = cost.cpu_seconds / first[0].cpu_seconds
            same = "yes" if pools == first[1] else "NO"
            rows.append((version + label, cost.cpu_seconds, ratio, cost.seconds, cost.peak_mib, handed, same))
    queries = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    header = ("", "processor s", "to one index", "wall s", "peak MiB", "handed over MiB", "same bytes")
    show(f"{count:,} passages, {len(queries):,} queries, {shards} shards, top 200; {load()}", header, rows)


def _measure(folder: Path, shards: int, workers: int, source: str) -> Measured:
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = source
    try:
        return run_measured([sys.executable, PROCESS, "run", str(folder), str(shards), str(workers)])
    finally:
        os.environ["PYTHONPATH"] = before


if __name__ == "__main__":
    main()
