"""The schemas of requests and responses: names, types, limits and descriptions."""
