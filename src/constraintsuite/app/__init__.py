"""What people see: the command line, the site, pages and reports, and the Python API."""
