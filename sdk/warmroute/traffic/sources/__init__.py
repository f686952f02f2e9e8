"""From the names that a user gives to streams of bytes: files, folders, patterns, S3 and standard input."""
