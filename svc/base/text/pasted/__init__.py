"""Text as people paste it, from documents, mails and word processors, as Markdown."""
