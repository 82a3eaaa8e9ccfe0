"""Who finds candidates: BM25 in memory."""
