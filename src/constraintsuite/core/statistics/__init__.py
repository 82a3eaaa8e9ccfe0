"""What a number means: outcomes of pairwise examples, ties, the intervals that every figure carries, and tests."""
