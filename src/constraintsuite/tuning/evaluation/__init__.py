"""How a checkpoint does: on suites of pairs, and on a plain retrieval set that it puts in order."""
