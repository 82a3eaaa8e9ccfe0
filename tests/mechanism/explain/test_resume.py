from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from constraintsuite.core.execution.engine import LocalEngine
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.explain.request import AnalysisScope
from mechanism.analyses import patch
from mechanism.planted import make_planted
from mechanism.uneven import named

SCOPE = AnalysisScope(sites=("mlp",))
STOPPED_IN_THE_SECOND_SHARD = """
import os, signal, sys
from pathlib import Path
from constraintsuite.core.execution.progress import Silent
from constraintsuite.mechanism.explain import analysis, run
from constraintsuite.mechanism.explain.request import AnalysisRequest, AnalysisScope

done = analysis.patch_contrasts
shards = []

def stopping(model, shard, *rest):
    shards.append(shard)
    if len(shards) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return done(model, shard, *rest)

analysis.patch_contrasts = stopping
request = AnalysisRequest("patch", Path(sys.argv[1]), sys.argv[2], AnalysisScope(sites=("mlp",)))
run.run_analysis(request, Path(sys.argv[3]), Silent())
"""


class Told(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_killed_analysis_resumes_with_two_workers_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    model = f"cross:{make_planted(tmp_path / 'model', noise=0.05)},threads=1"
    contrasts, out = tmp_path / "contrasts.jsonl", tmp_path / "out"
    write_jsonl(contrasts, named(58))
    command = [sys.executable, "-c", STOPPED_IN_THE_SECOND_SHARD, str(contrasts), model, str(out)]
    killed = subprocess.run(command, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    first = out / "stages" / "part-00000.parquet"
    assert sorted(file.name for file in out.iterdir() if not file.name.startswith(".")) == ["stages"]
    assert [file.name for file in first.parent.glob("*.parquet")] == [first.name]
    written = first.stat().st_mtime_ns
    told = Told()
    resumed = patch(contrasts, model, out, SCOPE, told, engine=LocalEngine(2))
    assert told.notes == [f"{out}: resumes after 28 of 58 contrasts"]
    assert (out / "effects" / first.name).stat().st_mtime_ns == written
    assert not first.parent.exists()
    whole = patch(contrasts, model, tmp_path / "whole", SCOPE, Silent())
    assert resumed.manifest == whole.manifest
