"""The explain folder: contrasts, the effect of every patch on each of them, and figures over all."""
