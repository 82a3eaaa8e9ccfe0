"""Runs of memory benchmarks: stored, summarised, compared, gated, and judged by claims."""
