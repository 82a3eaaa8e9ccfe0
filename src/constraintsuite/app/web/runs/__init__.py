"""What the pages of runs show: which belong together, who does best, one run's figures, and where two models disagree."""
