"""The command line: each file translates one noun into a library call and prints the answer."""
