"""Benchmarks: run by hand and by .ci/run, never by pytest."""
