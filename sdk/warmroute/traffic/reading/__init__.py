"""Reads recorded traffic of any known format: recognises it, joins its files, and puts it in order."""
