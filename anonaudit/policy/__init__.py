"""Read a policy, the TOML file that states what a release must satisfy."""

from anonaudit.policy.policy import Policy, parse_policy, read_policy

__all__ = ["Policy", "parse_policy", "read_policy"]
