"""Whatever changes the account: applying a plan, rolling back, destroying, and waiting for it."""
