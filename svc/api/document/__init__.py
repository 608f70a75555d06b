"""The OpenAPI document: put together once, at the first request for it, from the views and what stands beside them."""
