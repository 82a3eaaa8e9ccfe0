"""The explain folder: contrasts, the effect of every patch on each, and what they say together."""
