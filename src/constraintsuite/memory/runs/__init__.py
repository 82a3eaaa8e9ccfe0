"""Runs of memory benchmarks: kept, summed up, compared, gated, and read as verdicts on claims."""
