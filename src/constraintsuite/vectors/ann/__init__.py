"""Benchmarks of vector search: how exact, how fast and how large an index is."""
