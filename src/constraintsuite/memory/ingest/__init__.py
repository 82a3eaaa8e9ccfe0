"""From Markdown and text files to the parts of a memory: units, what they do, what they name, how they hang together."""
