"""From entries to requests: one file for each format, and what formats have in common; ``reading`` lists them."""
