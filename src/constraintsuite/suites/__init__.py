"""How a suite is made: documents, mentions, queries, candidates, pairs, kept, tagged, controls, gold."""
