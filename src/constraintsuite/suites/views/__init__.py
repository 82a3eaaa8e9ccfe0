"""What a suite looks like from a distance."""
