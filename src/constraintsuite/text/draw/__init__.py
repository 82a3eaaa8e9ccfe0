"""The drawing functions, one file a family: each gives the stretches that a cue marks."""
