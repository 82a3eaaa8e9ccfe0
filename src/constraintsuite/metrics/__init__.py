"""What a number means: outcomes of pairwise examples, and the intervals that every figure carries."""
