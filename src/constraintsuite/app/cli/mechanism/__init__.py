"""The commands of `csuite explain`."""
