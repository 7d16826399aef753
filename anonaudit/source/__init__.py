"""Tables: opened, every cell read as text, never loaded whole."""

from anonaudit.source.table import Source, TableFile, open_source

__all__ = ["Source", "TableFile", "open_source"]
