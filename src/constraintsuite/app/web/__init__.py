"""The local site over artifact folders: pages that look, and pages on which people judge."""

LOOPBACK = "127.0.0.1"
"""Where the site listens if nothing else is said. It stands here, since a command needs it before it imports any page."""
