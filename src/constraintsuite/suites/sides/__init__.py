"""Questions with two sides, such as under and over 30 minutes: two natural texts, one on each side, make a pair."""
