"""The presenter's figure: body, head, hair, expression and what it wears."""
