"""Tables: opened, every cell read as text, never loaded whole."""

from anonaudit.source.table import Source, open_source

__all__ = ["Source", "open_source"]
