"""The spec of an endpoint that exists."""
