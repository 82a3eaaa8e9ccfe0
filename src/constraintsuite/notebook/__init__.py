"""The product as a few names in Python: what they give shows itself in a notebook, and prints well elsewhere."""
