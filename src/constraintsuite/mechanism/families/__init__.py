"""One file a family: where its own modules keep what is patched."""
