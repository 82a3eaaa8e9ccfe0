"""Pairs of inputs that differ in one thing: a negation in the query, or one in the document."""
