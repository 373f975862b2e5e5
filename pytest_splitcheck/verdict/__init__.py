"""Thresholds applied to measurements, in one place."""
