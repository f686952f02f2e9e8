"""Which prefix length and threshold a traffic needs, and what to expect of them."""
