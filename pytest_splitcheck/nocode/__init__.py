"""Benchmarks that are declared in a TOML file, without code."""
