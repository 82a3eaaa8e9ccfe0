"""Pairs of documents: couples from the corpus, inserted contrasts, exchanged fillers, negated sentences."""
