"""`csuite memory`: one file a few commands."""
