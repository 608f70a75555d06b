"""Text: JSON, YAML front matter, Markdown, rules for input, and the languages of the narration."""
