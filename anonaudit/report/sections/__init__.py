"""Build the sections of a report."""
