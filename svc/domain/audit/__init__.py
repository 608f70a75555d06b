"""The audit log, and the chain of hashes that shows whether it is whole."""
