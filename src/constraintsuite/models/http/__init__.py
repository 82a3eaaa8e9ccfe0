"""Systems over HTTP: rerank and embedding endpoints, and language models that put a list in order."""
