"""What patches did: one row per contrast, site, role and direction, and figures over them."""
