"""Every policy of a repository, requirement by requirement: `anonaudit check` and pytest."""
