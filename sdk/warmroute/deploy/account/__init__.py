"""The account: calls to it, what it has of an endpoint, whose that is, and what of it has become superfluous."""
