"""Public benchmarks of memory: a reader each, the official scorers, and one run of all modes at equal budgets."""

from constraintsuite.core.catalogue import Catalogue
from constraintsuite.memory.public.base import BenchmarkReader

BENCHMARKS: Catalogue[BenchmarkReader] = Catalogue(
    "benchmark",
    {
        "hotpotqa": "constraintsuite.memory.public.hotpotqa:read",
        "musique": "constraintsuite.memory.public.musique:read",
        "2wiki": "constraintsuite.memory.public.hotpotqa:read_2wiki",
        "hover": "constraintsuite.memory.public.hover:read",
        "longmemeval": "constraintsuite.memory.public.longmemeval:read",
        "locomo": "constraintsuite.memory.public.locomo:read",
    },
)
