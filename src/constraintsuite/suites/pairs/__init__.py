"""Pairs of documents: couples from the corpus, denials that move, and people who exchange roles."""
