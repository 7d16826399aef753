"""Audit releases. Start with `audit.py`; `anonaudit.audit` is its function, not this package."""
