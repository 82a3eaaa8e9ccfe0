"""The drawing functions, one file per family: each gives the stretches that a cue marks."""
