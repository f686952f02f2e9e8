"""Settings of every fast test."""

from hypothesis import settings

# The same examples in every run, and no test that depends on the speed of the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
