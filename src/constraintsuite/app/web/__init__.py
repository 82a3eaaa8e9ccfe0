"""The local site over a folder of artifacts: pages to read, and pages on which people judge and write."""

LOOPBACK = "127.0.0.1"
"""The default address of the site. It is defined here, since the command needs it before it imports any page."""
