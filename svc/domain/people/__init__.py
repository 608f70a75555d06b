"""Users, passwords, sessions, second factors, and the audit log."""
