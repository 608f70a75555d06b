"""Quality gates: measurements of finished files against their limits."""
