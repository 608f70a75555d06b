"""The shapes of requests and answers: names, types, limits, and what the documentation says of them."""
