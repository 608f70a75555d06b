"""How long expensive tests wait for what must happen: longer than any machine takes."""

PATIENCE = 1500  # seconds; less than the guard against hanging in tests/conftest.py
