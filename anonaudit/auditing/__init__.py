"""Audits: `audit.py` is the way in. `anonaudit.audit` is its function, not this package."""
