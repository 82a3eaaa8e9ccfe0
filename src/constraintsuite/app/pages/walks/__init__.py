"""The page of a memory search: what was found, over which edges, and its neighbours."""
