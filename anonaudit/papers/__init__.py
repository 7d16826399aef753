"""The five papers: their claims, their experiments, and their algorithms exactly as printed."""
