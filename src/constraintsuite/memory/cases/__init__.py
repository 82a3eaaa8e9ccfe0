"""Structured cases: questions over documents, with the evidence, the walk and the conflicts that a right answer shows."""
