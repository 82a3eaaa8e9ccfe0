"""How well a system does: a suite and a model give a run, a folder with every score and every figure."""
