"""Public benchmarks of memory: one reader per benchmark, the official scorers, and a run of all modes at equal budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraintsuite.core.catalogue import Catalogue

if TYPE_CHECKING:
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
