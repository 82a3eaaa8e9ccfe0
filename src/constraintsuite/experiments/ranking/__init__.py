"""Whole rankings of a collection: judged queries, measures, TREC files and figures."""
