"""Metrics of pairwise examples and rankings, rules for ties, intervals, significance tests and agreement."""
