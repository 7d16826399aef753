"""A table and a policy in, a report out."""
