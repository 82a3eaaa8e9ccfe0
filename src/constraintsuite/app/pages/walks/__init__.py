"""A search of a graph as one page: what was found, over which edges, and what lies around it."""
