"""A corpus that need not fit into memory: what a build holds of each document is some numbers."""
