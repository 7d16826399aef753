"""The policy language: what is required of a release, in TOML."""

from anonaudit.policy.policy import Policy, parse_policy, read_policy

__all__ = ["Policy", "parse_policy", "read_policy"]
