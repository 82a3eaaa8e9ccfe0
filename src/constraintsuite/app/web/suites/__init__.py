"""The content of the pages of a suite: search over its examples, one example, the suite as a whole."""
