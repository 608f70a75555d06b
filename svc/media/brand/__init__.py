"""What an account's videos show besides their look, its colours and its logo."""
