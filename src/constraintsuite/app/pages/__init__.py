"""How it is shown: tables for a terminal, one page for a browser, files for papers, made from artifact folders alone."""
