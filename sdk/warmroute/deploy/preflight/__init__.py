"""What would make a deployment fail, asked of the account before anything is changed."""
