"""Contrasts: two inputs that differ in one thing, a negation in the query or in the document."""
