"""Which two documents: couples from the corpus, contrasts inserted into them, fillers exchanged, sentences negated."""
