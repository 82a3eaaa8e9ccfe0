"""BM25, the only one of the package: its formula, its postings, one index of them, and the scorer of pairs."""
