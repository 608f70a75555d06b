"""Text: JSON, YAML front matter, Markdown, rules for what people type, and the languages of the narration."""
