"""How well a system searches: a suite's collection and a retriever give a ranking for each query, and measures of these."""
