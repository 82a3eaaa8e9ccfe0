"""`csuite memory`: a few commands per file."""
