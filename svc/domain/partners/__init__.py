"""Partners and what belongs to them: customers, accounts, avatars, uploads, sensitivity rules."""
