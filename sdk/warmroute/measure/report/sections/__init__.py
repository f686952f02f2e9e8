"""The parts of the page, from top to bottom; each takes the document, or what it needs of it."""
