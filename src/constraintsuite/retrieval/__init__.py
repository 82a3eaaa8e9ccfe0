"""Who finds candidates: BM25 in memory, and Lucene through Pyserini for those who have it."""
