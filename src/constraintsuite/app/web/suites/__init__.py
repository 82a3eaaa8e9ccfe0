"""What the pages of a suite show: its examples found by what they are and say, one example in full, and what was rejected."""
