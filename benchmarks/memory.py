"""Memory at scale, one run, one table: `python benchmarks/memory.py`, with `--help` for what can be chosen.

The work is in `memory_scale.py`: a type checker that reads this file and `tests/memory` takes both for the module `memory`.
"""

from __future__ import annotations

from memory_scale import main

if __name__ == "__main__":
    main()
