"""Pages for people without an account: watch pages, feeds, documentation."""
