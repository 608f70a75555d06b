"""What tests share: the cast, servers, receivers and judges."""
