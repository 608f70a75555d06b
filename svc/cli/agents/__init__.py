"""Commands for agents: programs in which a model uses tools."""
