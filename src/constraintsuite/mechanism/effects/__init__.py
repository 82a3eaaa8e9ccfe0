"""What patches did: one row a contrast, site, role and direction, and what they say together."""
