"""Runs the command line: `python -m constraintsuite`."""

from constraintsuite.app.cli.main import main

if __name__ == "__main__":
    main()
