"""What to ask: topics and the things Y that split their documents, mined from the corpus or taken from given queries."""
