"""A corpus that may be larger than memory: a build keeps only a few numbers per document."""
