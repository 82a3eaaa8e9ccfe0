"""What `csuite explain` and `csuite drift` show: tables for a terminal, sections of a page."""
