"""Where the things live: artifact folders, typed JSON lines, checked downloads."""
