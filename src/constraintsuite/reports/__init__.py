"""How it is shown: tables for a terminal and one page for a browser, made from artifact folders alone."""
