"""The five papers: their claims, their experiments, and their faulty forms as published."""
