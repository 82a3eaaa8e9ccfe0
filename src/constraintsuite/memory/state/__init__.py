"""What changes in a memory between searches: what was confirmed to be right, and what no longer holds."""
