"""The digest: captured requests as a slim table of lengths and hashes, from which their texts cannot be read."""
