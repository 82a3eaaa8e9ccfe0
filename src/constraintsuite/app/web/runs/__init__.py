"""The content of the pages of runs: leaderboards, figures, and outcomes of examples."""
