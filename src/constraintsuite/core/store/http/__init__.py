"""The HTTP client of the package: requests with limits, JSON endpoints, downloads."""
