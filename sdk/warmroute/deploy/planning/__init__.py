"""From what is asked for and what runs to a plan; nothing here asks or changes the account."""
