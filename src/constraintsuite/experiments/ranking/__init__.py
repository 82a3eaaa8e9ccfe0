"""Rankings of a collection: judged queries, measures, TREC files and figures."""
