"""The people who sign in: users, passwords, sessions, second factors, and the audit log of what they do."""
