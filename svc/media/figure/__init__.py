"""The presenter: body, head, hair, face, arms and what they wear."""
