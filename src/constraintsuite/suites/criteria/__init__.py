"""The success criteria of the guide, each computed from a suite, its audit, a judged gold batch and runs."""
