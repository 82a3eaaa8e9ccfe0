"""Several constraints at once: queries that combine what other constraint types propose for one topic."""
