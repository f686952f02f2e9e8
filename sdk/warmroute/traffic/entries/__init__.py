"""From bytes to entries: the JSON objects or rows of a file, their fields, and what was rejected of them."""
