"""Check all policies of a repository, for `anonaudit check` and the pytest plugin."""
