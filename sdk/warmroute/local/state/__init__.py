"""State that survives a restart: a journal of the calls that changed the account, which are made again at the start."""

from warmroute.local.state.journal import Journal
from warmroute.local.state.restoring import journal_in, once_restored

__all__ = ["Journal", "journal_in", "once_restored"]
