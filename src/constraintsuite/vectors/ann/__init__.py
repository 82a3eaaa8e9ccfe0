"""How fast and how exact is vector search: engines behind one protocol, measured so that the numbers can be believed."""
