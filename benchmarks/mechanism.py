"""Patches a second inside a reranker, one run, one table: `python benchmarks/mechanism.py [--device cuda]`.

The work is in `mechanism_sweeps.py`: a type checker that reads this file and `tests/mechanism` takes both for the module `mechanism`.
"""

from __future__ import annotations

from mechanism_sweeps import main

if __name__ == "__main__":
    main()
