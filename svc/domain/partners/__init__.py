"""Partners with their customers, accounts, avatars, assets and sensitivity rules."""
