"""The engines that a digest is made on; what each does in its own way is in a file of its own."""
