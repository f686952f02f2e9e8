"""The figures that the documentation quotes, each a ratio to a reference that is measured in the same run."""
