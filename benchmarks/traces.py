"""How many files and functions of the package one request passes through: what a reader has to follow.

    python benchmarks/traces.py [--json] [WAY ...]

Each way is one command on a small input, run in a process of its own under `sys.setprofile`. Counted are the functions of the
package that are entered at least once, and the files that they are in; comprehensions and lambdas belong to the function
around them. What runs while a module is imported is not counted: a module that is only loaded is not on the way.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

WAYS: Mapping[str, Sequence[str]] = {
    "build": ("build", "--corpus", "sample", "--out", "suite", "--limit", "400", "--analyser", "rules"),
    "eval": ("eval", "suite", "--model", "bm25", "--out", "runs"),
    "eval again": ("eval", "suite", "--model", "tfidf", "--out", "runs"),
    "compare": ("compare", "runs/suite/bm25", "runs/suite/tfidf"),
    "report": ("report", "runs/suite/bm25", "runs/suite/tfidf", "--out", "report"),
    "memory ingest": ("memory", "ingest", "documents", "--out", "graph"),
    "memory search": ("memory", "search", "graph", "who repairs the crane?", "--mode", "ppr"),
    "explain": ("explain", "attribute", "suite", "--model", "cross:tiny", "--limit", "4", "--out", "explain"),
}
NOT_SHOWN = ("eval again", "memory ingest")  # they only prepare what comes after
LEASE = "# Harbour lease\n\n1. The landlord shall repair the crane.\n2. Clause 1 does not apply in March.\n"
PROFILE = """
import json, sys, threading
from pathlib import Path
import constraintsuite
root = str(Path(constraintsuite.__file__).parent)
entered = set()
state = threading.local()
def enter(frame, event, argument):
    code = frame.f_code
    if event not in ("call", "return") or not code.co_filename.startswith(root):
        return
    if code.co_name == "<module>":
        state.imports = getattr(state, "imports", 0) + (1 if event == "call" else -1)
    elif event == "call" and not code.co_name.startswith("<") and not getattr(state, "imports", 0):
        entered.add((code.co_filename[len(root) + 1:], code.co_firstlineno))
from constraintsuite.__main__ import main
sys.argv = ["csuite", *sys.argv[1:]]
threading.setprofile(enter)
sys.setprofile(enter)
try:
    main()
finally:
    sys.setprofile(None)
    Path("trace.json").write_text(json.dumps(sorted(entered)))
"""


def trace(folder: Path, command: Sequence[str]) -> list[tuple[str, int]]:
    """The file and first line of each function of the package that a command enters."""
    done = subprocess.run(
        [sys.executable, "-c", PROFILE, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"csuite {' '.join(command)} failed:\n{done.stderr}")
    found: list[tuple[str, int]] = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", help=f"Some of: {', '.join(WAYS)}. Ways before them run too.")
    parser.add_argument("--json", action="store_true", help="Print the files of each way too.")
    options = parser.parse_args()
    last = max((list(WAYS).index(way) for way in options.ways), default=len(WAYS) - 1)
    traces = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "documents").mkdir()
        (folder / "documents" / "lease.md").write_text(LEASE, encoding="utf-8")
        for way in list(WAYS)[: last + 1]:
            traces[way] = trace(folder, WAYS[way])
    shown = {
        way: found
        for way, found in traces.items()
        if way not in NOT_SHOWN and (way in options.ways or not options.ways)
    }
    if options.json:
        record = {
            way: {"functions": len(found), "files": sorted({file for file, _ in found})} for way, found in shown.items()
        }
        print(json.dumps(record, indent=2))
        return
    print(f"{'way':<16}{'files':>7}{'functions':>11}")
    for way, found in shown.items():
        print(f"{way:<16}{len({file for file, _ in found}):>7}{len(found):>11,}")


if __name__ == "__main__":
    main()
