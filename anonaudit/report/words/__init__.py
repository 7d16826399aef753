"""Write the words and numbers of a report: explanations, terms, figures, tables, paragraphs."""
