"""Finds queries: topics, and Y that split their documents, mined from the corpus or taken from given queries."""
