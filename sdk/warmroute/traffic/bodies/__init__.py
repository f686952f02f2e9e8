"""What a request and its answer say: the prompt, its blocks, and how many tokens went in and came out."""
