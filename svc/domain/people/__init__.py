"""Users, passwords, sessions, second factors, and sign-in."""
