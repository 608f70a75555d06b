"""Commands that keep the records: partners, accounts, keys, people, productions, webhooks."""
